// SPDX-License-Identifier: Apache-2.0
// The gathers of collective.os alone: what its communication costs without the product.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

Result<Program> gather_lhs(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("gather.lhs", {"row", "col"}, mesh, options));
  SpmdBuilder b("gather.lhs", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  b.phase("gather X over " + b.axis("col"));
  return b.finish(b.all_gather(X, "col", 1), ArrayRole::lhs, {p.m, p.k}, P("row", ""));
}

Result<Program> gather_rhs(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("gather.rhs", {"row", "col"}, mesh, options));
  SpmdBuilder b("gather.rhs", mesh, p, roles);
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  b.phase("gather W over " + b.axis("row"));
  return b.finish(b.all_gather(W, "row", 0), ArrayRole::rhs, {p.k, p.n}, P("", "col"));
}

}  // namespace

std::vector<Strategy> gather_strategies() {
  const std::string_view paper = "the gathers of GSPMD, Xu et al. 2021";
  return {{"gather.lhs",
           {},
           StrategyKind::part,
           "Only the gather of X over the columns",
           paper,
           {"rows divide m", "cols divide k"},
           {"axes"},
           {"row", "col"},
           gather_lhs},
          {"gather.rhs",
           {},
           StrategyKind::part,
           "Only the gather of W over the rows",
           paper,
           {"rows divide k", "cols divide n"},
           {"axes"},
           {"row", "col"},
           gather_rhs}};
}

}  // namespace shardscope
