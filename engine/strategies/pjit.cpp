// SPDX-License-Identifier: Apache-2.0
// Irhum Shafkat, "Tensor Parallelism with jax.pjit", 2022: a product of two arrays as they lie, partitioned
// from their specs alone. Four ways to lie; with other specs the same planner takes over.
#include <algorithm>

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

// XLA's way. Of the contraction, what both arrays split alike stays split; every other axis of it is
// gathered. An axis that splits both m of X and n of W is gathered on the smaller array, unless the output
// wants it there. Free dimensions are cut ahead of the product as the output wants them, where that is free.
ProductLayout xla_layout(const ShardedProduct& product, const MatmulProblem& p,
                         const std::optional<PartitionSpec>& out) {
  ProductLayout layout{product.rows_of_lhs(),
                       common_prefix(product.contraction_of_lhs(), product.contraction_of_rhs()),
                       product.cols_of_rhs(),
                       {}};
  auto& [rows, contraction, cols, sums] = layout;
  if (std::ranges::find_first_of(rows, cols) != rows.end()) {
    const bool keeps_x = out && starts_with(axes_of(*out, 0), rows);
    const bool keeps_w = out && starts_with(axes_of(*out, 1), cols);
    if (keeps_x == keeps_w ? p.m <= p.n : keeps_w) {
      rows.erase(std::ranges::find_first_of(rows, cols), rows.end());
    } else {
      cols.erase(std::ranges::find_first_of(cols, rows), cols.end());
    }
  }
  const auto cut_ahead = [&](SplitAxes& free, const SplitAxes& wanted) {
    while (starts_with(wanted, free) && free.size() < wanted.size()) {
      const std::string& axis = wanted[free.size()];
      for (const SplitAxes* used : {&rows, &contraction, &cols}) {
        if (std::ranges::count(*used, axis) > 0) return;
      }
      free.push_back(axis);
    }
  };
  if (out) {
    cut_ahead(rows, axes_of(*out, 0));
    cut_ahead(cols, axes_of(*out, 1));
  }
  sums = out.value_or(PartitionSpec{{rows, cols}});
  return layout;
}

Result<Program> pjit(const char* id, const PartitionSpec& lhs, const PartitionSpec& rhs, const Mesh& mesh,
                     const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles(id, {"a", "b"}, mesh, options));
  SpmdBuilder b(id, mesh, p);
  ShardedProduct product(b, p, options.in_lhs.value_or(on_axes(lhs, roles)),
                         options.in_rhs.value_or(on_axes(rhs, roles)));
  if (options.out) product.require_output(*options.out);
  if (!b.ok()) return b.finish({}, ArrayRole::product, {}, {});
  const ProductLayout layout = xla_layout(product, p, options.out);
  return product.write(product.plan(layout, layout.sums), layout.sums);
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
