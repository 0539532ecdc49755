// SPDX-License-Identifier: Apache-2.0
// Irhum Shafkat, "Tensor Parallelism with jax.pjit", 2022: a product of two arrays as they lie, partitioned
// from their specs alone. Four ways to lie; with other specs the same planner takes over.
#include <algorithm>

#include "engine/strategies/families.h"
#include "engine/strategies/sharded_matmul.h"

namespace shardscope::inline strategy {
namespace {

// XLA's way. Of the contraction, what both arrays split alike stays split; every other axis of it is
// gathered. An axis that splits both m of X and n of W is gathered on the smaller array, unless the output
// wants it there. Free dimensions are cut ahead of the product as the output wants them, where that is free.
ProductLayout xla_layout(const ShardedProduct& product, const MatmulProblem& p,
                         const std::optional<PartitionSpec>& out) {
  ProductLayout layout{product.rows_of_lhs(),
                       common_prefix(product.contraction_of_lhs(), product.contraction_of_rhs()),
                       product.cols_of_rhs(),
                       {}};
  SplitAxes &rows = layout.rows, &cols = layout.cols;
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
      for (const SplitAxes* used : {&layout.rows, &layout.contraction, &layout.cols}) {
        if (std::ranges::count(*used, axis) > 0) return;
      }
      free.push_back(axis);
    }
  };
  if (out) {
    cut_ahead(rows, axes_of(*out, 0));
    cut_ahead(cols, axes_of(*out, 1));
  }
  layout.sums = out.value_or(PartitionSpec{{rows, cols}});
  return layout;
}

// `lhs` and `rhs` by roles, where the user gives no specs, which name axes.
Result<Program> pjit(SpmdBuilder& b, const StrategyOptions& options, PartitionSpec lhs, PartitionSpec rhs) {
  const auto roles = b.take_roles();
  ShardedProduct product(b, options.in_lhs.value_or(on_axes(std::move(lhs), roles)),
                         options.in_rhs.value_or(on_axes(std::move(rhs), roles)));
  if (options.out) product.require_output(*options.out);
  if (!b.ok()) return b.finish({}, {});
  const ProductLayout layout = xla_layout(product, b.problem(), options.out);
  return product.write(product.plan(layout, layout.sums), layout.sums);
}

}  // namespace

std::vector<Strategy> pjit_strategies() {
  const Family f{
      "Tensor Parallelism with jax.pjit, Irhum Shafkat 2022", {"a", "b"}, {"in-lhs", "in-rhs", "out-spec"}};
  return {
      f.matmul({"pjit.inner", "pjit.1"}, "Contraction split alike on both sides: multiply, all-reduce",
               [](SpmdBuilder& b, const StrategyOptions& o) { return pjit(b, o, P("", "a"), P("a", "")); }),
      f.matmul({"pjit.mismatch", "pjit.1b"}, "Contraction split by different axes: gather both",
               [](SpmdBuilder& b, const StrategyOptions& o) { return pjit(b, o, P("", "a"), P("b", "")); }),
      f.matmul({"pjit.outer", "pjit.2"}, "Rows of X split, contraction mismatched: gather both",
               [](SpmdBuilder& b, const StrategyOptions& o) { return pjit(b, o, P("b", "a"), P("b", "")); }),
      f.matmul({"pjit.full"}, "X and W split over both axes: gather each over one",
               [](SpmdBuilder& b, const StrategyOptions& o) { return pjit(b, o, P("b", "a"), P("b", "a")); }),
  };
}

}  // namespace shardscope::inline strategy
