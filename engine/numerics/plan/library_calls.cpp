// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/library_calls.h"

#include "engine/numerics/plan/library_writing.h"
#include "engine/program/ir/call_config.h"
#include "engine/program/ir/custom_target.h"

namespace shardscope::inline numerics {
namespace {

struct TopOf {
  int64_t dimension = 0;
  size_t arrays = 0;
};

// Arrays, then an initial value of each, which the exact top-k does not need.
std::optional<TopOf> top_of(const Computation& c, const Instruction& i) {
  if (custom_target(i) != CustomTarget::approx_top_k || i.called.size() != 1 || i.operands.size() % 2 != 0)
    return std::nullopt;
  TopOf out;
  out.arrays = i.operands.size() / 2;
  const auto said = call_number(i, "reduction_dim");
  const double json = config_number(i, "reduction_dim", -1);
  out.dimension = said ? *said : json >= 0 && json < 64 ? static_cast<int64_t>(json) : -1;
  const bool several = i.shape.is_tuple ? i.shape.elements.size() == out.arrays : out.arrays == 1;
  if (out.arrays == 0 || !several) return std::nullopt;
  const auto d = static_cast<size_t>(out.dimension);
  for (size_t k = 0; k < out.arrays; ++k) {
    const Shape &from = c.at(i.operands[k]).shape, &to = i.shape.is_tuple ? i.shape.elements[k] : i.shape;
    std::vector<int64_t> dims = from.dims;
    if (from.is_tuple || to.is_tuple || out.dimension < 0 || d >= dims.size() || to.rank() != dims.size() ||
        to.dims[d] > dims[d])
      return std::nullopt;
    dims[d] = to.dims[d];
    if (dims != to.dims || from.type != to.type || from.dims != c.at(i.operands[0]).shape.dims)
      return std::nullopt;
  }
  return out;
}

InstructionId write_top(const TopOf& top, const Instruction& call, const CallWriter& writer) {
  CallWriting w(call, writer, ElementType::f32);
  Instruction sort;
  sort.opcode = Opcode::sort;
  std::vector<Shape> shapes;
  for (size_t k = 0; k < top.arrays; ++k) {
    sort.operands.push_back(call.operands[k]);
    shapes.push_back(writer.shape(call.operands[k]));
  }
  sort.shape = top.arrays == 1 ? shapes.front() : Shape::tuple(shapes);
  sort.dimensions = {top.dimension};
  sort.called = {{"to_apply", call.called.front().computation}};
  const InstructionId sorted = w.add(std::move(sort));
  std::vector<InstructionId> parts;
  for (size_t k = 0; k < top.arrays; ++k) {
    const Shape& to = call.shape.is_tuple ? call.shape.elements[k] : call.shape;
    InstructionId whole = sorted;
    if (top.arrays > 1) {
      Instruction part;
      part.opcode = Opcode::get_tuple_element;
      part.shape = shapes[k];
      part.operands = {sorted};
      part.tuple_index = static_cast<int64_t>(k);
      whole = w.add(std::move(part));
    }
    Instruction first;
    first.opcode = Opcode::slice;
    first.shape = Shape::array(to.type, to.dims);
    first.operands = {whole};
    for (const int64_t size : to.dims) first.slice.edit().push_back({0, size, 1});
    parts.push_back(w.add(std::move(first)));
  }
  return call.shape.is_tuple ? w.add(Opcode::tuple, call.shape, std::move(parts)) : parts.front();
}

std::optional<LibraryCall> library_top(const Computation& computation, const Instruction& call) {
  const auto top = top_of(computation, call);
  if (!top) return std::nullopt;
  return [top](const Instruction& i, const CallWriter& writer) { return write_top(*top, i, writer); };
}

}  // namespace

std::optional<LibraryCall> library_call(const Computation& computation, const Instruction& call) {
  if (custom_call_target(call).empty()) return std::nullopt;
  for (const auto kind : {&library_product, &library_convolution_call, &library_top, &library_memory})
    if (auto made = kind(computation, call)) return made;
  return std::nullopt;
}

}  // namespace shardscope::inline numerics
