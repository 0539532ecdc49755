// SPDX-License-Identifier: Apache-2.0
// The shard_map tutorial's lesson (JAX documentation) that a function of every block is not the function of
// the whole: xᵀx of each device's rows, stacked.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

// x is the right operand: W[k,n] is the array that is stored as it is filled.
Result<Program> blockwise_gram(SpmdBuilder& b, const StrategyOptions&) {
  const auto [m, n] = std::pair{b.problem().m, b.problem().n};
  b.require(n == m, "n must equal m, got m=" + std::to_string(m) + ", n=" + std::to_string(n));
  auto x = b.rhs("kn", P("row", ""));
  b.phase("xt x of every block");
  return b.finish(einsum("km,kn->mn", x, x), ArrayRole::block_gram, {b.size("row") * m, m}, P("row", ""));
}

}  // namespace

std::vector<Strategy> blockwise_strategies() {
  const Family f{"JAX documentation, shard_map", {"row"}};
  return {f.example({"blockwise.gram", "check_shmap"}, "xᵀx of every device's own rows, stacked",
                    blockwise_gram)};
}

}  // namespace shardscope::inline strategy
