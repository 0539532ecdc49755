// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/run/measured.h"

namespace shardscope::inline measure {

struct NamedKind {
  MeasuredKind kind = MeasuredKind::other;
  std::string_view opcode = {};  // HLO's
  bool known = false;
};
// By HLO's opcode, also of asynchronous halves.
NamedKind kind_of_opcode(std::string_view opcode);
// By XLA's hlo_category.
NamedKind kind_of_category(std::string_view category);
// By an instruction's name: "loop_add_fusion.2".
NamedKind kind_of_instruction(std::string_view name);
// By a kernel's name, as cuBLAS, cuDNN, CUTLASS, NCCL, RCCL, PyTorch, Triton and hipBLASLt call theirs.
NamedKind kind_of_kernel(std::string_view name);
// By a PyTorch operator's: "aten::mm".
NamedKind kind_of_operator(std::string_view name);

}  // namespace shardscope::inline measure
