// SPDX-License-Identifier: Apache-2.0
// S. Rajbhandari et al., "ZeRO: memory optimizations toward training trillion parameter models", 2020, stage
// 3; PyTorch calls it fully sharded data parallel. Each device keeps 1/n of the weights and its rows of the
// batch; weights are gathered to be used, gradients scattered to be kept. Per layer and step forward,
// backward and gradient send 3 (n-1)/n of the weights.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

Result<Program> fsdp_forward(SpmdBuilder& b, const StrategyOptions&) {
  auto X = b.lhs("mk", P("row", ""));
  auto W = b.rhs("kn", P("row", ""));
  W = b.all_gather(W, "row", 0);
  b.phase("rows of Y = X W");
  return b.finish(matmul(X, W), P("row", ""));
}

// The batch and the weights over every device of the mesh: one gather over both axes at once, which goes
// along the axes one after the other, both ways round all of them, or within nodes and then across them.
Result<Program> fsdp_mesh(SpmdBuilder& b, const StrategyOptions&) {
  const PartitionSpec rows{{{"row", "col"}, {}}};
  auto X = b.lhs("mk", rows);
  auto W = b.rhs("kn", rows);
  W = b.all_gather(W, SpmdBuilder::Roles{"row", "col"}, 0);
  b.phase("rows of Y = X W");
  return b.finish(matmul(X, W), rows);
}

// The product is dW = Xt dY: k counts the rows of the batch, m and n are the sides of W.
Result<Program> fsdp_gradient(SpmdBuilder& b, const StrategyOptions&) {
  auto X = b.lhs("km", P("row", ""));
  auto dY = b.rhs("kn", P("row", ""));
  b.require_divisible("m", b.problem().m, {"row"});

  b.phase("dW of the own rows of the batch");
  auto dW = einsum("km,kn->mn", X, dY);
  b.phase("scatter dW over " + b.axis("row"));
  return b.finish(b.reduce_scatter(dW, "row", 0), P("row", ""));
}

}  // namespace

std::vector<Strategy> fsdp_strategies() {
  const Family f{"ZeRO stage 3, Rajbhandari et al. 2020", {"row"}};
  const Family over_mesh{f.paper, {"row", "col"}};
  return {
      f.matmul({"fsdp.forward", "zero3.forward"}, "Rows of the batch split, weights gathered to be used",
               fsdp_forward),
      f.matmul({"fsdp.gradient", "zero3.gradient"},
               "Gradient of the weights summed over the batch, each device keeps its part", fsdp_gradient),
      over_mesh.matmul({"fsdp.mesh"}, "Batch and weights over all devices, one gather over both axes",
                       fsdp_mesh),
  };
}

}  // namespace shardscope::inline strategy
