// SPDX-License-Identifier: Apache-2.0
// Convolutions of cuDNN, with what follows them.
#include "engine/numerics/plan/library_writing.h"
#include "engine/program/rules/shape_rules.h"
#include "engine/program/text/library_convolution.h"

namespace shardscope::inline numerics {
namespace {

struct LibraryConvolution {
  Attributes attributes;
  double scale = 1, side_scale = 0;
  bool relu = false;
};

std::optional<LibraryConvolution> convolution_of(const Computation& c, const Instruction& i) {
  const auto plain = library_convolution(c, i);
  if (!plain || i.operands.size() > 4) return std::nullopt;
  LibraryConvolution out;
  out.attributes = *plain->attributes;
  const std::string_view activation = config_word(i, "activation_mode");
  out.relu = activation == "kRelu";
  out.scale = config_number(i, "conv_result_scale", 1);
  out.side_scale = config_number(i, "side_input_scale", 0);
  if ((!activation.empty() && activation != "kNone" && !out.relu) ||
      (out.side_scale != 0) != (i.operands.size() == 4))
    return std::nullopt;
  return out;
}

InstructionId write_convolution(const LibraryConvolution& v, const Instruction& call,
                                const CallWriter& writer) {
  const Shape& shape = first_of(call.shape);
  const ElementType type = product_type(writer.shape(call.operands[0]).type).value_or(shape.type);
  CallWriting w(call, writer, type);
  Instruction made;
  made.opcode = Opcode::convolution;
  made.shape = Shape::array(type, shape.dims);
  made.operands = {call.operands[0], call.operands[1]};
  made.attributes = v.attributes;
  InstructionId id = w.scaled(w.add(std::move(made)), v.scale);
  if (call.operands.size() > 3)
    id = w.op(Opcode::add, id, w.scaled(w.converted(call.operands[3], type), v.side_scale));
  if (call.operands.size() > 2)
    id = w.op(Opcode::add, id,
              w.spread(call.operands[2], id, std::get<ConvolutionDims>(v.attributes).output_feature));
  return w.finished(w.activated(id, v.relu ? Activation::relu : Activation::none));
}

}  // namespace

std::optional<LibraryCall> library_convolution_call(const Computation& computation, const Instruction& call) {
  const auto convolution = convolution_of(computation, call);
  if (!convolution) return std::nullopt;
  return [convolution](const Instruction& i, const CallWriter& writer) {
    return write_convolution(*convolution, i, writer);
  };
}

}  // namespace shardscope::inline numerics
