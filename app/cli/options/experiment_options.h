// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/session/session.h"

namespace CLI {
class App;
}

namespace shardscope {

// The options that `run` and `sweep` share, as they were typed; unset ones leave the preset's or the default
// value.
struct ExperimentOptions {
  std::string preset;
  std::optional<std::string> mesh, wrap, device_order, axes;
  std::optional<int64_t> m, k, n, slices, block, experts;
  std::optional<std::string> dtype, accumulate, hardware, overlap, collective, fill;
  std::vector<std::string> slow_devices, slow_links;
  std::optional<uint64_t> seed;
  std::optional<std::string> in_lhs, in_rhs, out_spec;
  std::optional<std::string> lhs, rhs;
  std::optional<double> rtol, atol;
  std::optional<std::string> reference;
  std::string numerics = "on";
  std::string kernels = "off";
  std::string events = "auto";
  int64_t repeat = 1;
  int64_t warmup = 0;
  int threads = 0;
  std::string db;
  bool json = false;
  bool quiet = false;
};

void add_experiment_options(CLI::App& command, ExperimentOptions& options);

// The preset (if any) with what was typed laid over it; every run gets the strategy options. `lhs`, `rhs` are
// not looked at. Missing sizes are taken from `sizes`, then refused.
struct KnownSizes {
  std::optional<int64_t> m, k, n;
  std::optional<ElementType> dtype;
};
Result<Experiment> make_experiment(const ExperimentOptions& options, const KnownSizes& sizes);
// --mesh, --wrap and --device-order over `base`.
Result<Mesh> make_mesh(const ExperimentOptions& options, const Mesh& base);
// The options a strategy reads, over `base`.
Result<StrategyOptions> make_strategy_options(const ExperimentOptions& options, StrategyOptions base);

// Opens --db; progress goes to stderr when that is a terminal.
Result<ExecutionOptions> make_execution(const ExperimentOptions& options);
// Ends the progress line and waits for the record.
Result<void> finish_execution(const ExecutionOptions& execution);

// --lhs and --rhs in X[m,k], W[k,n] orientation, and the sizes they fix. Disagreement with m, k, n is
// refused.
struct UserArrays {
  std::optional<Array> lhs, rhs;
  KnownSizes sizes;
};
Result<UserArrays> read_user_arrays(const ExperimentOptions& options, const StoredOrientation& stored);

}  // namespace shardscope
