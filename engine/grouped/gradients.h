// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/grouped/grouped.h"

namespace shardscope {

// What a change of each argument of gmm does to sum(out·grad): vector-Jacobian products, in the arguments'
// shapes and types. Rows that gmm leaves unwritten stay unwritten in lhs.
struct GroupedGradients {
  Array lhs;                          // gmm of grad with the transposed matrices
  Array rhs;                          // tgmm of the transposed lhs with grad
  std::optional<Array> existing_out;  // grad where rows are kept, 0 where they are replaced
};

// `options` are those of the call; grad is [m, n] of its out_type.
Result<GroupedGradients> gmm_vjp(const Array& lhs, const Array& rhs, const std::vector<int64_t>& group_sizes,
                                 const GroupedOptions& options, const Array& grad, const Workers& workers,
                                 const std::stop_token& stop);

}  // namespace shardscope
