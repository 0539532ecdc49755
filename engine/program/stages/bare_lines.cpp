// SPDX-License-Identifier: Apache-2.0
#include "engine/program/stages/bare_lines.h"

#include <fmt/format.h>
#include <functional>
#include <string>

namespace shardscope::inline program {
namespace {

uint64_t mixed_in(uint64_t seed, uint64_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6U) + (seed >> 2U));
}

// The order that an array has where nothing is said.
std::string default_layout(size_t rank) {
  std::string out;
  for (size_t k = rank; k-- > 0;) out += std::to_string(k) + (k == 0 ? "" : ",");
  return out;
}

void leave_out_default_layouts(Shape& shape) {
  if (!shape.layout.empty() && *shape.layout == default_layout(shape.rank())) shape.layout = {};
  if (shape.is_tuple)
    shape.elements.change([](std::vector<Shape>& all) {
      for (Shape& each : all) leave_out_default_layouts(each);
    });
}

Program without_names(Program program) {
  for (Computation& c : program.computations) {
    for (Instruction& i : c.instructions) {
      i.name = "x";
      i.text_name = {};
      leave_out_default_layouts(i.shape);
      i.provenance = {};
      i.verbatim.change([](std::vector<VerbatimAttribute>& all) {
        std::erase_if(all, [](const VerbatimAttribute& a) { return a.key == "metadata"; });
      });
    }
  }
  return program;
}

}  // namespace

Result<BareLines> bare_lines(const Program& program, const std::stop_token& stop) {
  BareLines out;
  Program bare = without_names(program);
  // Callees stand before their callers, which name them by what they do.
  for (Computation& c : bare.computations) {
    const size_t first = out.meaning.size();
    for (size_t k = 0; k < c.instructions.size(); ++k) {
      if (stop.stop_requested()) return cancelled();
      out.text.push_back(print_instruction(bare, c, InstructionId(static_cast<int64_t>(k))));
      uint64_t meaning = std::hash<std::string>()(out.text.back());
      for (const InstructionId operand : c.instructions[k].operands)
        meaning = mixed_in(meaning, out.meaning[first + static_cast<size_t>(operand.value)]);
      out.meaning.push_back(meaning);
    }
    const uint64_t all = c.instructions.empty() ? 0 : out.meaning[first + static_cast<size_t>(c.root.value)];
    c.name = fmt::format("c{:x}", all);
  }
  return out;
}

}  // namespace shardscope::inline program
