// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/library_convolution.h"

#include <utility>

#include "engine/program/ir/custom_target.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/text/attribute_values.h"

namespace shardscope::inline program {
namespace {

int64_t at(const Shape& shape, int64_t d) {
  return d >= 0 && d < static_cast<int64_t>(shape.rank()) ? shape.dims[static_cast<size_t>(d)] : 0;
}

// The window and labels that the call has as text.
std::optional<ConvolutionDims> said_by(const Instruction& call, size_t rank) {
  Instruction said;
  if (!read_texts(Opcode::convolution, call, said)) return std::nullopt;
  auto* out = std::get_if<ConvolutionDims>(&said.attributes.edit());
  if (out == nullptr || out->input_spatial.size() + 2 != rank) return std::nullopt;
  out->window.resize(out->input_spatial.size());
  return *out;
}

// The gradient of the output spread over the input: by the kernel turned round, with holes where the forward
// convolution made strides.
ConvolutionDims of_input(const ConvolutionDims& forward, const Shape& gradient, const Shape& input) {
  ConvolutionDims out = forward;
  std::swap(out.input_batch, out.output_batch);
  std::swap(out.input_feature, out.output_feature);
  std::swap(out.input_spatial, out.output_spatial);
  std::swap(out.kernel_input, out.kernel_output);
  for (size_t s = 0; s < out.window.size(); ++s) {
    const WindowDim& was = forward.window[s];
    WindowDim& now = out.window[s];
    const int64_t reach = (was.size - 1) * was.window_dilation;
    now.base_dilation = was.stride;
    now.stride = 1;
    now.reversed = !was.reversed;
    now.low = reach - was.low;
    now.high = at(input, forward.input_spatial[s]) -
               (at(gradient, forward.output_spatial[s]) - 1) * was.stride - 1 - now.low + reach;
  }
  return out;
}

// Input and gradient of the output multiplied wherever an element of the kernel joins them.
ConvolutionDims of_kernel(const ConvolutionDims& forward, const Shape& input, const Shape& gradient,
                          const Shape& kernel) {
  ConvolutionDims out;
  out.input_batch = forward.input_feature;
  out.input_feature = forward.input_batch;
  out.input_spatial = forward.input_spatial;
  out.kernel_input = forward.output_batch;
  out.kernel_output = forward.output_feature;
  out.kernel_spatial = forward.output_spatial;
  out.output_batch = forward.kernel_input;
  out.output_feature = forward.kernel_output;
  out.output_spatial = forward.kernel_spatial;
  for (size_t s = 0; s < forward.window.size(); ++s) {
    const WindowDim& was = forward.window[s];
    WindowDim now;
    now.size = at(gradient, forward.output_spatial[s]);
    now.stride = was.window_dilation;
    now.window_dilation = was.stride;
    now.low = was.low;
    now.high = (at(kernel, forward.kernel_spatial[s]) - 1) * was.window_dilation +
               (now.size - 1) * was.stride + 1 - at(input, forward.input_spatial[s]) - was.low;
    out.window.push_back(now);
  }
  return out;
}

}  // namespace

std::optional<Instruction> library_convolution(const Computation& computation, const Instruction& call) {
  const CustomTarget target = custom_target(call);
  const bool for_input = target == CustomTarget::convolution_input;
  const bool for_kernel = target == CustomTarget::convolution_kernel;
  if ((target != CustomTarget::convolution && !for_input && !for_kernel) || call.operands.size() < 2)
    return std::nullopt;
  const Shape& result =
      call.shape.is_tuple && !call.shape.elements.empty() ? call.shape.elements[0] : call.shape;
  const Shape &a = computation.at(call.operands[0]).shape, &b = computation.at(call.operands[1]).shape;
  if (a.is_tuple || b.is_tuple || result.is_tuple) return std::nullopt;
  auto dims = said_by(call, a.rank());
  if (!dims) return std::nullopt;
  const bool gradient = for_input || for_kernel;
  if (gradient && (dims->feature_groups != 1 || dims->batch_groups != 1)) return std::nullopt;
  for (const WindowDim& w : dims->window)
    if (gradient && w.base_dilation != 1) return std::nullopt;
  Instruction out;
  out.name = call.name;
  out.opcode = Opcode::convolution;
  out.shape = Shape::array(result.type, result.dims);
  out.operands = {call.operands[0], call.operands[1]};
  out.attributes = for_input    ? of_input(*dims, a, result)
                   : for_kernel ? of_kernel(*dims, a, b, result)
                                : *std::move(dims);
  if (!convolution_dims(computation, out).ok()) return std::nullopt;
  return out;
}

}  // namespace shardscope::inline program
