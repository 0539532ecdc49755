// SPDX-License-Identifier: Apache-2.0
#include "engine/grouped/gradients.h"

#include <cstring>

#include "engine/grouped/arguments.h"

namespace shardscope::inline grouped {

namespace {

// Every matrix of a stack [groups, rows, columns] transposed.
Array transposed_matrices(const Array& stack) {
  const int64_t groups = stack.dims()[0], rows = stack.dims()[1], columns = stack.dims()[2];
  Array out = Array::allocate(stack.type(), {groups, columns, rows});
  const int64_t bytes = stack.bytes() / groups;
  for (int64_t g = 0; g < groups; ++g) {
    Array matrix = Array::allocate(stack.type(), {rows, columns});
    std::memcpy(matrix.mutable_data(), stack.data() + g * bytes, static_cast<size_t>(bytes));
    const Array turned = transposed(matrix);
    std::memcpy(out.mutable_data() + g * bytes, turned.data(), static_cast<size_t>(bytes));
  }
  return out;
}

Array kept_rows(const Array& grad, const GroupMetadata& meta) {
  Array out = Array::allocate(grad.type(), grad.dims());
  std::memcpy(out.mutable_data(), grad.data(), static_cast<size_t>(grad.bytes()));
  const int64_t row_bytes = grad.bytes() / meta.m;
  std::memset(out.mutable_data() + meta.first_row() * row_bytes, 0,
              static_cast<size_t>(meta.rows() * row_bytes));
  return out;
}

}  // namespace

GradientCalls gradient_calls(const GroupedOptions& options, const Array& lhs, const Array& rhs) {
  GradientCalls out{options, options};
  for (GroupedOptions* call : {&out.of_lhs, &out.of_rhs}) {
    call->existing_out.reset();
    call->visit_empty.reset();
    call->local_groups = rhs.dims()[0];
  }
  out.of_lhs.out_type = lhs.type();
  out.of_lhs.transpose_rhs = !options.transpose_rhs;
  // The product with the transposed matrices contracts n and has k columns.
  if (const GmmTiling* tiling = std::get_if<GmmTiling>(&options.tiling))
    out.of_lhs.tiling = GmmTiling{tiling->tm, tiling->tn, tiling->tk};
  out.of_rhs.out_type = rhs.type();
  out.of_rhs.transpose_rhs = false;
  return out;
}

GroupedGradients join_gradients(const GroupedOptions& options, const GroupMetadata& metadata,
                                const Array& of_lhs, const Array& of_rhs, const Array& grad) {
  GroupedGradients out{of_lhs, options.transpose_rhs ? transposed_matrices(of_rhs) : of_rhs, {}};
  if (options.existing_out) out.existing_out = kept_rows(grad, metadata);
  return out;
}

Result<GroupedGradients> gmm_vjp(const GroupedOperands& operands, const std::vector<int64_t>& group_sizes,
                                 const GroupedOptions& options, const Array& grad, const Workers& workers,
                                 const std::stop_token& stop) {
  const auto& [lhs, rhs] = operands;
  TRY(const GroupedPlan plan, plan_gmm(lhs, rhs, group_sizes, options));
  const GroupedShape& s = plan.shape;
  if (grad.type() != s.out || grad.dims() != std::vector<int64_t>{s.m, s.n}) {
    return invalid("expected a gradient of the output's shape and type, [" + std::to_string(s.m) + "," +
                       std::to_string(s.n) + "] of " + name(s.out),
                   "grad");
  }
  const GradientCalls calls = gradient_calls(options, lhs, rhs);
  TRY(const GroupedResult of_lhs, gmm(grad, rhs, group_sizes, calls.of_lhs, workers, stop));
  TRY(const GroupedResult of_rhs, tgmm(transposed(lhs), grad, group_sizes, calls.of_rhs, workers, stop));
  return join_gradients(options, plan.metadata, of_lhs.out, of_rhs.out, grad);
}

}  // namespace shardscope::inline grouped
