// SPDX-License-Identifier: Apache-2.0
// measure: profiles of real runs become traces of a workspace.
#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/progress_line.h"
#include "engine/measure/import/import.h"
#include "engine/report/measured_report.h"
#include "engine/trace/measured_record.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline cli {
namespace {

struct MeasureOptions {
  std::vector<std::string> files;
  std::string db, hlo;
  bool json = false;
};

Result<int> import_files(const MeasureOptions& o, const std::stop_token& stop) {
  TRY_VOID(check_workspace_name(o.db));
  const ProgressLine line(true);
  Result<MeasuredTrace> trace = import_measured(o.files, {stop, line.shower(), o.hlo});
  line.clear();
  if (!trace.ok()) return trace.error();
  TRY(const int64_t id, record_measured(o.db, *trace, stop));
  TRY_VOID(print_text(o.json ? measured_json(*trace, id) : measured_text(*trace, id)));
  return kExitDone;
}

Result<int> list(const MeasureOptions& o) {
  TRY(const std::vector<MeasuredSummary> traces, list_measured(o.db));
  TRY_VOID(print_text(o.json ? measured_list_json(traces) : measured_list_text(traces)));
  return kExitDone;
}

}  // namespace

Command add_measure_command(CLI::App& app) {
  CLI::App* measure =
      app.add_subcommand("measure", "Profiles of real runs: import them into a workspace, list them");
  measure->require_subcommand(1);
  auto o = std::make_shared<MeasureOptions>();
  CLI::App* import = measure->add_subcommand("import",
                                             "Read profiles as one measured trace, one file for each host or "
                                             "rank of the run: xplane.pb or trace.json.gz of JAX, "
                                             "traces of PyTorch, SQLite exports of Nsight Systems, the "
                                             "output of nccl-tests. The format is found from the content");
  import
      ->add_option("files", o->files,
                   "The profile's files, or the folder that a profiler wrote into: its newest profile")
      ->type_name(kInputFile)
      ->required();
  import
      ->add_option("--hlo", o->hlo,
                   "The compiled module (HLO text) of the profile; events that match none of its "
                   "instructions are listed as unmatched")
      ->type_name(kInputFile);
  CLI::App* listing = measure->add_subcommand("list", "List a workspace's measured traces");
  for (CLI::App* command : {import, listing}) {
    command->add_option("--db", o->db, "Workspace file")->type_name(kWorkspaceFile)->required();
    command->add_flag("--json", o->json, "One JSON object on stdout");
  }
  return [o, listing](const std::stop_token& stop) {
    return listing->parsed() ? list(*o) : import_files(*o, stop);
  };
}

}  // namespace shardscope::inline cli
