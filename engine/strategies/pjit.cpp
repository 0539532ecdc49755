// SPDX-License-Identifier: Apache-2.0
// Irhum Shafkat, "Tensor Parallelism with jax.pjit", 2022: a product of two arrays as they lie, partitioned
// from their specs alone. Four ways to lie; with other specs the same planner takes over.
#include "engine/strategies/families.h"
#include "engine/strategies/sharded_matmul.h"

namespace shardscope {
namespace {

// Role names -> axes of the mesh.
PartitionSpec on_axes(PartitionSpec spec, const std::map<std::string, std::string>& roles) {
  for (auto& dim : spec.dims) {
    for (std::string& axis : dim) axis = roles.at(axis);
  }
  return spec;
}

Result<Program> pjit(const char* id, const PartitionSpec& lhs, const PartitionSpec& rhs, const Mesh& mesh,
                     const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles(id, {"a", "b"}, mesh, options));
  SpmdBuilder b(id, mesh, p);
  return sharded_matmul(b, p, options.in_lhs.value_or(on_axes(lhs, roles)),
                        options.in_rhs.value_or(on_axes(rhs, roles)), options.out);
}

Result<Program> pjit_inner(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  return pjit("pjit.inner", P("", "a"), P("a", ""), mesh, p, options);
}

Result<Program> pjit_mismatch(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  return pjit("pjit.mismatch", P("", "a"), P("b", ""), mesh, p, options);
}

Result<Program> pjit_outer(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  return pjit("pjit.outer", P("b", "a"), P("b", ""), mesh, p, options);
}

Result<Program> pjit_full(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  return pjit("pjit.full", P("b", "a"), P("b", "a"), mesh, p, options);
}

}  // namespace

std::vector<Strategy> pjit_strategies() {
  const std::string_view paper = "Tensor Parallelism with jax.pjit, Irhum Shafkat 2022";
  const std::vector<std::string_view> options{"axes", "in-lhs", "in-rhs", "out-spec"};
  const std::vector<std::string_view> roles{"a", "b"};
  return {
      {"pjit.inner",
       {"pjit.1"},
       StrategyKind::matmul,
       "Contraction split alike on both sides: multiply, all-reduce",
       paper,
       {"a divides k"},
       options,
       roles,
       pjit_inner},
      {"pjit.mismatch",
       {"pjit.1b"},
       StrategyKind::matmul,
       "Contraction split by different axes: gather both",
       paper,
       {"a divides k", "b divides k"},
       options,
       roles,
       pjit_mismatch},
      {"pjit.outer",
       {"pjit.2"},
       StrategyKind::matmul,
       "Rows of X split, contraction mismatched: gather both",
       paper,
       {"b divides m", "a divides k", "b divides k"},
       options,
       roles,
       pjit_outer},
      {"pjit.full",
       {},
       StrategyKind::matmul,
       "X and W split over both axes: gather each over one",
       paper,
       {"b divides m", "a divides k", "b divides k", "a divides n"},
       options,
       roles,
       pjit_full},
  };
}

}  // namespace shardscope
