// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/experiment_options.h"
#include "app/cli/output/progress_line.h"

namespace shardscope {

Result<ExecutionOptions> make_execution(const ExperimentOptions& options) {
  ExecutionOptions out;
  for (const Field& field : fields()) {
    const auto typed = options.fields.find(field.key);
    if (!field.execution || typed == options.fields.end()) continue;
    Result<void> fine = put(field, out, typed->second);
    if (fine.ok()) fine = check_range(field, typed->second);
    if (!fine.ok()) return placed(fine.error(), "--" + field.key);
  }
  if (!options.db.empty()) {
    TRY(out.workspace, Workspace::open(options.db));
  }
  if (auto shower = ProgressLine(!options.quiet && !options.json).shower())
    out.progress = [shower = std::move(shower)](const Progress& p) { shower(p.what, p.fraction); };
  return out;
}

Result<void> finish_execution(const ExecutionOptions& execution) {
  ProgressLine(execution.progress != nullptr).clear();
  if (execution.workspace) return execution.workspace->wait();
  return {};
}

}  // namespace shardscope
