// SPDX-License-Identifier: Apache-2.0
// Y. Xu et al., "GSPMD: general and scalable parallelization for ML computation graphs", 2021: the matrix
// that stays is split over both axes; whole collectives move the other two, then one product. The names of
// the three dataflows (output, left, right stationary) are those of MeshSlice, ISCA 2025.
#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {

// Y stays. X is gathered along its rows of devices, W along its columns.
Value collective_os(SpmdBuilder& b, const StrategyOptions&, Value X, Value W, const ProductNames& names) {
  X = b.all_gather(X, names.col, 1);
  W = b.all_gather(W, names.row, 0);
  return matmul(X, W);
}

// X stays and W is stored transposed, [n,k]: W is gathered, partial sums of Y are scattered.
Value collective_ls(SpmdBuilder& b, const StrategyOptions&, Value X, Value W, const ProductNames& names) {
  b.require_divisible(names.n, W.dim(0) * b.size(names.row), {names.col});
  W = b.all_gather(W, names.row, 0);
  auto Y = einsum("mk,nk->mn", X, W);
  return b.reduce_scatter(Y, names.col, 1);
}

// W stays and X is stored transposed, [k,m]: X is gathered, partial sums of Y are scattered.
Value collective_rs(SpmdBuilder& b, const StrategyOptions&, Value X, Value W, const ProductNames& names) {
  b.require_divisible(names.m, X.dim(1) * b.size(names.col), {names.row});
  X = b.all_gather(X, names.col, 1);
  auto Y = einsum("km,kn->mn", X, W);
  return b.reduce_scatter(Y, names.row, 0);
}

std::vector<Strategy> collective_strategies() {
  const Family f{"GSPMD, Xu et al. 2021", {"row", "col"}};
  return {
      f.matmul({"collective.os", "gspmd.os"}, "Gather X and W, multiply; Y stays",
               single<Dataflow::os, collective_os>),
      f.matmul({"collective.ls", "gspmd.is"}, "Gather W, multiply, scatter Y; X stays",
               single<Dataflow::ls, collective_ls>),
      f.matmul({"collective.rs", "gspmd.ws"}, "Gather X, multiply, scatter Y; W stays",
               single<Dataflow::rs, collective_rs>),
  };
}

}  // namespace shardscope::inline strategy
