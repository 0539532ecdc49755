// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/experiment_options.h"

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
  out.numerics = options.numerics == "on";
  out.numerics_options.rtol = options.rtol;
  out.numerics_options.atol = options.atol;
  out.numerics_options.repeat = options.repeat;
  out.numerics_options.warmup = options.warmup;
  out.threads = options.threads;
  if (!options.db.empty()) {
    TRY(out.workspace, Workspace::open(options.db));
  }
  if (!options.quiet && !options.json && isatty(STDERR_FILENO)) {
    out.progress = [](const Progress& p) {
      std::fprintf(stderr, "\r\033[K%3.0f %%  %s", p.fraction * 100, p.what.c_str());
      std::fflush(stderr);
    };
  }
  return out;
}

Result<void> finish_execution(const ExecutionOptions& execution) {
  if (execution.progress) std::fprintf(stderr, "\r\033[K");
  if (execution.workspace) return execution.workspace->wait();
  return {};
}

}  // namespace shardscope
