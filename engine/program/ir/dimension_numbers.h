// SPDX-License-Identifier: Apache-2.0
// Whether the typed attributes of an instruction fit its operands: pad, gather, scatter, windows,
// convolutions. Errors name the instruction and the attribute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// The text behind "key=", or none.
const std::string* verbatim_attribute(const Instruction& instruction, std::string_view key);
// custom_call_target without its quotes; empty when there is none, and of every other operation.
const std::string& custom_call_target(const Instruction& instruction);

// Of a compare; equal when it does not say.
CompareDirection comparison(const Instruction& compare);

Result<std::vector<PadDim>> pad_dims(const Instruction& pad, size_t rank);

// What an axis of `size` elements becomes; below 0: less than nothing is left, or too much for 64 bits.
int64_t padded_size(const PadDim& pad, int64_t size);

Result<std::vector<WindowDim>> window_dims(const Instruction& instruction, size_t rank);
// Places of the window along an axis of `size` elements; 0 when it does not fit.
int64_t window_places(const WindowDim& window, int64_t size);

// Of the dimension that a dimension number names.
inline int64_t size_in(const Shape& shape, int64_t dim) {
  return shape.dims[static_cast<size_t>(dim)];
}

// What a convolution of these makes; its window and groups are of their sizes.
std::vector<int64_t> convolution_result(const ConvolutionDims& dims, const Shape& image, const Shape& kernel);
Result<ConvolutionDims> convolution_dims(const Computation& computation, const Instruction& convolution);
// A dot, or a convolution without space or groups whose result is [batch, feature]: what it contracts.
std::optional<DotDims> product_dims(const Computation& computation, const Instruction& instruction);

Result<GatherDims> gather_dims(const Computation& computation, const Instruction& gather);
Result<ScatterDims> scatter_dims(const Computation& computation, const Instruction& scatter);

// "{1,0:T(8,128)}" of a shape as the order of its dimensions from the most to the least significant; the
// default order when it says nothing.
std::vector<int64_t> physical_order(const Shape& shape);

}  // namespace shardscope::inline program
