// SPDX-License-Identifier: Apache-2.0
// What `gmm` and `tgmm` share: options, the problem they make, what is printed.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/grouped/expert_parallel.h"
#include "engine/grouped/gradient_run.h"

namespace CLI {
class App;
}

namespace shardscope::inline cli {

// As typed; unset ones take the files' or the default value.
struct GroupedCommandOptions {
  std::optional<int64_t> m, k, n;
  std::string group_sizes;
  std::optional<std::string> tile, tile_table;
  std::optional<std::string> dtype, lhs_dtype, rhs_dtype, out_dtype;
  std::optional<int64_t> group_offset, local_groups;
  bool transpose_rhs = false;
  std::optional<std::string> existing_out, lhs, rhs, out;
  bool vjp = false;
  std::optional<std::string> grad, lhs_grad_out, rhs_grad_out;
  std::optional<std::string> visit_empty;
  bool allow_short = false;
  std::optional<std::string> mesh, axis;
  std::string fill = "integers";
  uint64_t seed = 0;
  std::optional<double> rtol, atol;
  std::string numerics = "on";
  int threads = 0;
  bool json = false;
};

void add_grouped_options(CLI::App& command, GroupedCommandOptions& options, GroupedOp op);

// Reads the files. Errors name the option.
Result<GroupedProblem> make_grouped_problem(const GroupedCommandOptions& options, GroupedOp op);

// Runs and prints; the exit code.
Result<int> run_grouped_command(const GroupedCommandOptions& options, GroupedOp op,
                                const std::stop_token& stop);

// What is printed: the plan, what running it gave, and how a mesh shares the groups.
struct GroupedReport {
  const GroupedProblem& problem;
  GroupedEstimate estimate;
  std::optional<GroupedRun> run;  // none with --numerics off
  std::optional<ExpertParallel> experts;
  std::optional<bool> experts_equal;  // the shards together gave the same bits
  std::optional<GradientRun> gradients;
};
std::string grouped_text(const GroupedReport& report);
std::string grouped_json(const GroupedReport& report);

}  // namespace shardscope::inline cli
