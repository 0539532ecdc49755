// SPDX-License-Identifier: Apache-2.0
// M. Shoeybi et al., "Megatron-LM", 2019: a network's MLP as a column-split layer, an activation and a
// row-split layer, with one sum over the axis; V. Korthikanti et al., "Reducing activation recomputation in
// large transformer models", 2022: tokens stay split outside, so that the sum becomes a gather before and a
// scatter after.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

void define_mlp(SpmdBuilder& b) {
  b.define("H[m,n] = relu(X[m,k] W[k,n])");
  b.define("Y[m,j] = H[m,n] W2[n,j]");
}

// Columns of W and rows of W2: what a device makes of H is what it needs of it.
Value partial_mlp(SpmdBuilder& b, Value X, Value W, Value W2) {
  b.phase("columns of H = relu(X W)");
  auto H = b.stored(b.relu(matmul(X, W)));
  b.phase("partial Y = H W2");
  return matmul(H, W2);
}

Result<Program> megatron_mlp(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("megatron.mlp", {"row"}, mesh, options));
  SpmdBuilder b("megatron.mlp", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("", ""));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("", "row"));
  auto W2 = b.operand("W2", {p.n, p.k}, P("row", ""));
  define_mlp(b);

  auto Y = partial_mlp(b, X, W, W2);
  b.phase("add Y up over " + b.axis("row"));
  return b.finish(b.all_reduce(Y, "row"), ArrayRole::product, {p.m, p.k}, P("", ""));
}

Result<Program> megatron_sequence(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("megatron.sequence", {"row"}, mesh, options));
  SpmdBuilder b("megatron.sequence", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", ""));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("", "row"));
  auto W2 = b.operand("W2", {p.n, p.k}, P("row", ""));
  define_mlp(b);

  b.phase("gather rows of X over " + b.axis("row"));
  X = b.all_gather(X, "row", 0);
  auto Y = partial_mlp(b, X, W, W2);
  b.phase("scatter rows of Y over " + b.axis("row"));
  return b.finish(b.reduce_scatter(Y, "row", 0), ArrayRole::product, {p.m, p.k}, P("row", ""));
}

}  // namespace

std::vector<Strategy> megatron_mlp_strategies() {
  return {
      {"megatron.mlp",
       {},
       StrategyKind::example,
       "MLP: column-split, relu, row-split, one all-reduce",
       "Megatron-LM, Shoeybi et al. 2019",
       {"rows divide n, the hidden size", "second layer [n,k]"},
       {"axes"},
       {"row"},
       megatron_mlp},
      {"megatron.sequence",
       {},
       StrategyKind::example,
       "MLP with tokens split outside: gathered before, scattered after",
       "Korthikanti et al. 2022",
       {"rows divide m", "rows divide n, the hidden size", "second layer [n,k]"},
       {"axes"},
       {"row"},
       megatron_sequence},
  };
}

}  // namespace shardscope
