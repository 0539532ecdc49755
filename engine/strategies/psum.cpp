// SPDX-License-Identifier: Apache-2.0
// The shard_map tutorial's first product (JAX documentation): the contraction is split over one axis, every
// device multiplies what it holds and the partial sums are added up.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

Result<Program> psum(SpmdBuilder& b, const StrategyOptions&) {
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("col", ""));
  auto Y = matmul(X, W);
  return b.finish(b.all_reduce(Y, "col"), P("row", ""));
}

}  // namespace

std::vector<Strategy> psum_strategies() {
  const Family f{"JAX documentation, shard_map", {"row", "col"}};
  return {f.matmul({"psum", "matmul_basic"}, "Contraction split over the columns, then all-reduce", psum)};
}

}  // namespace shardscope::inline strategy
