// SPDX-License-Identifier: Apache-2.0
// M. Shoeybi et al., "Megatron-LM", 2019: a network's MLP as a column-split layer, an activation and a
// row-split layer, with one sum over the axis; V. Korthikanti et al., "Reducing activation recomputation in
// large transformer models", 2022: tokens stay split outside, so that the sum becomes a gather before and a
// scatter after.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

// Columns of W and rows of W2: what a device makes of H is what it needs of it.
Value partial_mlp(SpmdBuilder& b, Value X, Value W, Value W2) {
  b.define("H[m,n] = relu(X[m,k] W[k,n])");
  b.define("Y[m,j] = H[m,n] W2[n,j]");
  b.phase("columns of H = relu(X W)");
  auto H = b.stored(b.relu(matmul(X, W)));
  b.phase("partial Y = H W2");
  return matmul(H, W2);
}

Result<Program> megatron_mlp(SpmdBuilder& b, const StrategyOptions&) {
  auto X = b.lhs("mk", P("", ""));
  auto W = b.rhs("kn", P("", "row"));
  auto W2 = b.operand("W2", "nk", P("row", ""));
  auto Y = partial_mlp(b, X, W, W2);
  b.phase("add Y up over " + b.axis("row"));
  return b.finish(b.all_reduce(Y, "row"), "mk", P("", ""));
}

Result<Program> megatron_sequence(SpmdBuilder& b, const StrategyOptions&) {
  auto X = b.lhs("mk", P("row", ""));
  auto W = b.rhs("kn", P("", "row"));
  auto W2 = b.operand("W2", "nk", P("row", ""));
  b.phase("gather rows of X over " + b.axis("row"));
  X = b.all_gather(X, "row", 0);
  auto Y = partial_mlp(b, X, W, W2);
  b.phase("scatter rows of Y over " + b.axis("row"));
  return b.finish(b.reduce_scatter(Y, "row", 0), "mk", P("row", ""));
}

}  // namespace

std::vector<Strategy> megatron_mlp_strategies() {
  const Family f{"Megatron-LM, Shoeybi et al. 2019", {"row"}}, tokens{"Korthikanti et al. 2022", {"row"}};
  return {
      f.example({"megatron.mlp"}, "MLP: column-split, relu, row-split, one all-reduce", megatron_mlp),
      tokens.example({"megatron.sequence"}, "MLP with tokens split outside: gathered before, scattered after",
                     megatron_sequence),
  };
}

}  // namespace shardscope::inline strategy
