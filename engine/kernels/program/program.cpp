// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program/program.h"

#include <fmt/format.h>

namespace shardscope::kernels {

std::string slice_text(const KernelLayout& layout, int32_t buffer, const Box& box) {
  const KernelBuffer& whole = layout.buffers[static_cast<size_t>(buffer)];
  if (box == whole.box()) return whole.name;
  const std::string rows =
      box.row == 0 && box.rows == whole.rows ? ":" : fmt::format("{}:{}", box.row, box.row + box.rows);
  const std::string cols =
      box.col == 0 && box.cols == whole.cols ? ":" : fmt::format("{}:{}", box.col, box.col + box.cols);
  return fmt::format("{}[{}, {}]", whole.name, rows, cols);
}

}  // namespace shardscope::kernels
