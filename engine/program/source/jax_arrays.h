// SPDX-License-Identifier: Apache-2.0
// How arrays go into and come out of shard_map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// An array on the outside of shard_map: its global shape and PartitionSpec, and what is done inside with the
// shard. Without an ArrayInfo, and of partial sums, each device has its own along a first dimension.
struct JaxArray {
  std::string name;  // in Python
  Shape shard;       // on a device
  std::optional<ArrayInfo> info;

  std::string spec(const Mesh& mesh) const;   // "P(\"row\", None)"
  std::string made(const Mesh& mesh) const;   // random small integers of the global shape
  std::vector<std::string> entering() const;  // lines: from the shard to what a device has
  std::string leaving() const;                // an expression: the other way
  bool stacked() const { return !info || !info->unreduced.empty(); }
};

// By parameter number, and the leaves of the result.
std::vector<JaxArray> jax_parameters(const Program& program);
std::vector<JaxArray> jax_results(const Program& program);

// Lines of the main part that hold the outputs against NumPy; empty: the program does not say what they are.
std::vector<std::string> jax_check(const Program& program, const std::vector<JaxArray>& parameters,
                                   const std::vector<JaxArray>& results);

}  // namespace shardscope::inline program
