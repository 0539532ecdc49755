// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/product_epilogue.h"

#include <algorithm>

#include "engine/backend/fuse.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

// Who does an operation element by element on what a product made.
enum class Epilogue : uint8_t {
  none,
  compiler,  // a compiler's own kernels alone
  library,   // libraries too: they round, add and cut off at zero
  spread,    // nobody has to: it is one number, or a few that are spread
};

Epilogue epilogue_of(Opcode opcode) {
  static const OpTable<Epilogue> epilogues({{OpClass::elementwise, Epilogue::compiler}},
                                           {{Opcode::convert, Epilogue::library},
                                            {Opcode::add, Epilogue::library},
                                            {Opcode::maximum, Epilogue::library},
                                            {Opcode::constant, Epilogue::spread},
                                            {Opcode::broadcast, Epilogue::spread}});
  return epilogues[opcode];
}

bool follows_a_product(Opcode opcode, CompileAs as) {
  const Epilogue by = epilogue_of(opcode);
  return by == Epilogue::library || (by == Epilogue::compiler && as == CompileAs::xla_tpu);
}

// Whether every array of the kernel has an element for each of the product's, or is spread to that.
bool follows(const Computation& computation, const Kernel& kernel, int64_t count) {
  return std::ranges::all_of(kernel.members, [&](int32_t m) {
    const Instruction& i = computation.instructions[static_cast<size_t>(m)];
    if (epilogue_of(i.opcode) == Epilogue::spread) return true;
    if (i.shape.element_count() != count) return false;
    // What is added is planned before (product_sides.h).
    if (i.opcode == Opcode::add) return false;
    if (is_elementwise(i.opcode)) return follows_a_product(i.opcode, CompileAs::xla_gpu);
    return has(i.opcode, Trait::same_order);
  });
}

int64_t arrays_read(const Computation& computation, const Kernel& kernel, int64_t count) {
  return std::ranges::count_if(kernel.inputs, [&](int32_t input) {
    return computation.instructions[static_cast<size_t>(input)].shape.element_count() == count;
  });
}

// What an instruction makes: of nothing but products, their sums and constants; of at least one product.
struct Made {
  bool alone = false, product = false;
};

// Of all its operands but scalars.
Made made_of(const Computation& computation, const Instruction& i, const std::vector<Made>& made) {
  Made out{!i.operands.empty(), false};
  for (const InstructionId operand : i.operands) {
    if (computation.at(operand).shape.rank() == 0) continue;
    const Made& of = made[static_cast<size_t>(operand.value)];
    out.alone = out.alone && of.alone;
    out.product = out.product || of.product;
  }
  return out;
}

int64_t products_read(const Instruction& i, const std::vector<Made>& made) {
  return std::ranges::count_if(
      i.operands, [&](InstructionId operand) { return made[static_cast<size_t>(operand.value)].product; });
}

// By instruction, whether whoever reads it is an add that a product does as well.
std::vector<bool> only_added(const Computation& computation, const std::vector<InstructionId>& dots) {
  std::vector<bool> added(dots.size(), false), otherwise(dots.size(), false);
  otherwise[static_cast<size_t>(computation.root.value)] = true;
  for (size_t k = 0; k < dots.size(); ++k)
    for (const InstructionId operand : computation.instructions[k].operands)
      (dots[k].valid() ? added : otherwise)[static_cast<size_t>(operand.value)] = true;
  for (size_t k = 0; k < dots.size(); ++k) added[k] = added[k] && !otherwise[k];
  return added;
}

}  // namespace

void take_products(KernelGraph& graph) {
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
    if (after.roots.size() > 1 || !follows(computation, after, count)) continue;
    if (arrays_read(computation, after, count) > kMostArrays) continue;
    graph.replace(reader, graph.joined({{place}, {place}, {}}, after), graph.seconds(reader));
  }
}

std::vector<bool> done_by_products(const Program& program, const Computation& computation, CompileAs as) {
  std::vector<bool> out(computation.instructions.size(), false);
  if (as == CompileAs::none || is_fused(program)) return out;
  const std::vector<InstructionId> dots = fused_dots(computation);
  std::vector<Made> made(out.size());
  for (size_t k = 0; k < out.size(); ++k) {
    const Instruction& i = computation.instructions[k];
    const bool free = is_free(i), follows = follows_a_product(i.opcode, as);
    if (operation(i.opcode).cost == CostClass::product || dots[k].valid()) {
      made[k] = {true, true};
    } else if (epilogue_of(i.opcode) == Epilogue::spread) {
      made[k] = {true, false};
    } else if (free || follows) {
      made[k] = made_of(computation, i, made);
      out[k] = follows && !free && made[k].alone && products_read(i, made) == 1;
    }
  }
  const std::vector<bool> added = only_added(computation, dots);
  for (size_t k = 0; k < out.size(); ++k)
    out[k] = out[k] || (added[k] && computation.instructions[k].opcode == Opcode::convert);
  return out;
}

}  // namespace shardscope::inline backend
