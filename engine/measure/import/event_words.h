// SPDX-License-Identifier: Apache-2.0
// What a profiler's words say an event was: kind, operation, shapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/measured.h"

namespace shardscope::inline measure {

// What a profile of XLA says of an event; empty or 0 where it does not.
struct HloWords {
  std::string_view name;       // of the event: an instruction's or a kernel's
  std::string_view hlo_op;     // the instruction
  std::string_view module;     // hlo_module
  std::string_view category;   // hlo_category: "convolution fusion"
  std::string_view long_name;  // the instruction's text: "%fusion.3 = bf16[8]{0} fusion(bf16[8]{0} %a), …"
  std::string_view shape;      // shape_with_layout
  int64_t bytes_accessed = 0;
  double flops = 0;
  int64_t program = 0;  // program_id
};
MeasuredOperation describe_hlo(const HloWords& words);

// What PyTorch says of a kernel: of the operator that launched it, and of a collective.
struct TorchWords {
  std::string_view kernel;
  std::string_view cpu_op;       // "aten::mm"
  std::string_view input_dims;   // "[[1024,512],[512,256]]"
  std::string_view input_types;  // "[\"c10::BFloat16\",\"c10::BFloat16\"]"
  std::string_view collective;   // "allreduce"
  std::string_view dtype;        // "BFloat16"
  int64_t elements_in = 0, elements_out = 0;
  int32_t group = 0;
};
MeasuredOperation describe_torch(const TorchWords& words);

// What a kernel's or a copy's name alone says.
MeasuredOperation describe_kernel(std::string_view name);

// HLO's opcode of a collective in the words of NCCL, PyTorch and nccl-tests, empty: it is none.
std::string collective_opcode(std::string_view words);
// HLO's name of an element type in the words of C, PyTorch and NCCL, empty: none of ours.
std::string element_type_name(std::string_view words);

inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether an instruction is the half of an asynchronous pair that waits: "all-gather-done.3".
bool is_done_half(std::string_view opcode);
// "all-gather-start" and "all-gather-done" without their ends.
std::string_view without_half(std::string_view opcode);

}  // namespace shardscope::inline measure
