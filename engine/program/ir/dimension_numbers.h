// SPDX-License-Identifier: Apache-2.0
// Dimension numbers that stand in an instruction's verbatim attributes: pad, gather, scatter, windows,
// convolutions. Read when somebody needs them; errors name the instruction and the attribute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// The text behind "key=", or none.
const std::string* verbatim_attribute(const Instruction& instruction, std::string_view key);
// custom_call_target without its quotes; empty when there is none.
std::string custom_call_target(const Instruction& instruction);

// pad's padding=low_high[_interior]x…, by dimension. Negative ones cut.
struct PadDim {
  int64_t low = 0, high = 0, interior = 0;
  bool operator==(const PadDim&) const = default;
};
Result<std::vector<PadDim>> pad_dims(const Instruction& pad, size_t rank);

// What an axis of `size` elements becomes; below 0: less than nothing is left, or too much for 64 bits.
int64_t padded_size(const PadDim& pad, int64_t size);

// window={size=3x3 stride=2x1 pad=1_1x0_0 lhs_dilate=… rhs_dilate=… rhs_reversal=0x1}.
struct WindowDim {
  int64_t size = 1, stride = 1, low = 0, high = 0;
  int64_t base_dilation = 1, window_dilation = 1;
  bool reversed = false;
  bool operator==(const WindowDim&) const = default;
};
Result<std::vector<WindowDim>> window_dims(const Instruction& instruction, size_t rank);
// Places of the window along an axis of `size` elements; 0 when it does not fit.
int64_t window_places(const WindowDim& window, int64_t size);

// dim_labels=b01f_01io->b01f. Which dimension is what.
struct ConvolutionDims {
  int64_t input_batch = 0, input_feature = 0, kernel_input = 0, kernel_output = 0, output_batch = 0,
          output_feature = 0;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;
  std::vector<WindowDim> window;  // one per spatial dimension
  int64_t feature_groups = 1, batch_groups = 1;
};
Result<ConvolutionDims> convolution_dims(const Computation& computation, const Instruction& convolution);
// A dot, or a convolution without space or groups whose result is [batch, feature]: what it contracts.
std::optional<DotDims> product_dims(const Computation& computation, const Instruction& instruction);

struct GatherDims {
  std::vector<int64_t> offset_dims, collapsed_slice_dims, start_index_map, slice_sizes;
  std::vector<int64_t> operand_batching_dims, start_indices_batching_dims;
  int64_t index_vector_dim = 0;
};
Result<GatherDims> gather_dims(const Computation& computation, const Instruction& gather);

struct ScatterDims {
  std::vector<int64_t> update_window_dims, inserted_window_dims, to_operand_dims;
  std::vector<int64_t> input_batching_dims, indices_batching_dims;
  int64_t index_vector_dim = 0;
};
Result<ScatterDims> scatter_dims(const Computation& computation, const Instruction& scatter);

// "{1,0:T(8,128)}" of a shape as the order of its dimensions from the most to the least significant; the
// default order when it says nothing.
std::vector<int64_t> physical_order(const Shape& shape);

}  // namespace shardscope
