// SPDX-License-Identifier: Apache-2.0
// The gathers of collective.os alone: what its communication costs without the product.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

Result<Program> gather_lhs(SpmdBuilder& b, const StrategyOptions&) {
  auto X = b.lhs("mk", P("row", "col"));
  return b.finish(b.all_gather(X, "col", 1), ArrayRole::lhs, {b.problem().m, b.problem().k}, P("row", ""));
}

Result<Program> gather_rhs(SpmdBuilder& b, const StrategyOptions&) {
  auto W = b.rhs("kn", P("row", "col"));
  return b.finish(b.all_gather(W, "row", 0), ArrayRole::rhs, {b.problem().k, b.problem().n}, P("", "col"));
}

}  // namespace

std::vector<Strategy> gather_strategies() {
  const Family f{"the gathers of GSPMD, Xu et al. 2021", {"row", "col"}};
  return {f.part({"gather.lhs"}, "Only the gather of X over the columns", gather_lhs),
          f.part({"gather.rhs"}, "Only the gather of W over the rows", gather_rhs)};
}

}  // namespace shardscope::inline strategy
