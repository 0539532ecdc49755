// SPDX-License-Identifier: Apache-2.0
// runs: which runs a workspace holds, and what is said of them.
#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "engine/base/text.h"
#include "engine/report/run_filter.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline cli {
namespace {

struct RunsOptions {
  std::string db, filter, sort = "x_best", group;
  std::optional<int64_t> label;
  std::optional<std::string> name, note;
  std::vector<std::string> tags;
  bool descending = false;
  bool json = false;
};

Result<RunOrder> order_of(const RunsOptions& o) {
  RunOrder order;
  TRY(order.column, find_run_column(o.sort));
  order.descending = o.descending;
  if (!o.group.empty()) {
    TRY(order.group_by, find_run_column(o.group));
  }
  return order;
}

// What is not said of it now stays as it was.
Result<void> label_run(const RunsOptions& o) {
  TRY(const auto workspace, Workspace::open(o.db));
  TRY(const std::vector<RunSummary> runs, workspace->runs());
  for (const RunSummary& run : runs) {
    if (run.id != *o.label) continue;
    RunLabel given = run.given;
    given.name = o.name.value_or(given.name);
    given.note = o.note.value_or(given.note);
    if (!o.tags.empty()) given.tags = read_tags(join(o.tags, " "));
    TRY_VOID(workspace->label(run.id, given));
    return workspace->wait();
  }
  return invalid("there is no run " + std::to_string(*o.label), o.db, "list them with shardscope runs");
}

Result<int> list(const RunsOptions& o) {
  TRY(const RunOrder order, order_of(o));
  TRY(const RunFilter filter, RunFilter::parse(o.filter));
  const bool labels = o.name || o.note || !o.tags.empty();
  if (labels != o.label.has_value())
    return invalid(labels ? "no run is given" : "nothing is said of the run", "--label",
                   "say --label 3 --name baseline");
  if (o.label) {
    TRY_VOID(label_run(o));
  }
  TRY(const auto workspace, Workspace::open(o.db, true));
  TRY(const std::vector<RunSummary> runs, workspace->runs());
  const std::set<size_t> shown = matching(filter, runs, ranks_by_place(runs));
  TRY_VOID(print_text(o.json ? runs_json(runs, shown, order) : runs_text(runs, shown, order)));
  return kExitDone;
}

}  // namespace

Command add_runs_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("runs", "List a workspace's runs, the best first; name and tag them");
  auto o = std::make_shared<RunsOptions>();
  command->add_option("--db", o->db, "Workspace file")->type_name(kWorkspaceFile)->required();
  command->add_option("--filter", o->filter,
                      "Only runs that match, as in \"strategy:wang time<100us exposed>10% tag:paper\"");
  command->add_option("--sort", o->sort, "Column to sort by (default: x_best)");
  command->add_flag("--descending", o->descending, "The largest first");
  command->add_option("--group", o->group, "Column to group by, as in problem");
  command->add_option("--label", o->label, "The run that --name, --tag and --note are for");
  command->add_option("--name", o->name, "Its new name");
  command->add_option("--tag", o->tags, "Its new tags; several: --tag a --tag b");
  command->add_option("--note", o->note, "Its new note");
  command->add_flag("--json", o->json, "One JSON object on stdout");
  return [o](std::stop_token) { return list(*o); };
}

}  // namespace shardscope::inline cli
