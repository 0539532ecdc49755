// SPDX-License-Identifier: Apache-2.0
// Attributes of HloInstructionProto that say what an operation does with which dimension.
#pragma once

#include <string>

#include "engine/base/file/wire.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/proto_text.h"

namespace shardscope::inline program::proto {

// Each of an instruction; "" where it does not say.
std::string slice_dims_text(const wire::Message& instruction);  // "{[0:4], [0:8:2]}"
std::string padding_text(const wire::Message& instruction);     // "0_0x1_1_2"
std::string window_text(const wire::Message& instruction);      // "{size=3x3 pad=1_1x1_1}"
std::string dim_labels_text(const wire::Message& instruction);  // "b01f_01io->b01f"
std::string index_vector_dim_text(const wire::Message& instruction);
std::string lower_text(const wire::Message& instruction);      // of a triangle
std::string transpose_text(const wire::Message& instruction);  // of a triangular solve

// One of the lists of a product's dimension numbers.
template <int kField>
std::string dot_dims_text(const wire::Message& instruction) {
  using I = field::Instruction;
  const bool ragged = instruction.has(I::ragged_dimensions);
  const std::vector<int64_t> dims =
      (ragged ? instruction.message(I::ragged_dimensions).message(field::Dot::ragged_dot)
              : instruction.message(I::dot_dimensions))
          .numbers(kField);
  return dims.empty() ? "" : braced(dims);
}

}  // namespace shardscope::inline program::proto
