// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/library_convolution.h"

#include <utility>

#include "engine/program/ir/convolution_gradients.h"
#include "engine/program/ir/custom_target.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/text/attribute_values.h"

namespace shardscope::inline program {
namespace {

// The window and labels that the call has as text.
std::optional<ConvolutionDims> said_by(const Instruction& call, size_t rank) {
  Instruction said;
  if (!read_texts(Opcode::convolution, call, said)) return std::nullopt;
  auto* out = std::get_if<ConvolutionDims>(&said.attributes.edit());
  if (out == nullptr || out->input_spatial.size() + 2 != rank) return std::nullopt;
  out->window.resize(out->input_spatial.size());
  return *out;
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
  // A gradient by the input would need the kernel's groups the other way round.
  if (for_input && (dims->feature_groups != 1 || dims->batch_groups != 1)) return std::nullopt;
  for (const WindowDim& w : dims->window)
    if (gradient && w.base_dilation != 1) return std::nullopt;
  Instruction out;
  out.name = call.name;
  out.opcode = Opcode::convolution;
  out.shape = Shape::array(result.type, result.dims);
  out.operands = {call.operands[0], call.operands[1]};
  out.attributes = for_input    ? gradient_of_input(*dims, result, a)
                   : for_kernel ? gradient_of_kernel(*dims, a, b)
                                : *std::move(dims);
  if (!convolution_dims(computation, out).ok()) return std::nullopt;
  return out;
}

}  // namespace shardscope::inline program
