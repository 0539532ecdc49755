// SPDX-License-Identifier: Apache-2.0
// Y. Xu et al., "GSPMD: general and scalable parallelization for ML computation graphs", 2021: the matrix
// that stays is split over both axes; whole collectives move the other two, then one product. The names of
// the three dataflows (output, left, right stationary) are those of MeshSlice, ISCA 2025.
#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"

namespace shardscope {

// Y stays. X is gathered along its rows of devices, W along its columns.
Value collective_os(SpmdBuilder& b, Value X, Value W, const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  b.phase("gather " + x + " over " + b.axis(col));
  X = b.all_gather(X, col, 1);
  b.phase("gather " + w + " over " + b.axis(row));
  W = b.all_gather(W, row, 0);
  b.phase(y + " = " + x + " " + w);
  return matmul(X, W);
}

// X stays and W is stored transposed, [n,k]: W is gathered, partial sums of Y are scattered.
Value collective_ls(SpmdBuilder& b, Value X, Value W, const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  b.require_divisible(n, W.dim(0) * b.size(row), {col});

  b.phase("gather " + w + " over " + b.axis(row));
  W = b.all_gather(W, row, 0);
  b.phase("partial " + y + " = " + x + " " + w + "t");
  auto Y = einsum("mk,nk->mn", X, W);
  b.phase("scatter " + y + " over " + b.axis(col));
  return b.reduce_scatter(Y, col, 1);
}

// W stays and X is stored transposed, [k,m]: X is gathered, partial sums of Y are scattered.
Value collective_rs(SpmdBuilder& b, Value X, Value W, const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  b.require_divisible(m, X.dim(1) * b.size(col), {row});

  b.phase("gather " + x + " over " + b.axis(col));
  X = b.all_gather(X, col, 1);
  b.phase("partial " + y + " = " + x + "t " + w);
  auto Y = einsum("km,kn->mn", X, W);
  b.phase("scatter " + y + " over " + b.axis(row));
  return b.reduce_scatter(Y, row, 0);
}

namespace {

using CollectiveProduct = Value (*)(SpmdBuilder&, Value, Value, const ProductNames&);

template <CollectiveProduct product, Dataflow dataflow>
Result<Program> plan_collective(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  constexpr const char* kIds[] = {"collective.os", "collective.ls", "collective.rs"};
  return single_product(kIds[static_cast<size_t>(dataflow)], dataflow, mesh, p, options,
                        [](SpmdBuilder& b, Value X, Value W) { return product(b, X, W, {}); });
}

}  // namespace

std::vector<Strategy> collective_strategies() {
  const std::string_view paper = "GSPMD, Xu et al. 2021";
  return {
      {"collective.os",
       {"gspmd.os"},
       StrategyKind::matmul,
       "Gather X and W, multiply; Y stays",
       paper,
       {"rows divide m", "cols divide k", "rows divide k", "cols divide n"},
       {"axes"},
       {"row", "col"},
       plan_collective<collective_os, Dataflow::os>},
      {"collective.ls",
       {"gspmd.is"},
       StrategyKind::matmul,
       "Gather W, multiply, scatter Y; X stays",
       paper,
       {"rows divide m", "cols divide k", "rows divide n", "cols divide n"},
       {"axes"},
       {"row", "col"},
       plan_collective<collective_ls, Dataflow::ls>},
      {"collective.rs",
       {"gspmd.ws"},
       StrategyKind::matmul,
       "Gather X, multiply, scatter Y; W stays",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n"},
       {"axes"},
       {"row", "col"},
       plan_collective<collective_rs, Dataflow::rs>},
  };
}

}  // namespace shardscope
