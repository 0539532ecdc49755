// SPDX-License-Identifier: Apache-2.0
// diff: what differs between recorded runs, operation by operation.
#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/options/record_options.h"
#include "app/cli/output/output.h"
#include "engine/report/run_difference.h"

namespace shardscope::inline cli {
namespace {

struct DiffOptions {
  std::string db, runs;
  bool json = false;
};

Result<int> differ(const DiffOptions& o, const std::stop_token& stop) {
  TRY(const std::vector<int64_t> ids, parse_run_list(o.runs));
  TRY_VOID(check_compared(ids.size()));
  TRY(const std::vector<RunPtr> runs, load_runs(o.db, ids));
  std::vector<RunWithStory> with_stories;
  for (const RunPtr& run : runs) {
    with_stories.push_back(told(run, stop));
    if (stop.stop_requested()) return cancelled();
  }
  TRY(const RunDifference difference, difference_of(with_stories));
  TRY_VOID(print_text(o.json ? difference_json(difference) : difference_text(difference)));
  return kExitDone;
}

}  // namespace

Command add_diff_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "diff", "What differs between recorded runs: terms, critical path, each operation, memory");
  auto o = std::make_shared<DiffOptions>();
  command->add_option("--db", o->db, "Workspace file")->type_name(kWorkspaceFile)->required();
  command
      ->add_option("--runs", o->runs,
                   "Two to 20 run numbers, as in 1,2,3; the others are compared with the first")
      ->required();
  command->add_flag("--json", o->json, "One JSON object on stdout");
  return [o](const std::stop_token& stop) { return differ(*o, stop); };
}

}  // namespace shardscope::inline cli
