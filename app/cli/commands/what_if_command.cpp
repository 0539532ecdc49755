// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/kept.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/options/record_options.h"
#include "engine/report/what_if_report.h"
#include "engine/session/what_if.h"

namespace shardscope::inline cli {
namespace {

struct WhatIfOptions : TypedWhatIf {
  std::string db;
  int64_t run = 0;
  bool sensitivity = false, json = false;
};

Result<int> answer(const WhatIfOptions& o, const std::stop_token& stop) {
  TRY(const WhatIf asked, parse_what_if(o));
  TRY(const std::vector<RunPtr> runs, load_runs(o.db, {o.run}));
  TRY(const auto base, kept<WhatIfBase>("what-if " + record_key(o.db, o.run),
                                        [&] { return WhatIfBase::make(runs.front(), stop); }));
  WhatIfReport report{runs.front(), {}, {}};
  TRY(report.answer, base->ask(asked, WhatIfBase::Keep::totals, stop));
  if (o.sensitivity) {
    TRY(report.sensitivities, base->sensitivities(asked, stop));
  }
  TRY_VOID(print_text(o.json ? what_if_json(report) : what_if_text(report)));
  return kExitDone;
}

}  // namespace

Command add_what_if_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "what-if", "Time a recorded run again on other hardware, and say what would help it most");
  auto o = std::make_shared<WhatIfOptions>();
  command->add_option("--db", o->db, "Workspace file")->type_name(kWorkspaceFile)->required();
  command->add_option("--run", o->run, "Run number")->required();
  for (const Field& field : fields())
    if (field.has(kWhatIf)) add_field_option(*command, field, o->fields);
  command->add_option("--event", o->events, "An event with zero cost, by its number, as in 17=0")
      ->delimiter(',');
  command->add_option("--op", o->operations, "An operation with zero cost, as in all-gather.1=0")
      ->delimiter(',');
  command->add_flag("--sensitivity", o->sensitivity,
                    "What 10 % better of each parameter would give, and where it stops helping");
  command->add_flag("--json", o->json, "One JSON object on stdout");
  return [o](const std::stop_token& stop) { return answer(*o, stop); };
}

}  // namespace shardscope::inline cli
