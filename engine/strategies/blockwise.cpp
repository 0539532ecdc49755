// SPDX-License-Identifier: Apache-2.0
// The shard_map tutorial's lesson (JAX documentation) that a function of every block is not the function of
// the whole: xᵀx of each device's rows, stacked.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

Result<Program> blockwise_gram(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("blockwise.gram", {"row"}, mesh, options));
  SpmdBuilder b("blockwise.gram", mesh, p, roles);
  b.require(p.n == p.m, "n must equal m, got m=" + std::to_string(p.m) + ", n=" + std::to_string(p.n));
  auto x = b.input(ArrayRole::lhs, {p.k, p.m}, P("row", ""), /*transposed=*/true);
  b.phase("xt x of every block");
  return b.finish(einsum("km,kn->mn", x, x), ArrayRole::block_gram, {b.size("row") * p.m, p.m}, P("row", ""));
}

}  // namespace

std::vector<Strategy> blockwise_strategies() {
  return {{"blockwise.gram",
           {"check_shmap"},
           StrategyKind::example,
           "xᵀx of every device's own rows, stacked",
           "JAX documentation, shard_map",
           {"n equals m", "rows divide k"},
           {"axes"},
           {"row"},
           blockwise_gram}};
}

}  // namespace shardscope
