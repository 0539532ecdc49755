// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/grouped/grouped.h"

namespace shardscope::inline grouped {

// What a change of each argument of gmm does to sum(out·grad): vector-Jacobian products, in the arguments'
// shapes and types. Rows that gmm leaves unwritten stay unwritten in lhs.
struct GroupedGradients {
  Array lhs;                          // gmm of grad with the transposed matrices
  Array rhs;                          // tgmm of the transposed lhs with grad
  std::optional<Array> existing_out;  // grad where rows are kept, 0 where they are replaced
};

// The two calls that the gradients of a call with `options` are: gmm(grad, rhs) and tgmm(lhsᵀ, grad).
struct GradientCalls {
  GroupedOptions of_lhs, of_rhs;
};
GradientCalls gradient_calls(const GroupedOptions& options, const Array& lhs, const Array& rhs);
// Their results as gradients: that of rhs turned as rhs is, that of existing_out from grad.
GroupedGradients join_gradients(const GroupedOptions& options, const GroupMetadata& metadata,
                                const Array& of_lhs, const Array& of_rhs, const Array& grad);

// `options` are those of the call; grad is [m, n] of its out_type.
Result<GroupedGradients> gmm_vjp(const GroupedOperands& operands, const std::vector<int64_t>& group_sizes,
                                 const GroupedOptions& options, const Array& grad, const Workers& workers,
                                 const std::stop_token& stop);

}  // namespace shardscope::inline grouped
