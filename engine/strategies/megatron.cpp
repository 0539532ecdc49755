// SPDX-License-Identifier: Apache-2.0
// M. Shoeybi et al., "Megatron-LM: training multi-billion parameter language models using model parallelism",
// 2019: one weight matrix split over one axis. Activations are whole on every device where nothing else is
// said; column before row needs no communication between the two.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

// Every device makes its columns of Y from all of X. (Backward, dX is added up over the axis.)
Result<Program> megatron_column(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("megatron.column", {"row"}, mesh, options));
  SpmdBuilder b("megatron.column", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("", ""));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("", "row"));

  b.phase("columns of Y = X W");
  return b.finish(matmul(X, W), ArrayRole::product, {p.m, p.n}, P("", "row"));
}

// The contraction is split: columns of X, as megatron.column left them, with rows of W.
Result<Program> megatron_row(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("megatron.row", {"row"}, mesh, options));
  SpmdBuilder b("megatron.row", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("", "row"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", ""));

  b.phase("partial Y = X W");
  auto Y = matmul(X, W);
  b.phase("add Y up over " + b.axis("row"));
  return b.finish(b.all_reduce(Y, "row"), ArrayRole::product, {p.m, p.n}, P("", ""));
}

}  // namespace

std::vector<Strategy> megatron_strategies() {
  const std::string_view paper = "Megatron-LM, Shoeybi et al. 2019";
  return {
      {"megatron.column",
       {},
       StrategyKind::matmul,
       "X everywhere, columns of W split: no communication",
       paper,
       {"rows divide n"},
       {"axes"},
       {"row"},
       megatron_column},
      {"megatron.row",
       {},
       StrategyKind::matmul,
       "Contraction split as megatron.column leaves it, then all-reduce",
       paper,
       {"rows divide k"},
       {"axes"},
       {"row"},
       megatron_row},
  };
}

}  // namespace shardscope
