// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/product_epilogue.h"

#include <algorithm>

namespace shardscope {
namespace {

bool does_a_library(Opcode opcode) {
  return opcode == Opcode::convert || opcode == Opcode::add || opcode == Opcode::maximum;
}

// Whether every array of the kernel has an element for each of the product's, or is spread to that.
bool follows(const Computation& computation, const Kernel& kernel, int64_t count, CompileAs as) {
  return std::ranges::all_of(kernel.members, [&](int32_t m) {
    const Instruction& i = computation.instructions[static_cast<size_t>(m)];
    const OpClass kind = operation(i.opcode).kind;
    if (i.opcode == Opcode::constant || i.opcode == Opcode::broadcast) return true;
    if (i.shape.element_count() != count) return false;
    if (kind == OpClass::elementwise) return as == CompileAs::xla_tpu || does_a_library(i.opcode);
    return has(i.opcode, Trait::same_order);
  });
}

int64_t arrays_read(const Computation& computation, const Kernel& kernel, int64_t count) {
  return std::ranges::count_if(kernel.inputs, [&](int32_t input) {
    return computation.instructions[static_cast<size_t>(input)].shape.element_count() == count;
  });
}

}  // namespace

void take_products(KernelGraph& graph, CompileAs as) {
  constexpr int64_t kMostArrays = 2;  // of a library's product: it and the one that is added
  const Computation& computation = graph.computation();
  for (size_t k = 0; k < computation.instructions.size(); ++k) {
    const Instruction& product = computation.instructions[k];
    const auto place = static_cast<int32_t>(k);
    if (product.opcode != Opcode::dot && product.opcode != Opcode::convolution) continue;
    if (graph.is_kept(place) || graph.readers(place).size() != 1 || !product.control_predecessors.empty())
      continue;
    const int32_t reader = *graph.readers(place).begin();
    const Kernel& after = *graph.find(reader);
    const int64_t count = product.shape.element_count();
    if (after.roots.size() > 1 || !follows(computation, after, count, as)) continue;
    if (as == CompileAs::xla_gpu && arrays_read(computation, after, count) > kMostArrays) continue;
    graph.replace(reader, graph.joined({{place}, {place}, {}}, after), graph.seconds(reader));
  }
}

}  // namespace shardscope
