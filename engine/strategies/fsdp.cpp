// SPDX-License-Identifier: Apache-2.0
// S. Rajbhandari et al., "ZeRO: memory optimizations toward training trillion parameter models", 2020, stage
// 3; PyTorch calls it fully sharded data parallel. Each device keeps 1/n of the weights and its rows of the
// batch; weights are gathered to be used, gradients scattered to be kept. Per layer and step forward,
// backward and gradient send 3 (n-1)/n of the weights.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

Result<Program> fsdp_forward(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("fsdp.forward", {"row"}, mesh, options));
  SpmdBuilder b("fsdp.forward", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", ""));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", ""));

  b.phase("gather W over " + b.axis("row"));
  W = b.all_gather(W, "row", 0);
  b.phase("rows of Y = X W");
  return b.finish(matmul(X, W), ArrayRole::product, {p.m, p.n}, P("row", ""));
}

// The product is dW = Xt dY: k counts the rows of the batch, m and n are the sides of W.
Result<Program> fsdp_gradient(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("fsdp.gradient", {"row"}, mesh, options));
  SpmdBuilder b("fsdp.gradient", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.k, p.m}, P("row", ""), /*transposed=*/true);
  auto dY = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", ""));
  b.require_divisible("m", p.m, {"row"});

  b.phase("dW of the own rows of the batch");
  auto dW = einsum("km,kn->mn", X, dY);
  b.phase("scatter dW over " + b.axis("row"));
  return b.finish(b.reduce_scatter(dW, "row", 0), ArrayRole::product, {p.m, p.n}, P("row", ""));
}

}  // namespace

std::vector<Strategy> fsdp_strategies() {
  const std::string_view paper = "ZeRO stage 3, Rajbhandari et al. 2020";
  return {
      {"fsdp.forward",
       {"zero3.forward"},
       StrategyKind::matmul,
       "Rows of the batch split, weights gathered to be used",
       paper,
       {"rows divide m", "rows divide k"},
       {"axes"},
       {"row"},
       fsdp_forward},
      {"fsdp.gradient",
       {"zero3.gradient"},
       StrategyKind::matmul,
       "Gradient of the weights summed over the batch, each device keeps its part",
       paper,
       {"rows divide k", "rows divide m"},
       {"axes"},
       {"row"},
       fsdp_gradient},
  };
}

}  // namespace shardscope
