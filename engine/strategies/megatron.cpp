// SPDX-License-Identifier: Apache-2.0
// M. Shoeybi et al., "Megatron-LM: training multi-billion parameter language models using model parallelism",
// 2019: one weight matrix split over one axis. Activations are whole on every device where nothing else is
// said; column before row needs no communication between the two.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

// Every device makes its columns of Y from all of X. (Backward, dX is added up over the axis.)
Result<Program> megatron_column(SpmdBuilder& b, const StrategyOptions&) {
  auto X = b.lhs("mk", P("", ""));
  auto W = b.rhs("kn", P("", "row"));
  b.phase("columns of Y = X W");
  return b.finish(matmul(X, W), P("", "row"));
}

// The contraction is split: columns of X, as megatron.column left them, with rows of W.
Result<Program> megatron_row(SpmdBuilder& b, const StrategyOptions&) {
  auto X = b.lhs("mk", P("", "row"));
  auto W = b.rhs("kn", P("row", ""));
  auto Y = matmul(X, W);
  return b.finish(b.all_reduce(Y, "row"), P("", ""));
}

}  // namespace

std::vector<Strategy> megatron_strategies() {
  const Family f{"Megatron-LM, Shoeybi et al. 2019", {"row"}};
  return {
      f.matmul({"megatron.column"}, "X everywhere, columns of W split: no communication", megatron_column),
      f.matmul({"megatron.row"}, "Contraction split as megatron.column leaves it, then all-reduce",
               megatron_row),
  };
}

}  // namespace shardscope::inline strategy
