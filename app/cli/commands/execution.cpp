// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "app/cli/options/backend_option.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/output/progress_line.h"

namespace shardscope::inline cli {

Result<ExecutionOptions> make_execution(const ExperimentOptions& options) {
  ExecutionOptions out;
  for (const Field& field : fields()) {
    const auto typed = options.fields.find(field.key);
    if (!field.execution || typed == options.fields.end()) continue;
    Result<void> fine = put(field, out, typed->second);
    if (fine.ok()) fine = check_range(field, typed->second);
    if (!fine.ok()) return placed(fine.error(), "--" + field.key);
  }
  out.ranks = joined_ranks();
  if (!options.db.empty()) {
    TRY(out.workspace, Workspace::open(options.db));
  }
  if (auto shower = ProgressLine(!options.quiet && !options.json).shower())
    out.progress = [shower = std::move(shower)](const Progress& p) { shower(p.what, p.fraction); };
  return out;
}

Result<void> finish_execution(const ExecutionOptions& execution, std::vector<RunPtr>& runs) {
  ProgressLine(execution.progress != nullptr).clear();
  return execution.workspace ? wait_for_record(*execution.workspace, runs) : Result<void>();
}

Result<void> wait_for_record(Workspace& workspace, std::vector<RunPtr>& runs) {
  Result<void> recorded = workspace.wait();
  if (recorded.ok()) return recorded;
  std::set<int64_t> there;
  if (const auto listed = workspace.runs(); listed.ok())
    for (const RunSummary& run : *listed) there.insert(run.id);
  for (RunPtr& run : runs) {
    if (!run->id || there.count(*run->id) > 0) continue;
    auto lost = std::make_shared<Run>(*run);
    lost->id.reset();
    run = std::move(lost);
  }
  return recorded;
}

}  // namespace shardscope::inline cli
