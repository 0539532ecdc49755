// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/options/experiment_options.h"
#include "app/cli/output/progress_line.h"

namespace shardscope {

Result<ExecutionOptions> make_execution(const ExperimentOptions& options) {
  ExecutionOptions out;
  if (options.numerics != "on" && options.numerics != "off") {
    return invalid(fmt::format("expected on or off, got '{}'", options.numerics), "--numerics");
  }
  if (options.repeat < 0 || options.repeat > 1'000'000) {
    return invalid(fmt::format("expected 0 to 1000000, got {}", options.repeat), "--repeat");
  }
  if (options.warmup < 0 || options.warmup > 1'000'000) {
    return invalid(fmt::format("expected 0 to 1000000, got {}", options.warmup), "--warmup");
  }
  if (options.threads < 0 || options.threads > 1024) {
    return invalid(fmt::format("expected 1 to 1024, got {}", options.threads), "--threads");
  }
  TRY(out.kernel_timing, kernels::parse_kernel_timing(options.kernels));
  out.numerics = options.numerics == "on";
  out.numerics_options.rtol = options.rtol;
  out.numerics_options.atol = options.atol;
  out.numerics_options.repeat = options.repeat;
  out.numerics_options.warmup = options.warmup;
  out.threads = options.threads;
  if (options.events == "all") out.most_events = 0;
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
