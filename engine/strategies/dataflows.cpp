// SPDX-License-Identifier: Apache-2.0
#include "engine/strategies/dataflows.h"

namespace shardscope {

std::string choice_name(const char* option, const ProductNames& names) {
  return names.y == "Y" ? option : option + ("." + names.y);
}

Result<Program> single_product(std::string_view id, Dataflow dataflow, const Mesh& mesh,
                               const MatmulProblem& p, const StrategyOptions& options,
                               const std::function<Value(SpmdBuilder&, Value X, Value W)>& product) {
  TRY(auto roles, assign_roles(id, {"row", "col"}, mesh, options));
  SpmdBuilder b(std::string(id), mesh, p, roles);
  const bool ls = dataflow == Dataflow::ls, rs = dataflow == Dataflow::rs;
  auto X = b.input(ArrayRole::lhs, rs ? std::vector{p.k, p.m} : std::vector{p.m, p.k}, P("row", "col"), rs);
  auto W = b.input(ArrayRole::rhs, ls ? std::vector{p.n, p.k} : std::vector{p.k, p.n}, P("row", "col"), ls);
  return b.finish(product(b, X, W), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

}  // namespace shardscope
