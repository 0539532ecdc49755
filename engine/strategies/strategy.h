// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/mesh.h"
#include "engine/program/ir/problem.h"
#include "engine/program/ir/program.h"
#include "engine/sharding/partition_spec.h"

namespace shardscope::inline program {
class SpmdBuilder;
}  // namespace shardscope::inline program

namespace shardscope::inline strategy {

// What a user may set beside mesh and problem. A strategy ignores what is not in its `options`.
struct StrategyOptions {
  std::map<std::string, std::string> axes;  // --axes row=b,col=a: role -> axis name
  std::optional<int64_t> slices;            // meshslice; unset: the largest legal S <= 8
  std::optional<int64_t> block;     // unset: the largest legal b <= 8 (meshslice), <= 512 (panels of summa)
  std::optional<int64_t> prefetch;  // meshslice: slices on their way or in use at a time; unset: 2
  std::optional<int64_t> experts;   // moe.expert_parallel; unset: two for each device
  std::optional<PartitionSpec> in_lhs, in_rhs, out;  // strategies that re-plan for given shardings
  size_t alternative = 0;                            // which of Strategy::plans; nobody asks for it by name
  bool operator==(const StrategyOptions&) const = default;
};

// matmul: gives Y and is ranked. part: a piece of one, a baseline. example: has a reference of its own.
// broken: wrong on purpose, runs only when named.
enum class StrategyKind { matmul, part, example, broken };
const char* name(StrategyKind kind);

// Writes the program of a strategy into a builder that knows mesh, problem and roles.
using WriteStrategy = Result<Program> (*)(SpmdBuilder&, const StrategyOptions&);
// How many plans a strategy has for what is asked; what is refused has none.
using CountPlans = size_t (*)(SpmdBuilder&, const StrategyOptions&);

struct Strategy {
  std::string_view id;                    // "wang.os"
  std::vector<std::string_view> aliases;  // {"wang.is"}
  StrategyKind kind;
  std::string_view title;                 // one line for people
  std::string_view paper;                 // where it comes from
  std::vector<std::string_view> roles;    // "row", "col": filled by the mesh's axes in order
  std::vector<std::string_view> options;  // those it reads: "slices", "block", "axes", "in-lhs", …
  WriteStrategy write;
  size_t fewest_axes;          // of the mesh; what roles are beyond them may stay unfilled
  CountPlans plans = nullptr;  // null: one, whatever is asked

  // Told to stop, one of many steps ends in the middle: an error, cancelled.
  Result<Program> plan(const Mesh& mesh, const MatmulProblem& problem, const StrategyOptions& given,
                       const std::stop_token& stop = {}) const;
  // Its plans for what is asked, most promising first, `most` at most; which is fastest a chip decides. Those
  // that sizes do not allow are left out; the error is the first's.
  Result<std::vector<Program>> alternatives(const Mesh& mesh, const MatmulProblem& problem,
                                            const StrategyOptions& given, size_t most,
                                            const std::stop_token& stop = {}) const;
};

std::span<const Strategy> strategies();  // in display order
// What a strategy of several products computes ("H[m,n] = relu(X[m,k] W[k,n])", …), as its program defines
// it; by id; empty of one product.
const std::vector<std::string>& formulas_of(std::string_view strategy);
// "k/cols even": what a builder is required to check on small meshes, by planning on them.
std::vector<std::string> needs_of(const Strategy& strategy);
// By id or alias; an unknown name is an error that offers the nearest.
Result<const Strategy*> find_strategy(std::string_view id_or_alias);

// role -> axis of `mesh` for a strategy's roles: by position, then overridden by `options.axes`. Refuses too
// few axes ("wang.os: needs 2 mesh axes (row, col), got x=4"), unknown roles and axes, one axis for two
// roles.
Result<std::map<std::string, std::string>> assign_roles(std::string_view strategy,
                                                        const std::vector<std::string_view>& roles,
                                                        const Mesh& mesh, const StrategyOptions& options);

}  // namespace shardscope::inline strategy
