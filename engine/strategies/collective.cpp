// SPDX-License-Identifier: Apache-2.0
// Y. Xu et al., "GSPMD: general and scalable parallelization for ML computation graphs", 2021: the matrix
// that stays is split over both axes; whole collectives move the other two, then one product. The names of
// the three dataflows (output, left, right stationary) are those of MeshSlice, ISCA 2025.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

// Y stays. X is gathered along its rows of devices, W along its columns.
Result<Program> collective_os(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("collective.os", {"row", "col"}, mesh, options));
  SpmdBuilder b("collective.os", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));

  b.phase("gather X over " + b.axis("col"));
  X = b.all_gather(X, "col", 1);
  b.phase("gather W over " + b.axis("row"));
  W = b.all_gather(W, "row", 0);
  b.phase("Y = X W");
  return b.finish(matmul(X, W), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// X stays and W is stored transposed, [n,k]: W is gathered, partial sums of Y are scattered.
Result<Program> collective_ls(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("collective.ls", {"row", "col"}, mesh, options));
  SpmdBuilder b("collective.ls", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.n, p.k}, P("row", "col"), /*transposed=*/true);
  b.require_divisible("n", p.n, {"col"});

  b.phase("gather W over " + b.axis("row"));
  W = b.all_gather(W, "row", 0);
  b.phase("partial Y = X Wt");
  auto Y = einsum("mk,nk->mn", X, W);
  b.phase("scatter Y over " + b.axis("col"));
  return b.finish(b.reduce_scatter(Y, "col", 1), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// W stays and X is stored transposed, [k,m]: X is gathered, partial sums of Y are scattered.
Result<Program> collective_rs(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("collective.rs", {"row", "col"}, mesh, options));
  SpmdBuilder b("collective.rs", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.k, p.m}, P("row", "col"), /*transposed=*/true);
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  b.require_divisible("m", p.m, {"row"});

  b.phase("gather X over " + b.axis("col"));
  X = b.all_gather(X, "col", 1);
  b.phase("partial Y = Xt W");
  auto Y = einsum("km,kn->mn", X, W);
  b.phase("scatter Y over " + b.axis("row"));
  return b.finish(b.reduce_scatter(Y, "row", 0), ArrayRole::product, {p.m, p.n}, P("row", "col"));
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
       collective_os},
      {"collective.ls",
       {"gspmd.is"},
       StrategyKind::matmul,
       "Gather W, multiply, scatter Y; X stays",
       paper,
       {"rows divide m", "cols divide k", "rows divide n", "cols divide n"},
       {"axes"},
       {"row", "col"},
       collective_ls},
      {"collective.rs",
       {"gspmd.ws"},
       StrategyKind::matmul,
       "Gather X, multiply, scatter Y; W stays",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n"},
       {"axes"},
       {"row", "col"},
       collective_rs},
  };
}

}  // namespace shardscope
