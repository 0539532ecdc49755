// SPDX-License-Identifier: Apache-2.0
// The shard_map tutorial's first product (JAX documentation): the contraction is split over one axis, every
// device multiplies what it holds and the partial sums are added up.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

Result<Program> psum(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("psum", {"row", "col"}, mesh, options));
  SpmdBuilder b("psum", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("col", ""));

  b.phase("partial Y = X W");
  auto Y = matmul(X, W);
  b.phase("add Y up over " + b.axis("col"));
  return b.finish(b.all_reduce(Y, "col"), ArrayRole::product, {p.m, p.n}, P("row", ""));
}

}  // namespace

std::vector<Strategy> psum_strategies() {
  return {{"psum",
           {"matmul_basic"},
           StrategyKind::matmul,
           "Contraction split over the columns, then all-reduce",
           "JAX documentation, shard_map",
           {"rows divide m", "cols divide k"},
           {"axes"},
           {"row", "col"},
           psum}};
}

}  // namespace shardscope
