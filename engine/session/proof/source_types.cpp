// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/source_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardscope {
namespace {

bool is_float(const Shape& shape) {
  return !shape.is_tuple && is_floating(shape.type);
}

int digits(ElementType type) {
  return element_type(type).digits;
}

// Every array of an instruction, and of the instructions that are named like it.
void add_types(const Shape& shape, std::vector<ElementType>& out) {
  if (!shape.is_tuple) out.push_back(shape.type);
  for (const Shape& element : *shape.elements) add_types(element, out);
}

class SourceTypes {
 public:
  SourceTypes(const Program& module, const Partitioned& partitioned) {
    for (const Computation& c : module.computations)
      for (const Instruction& i : c.instructions) sources_[i.name] = {&c, &i};
    for (const MadeFor& m : partitioned.made_for) made_for_[m.name].push_back(m.source);
  }

  // The fewest digits of floats that an instruction may have for what it is made for; 0: it is free.
  int fewest(const std::string& made) const {
    int out = 0;
    for (const Source& source : sources_of(made)) {
      std::vector<ElementType> types;
      add_types(source.instruction->shape, types);
      int least = 0;
      for (const ElementType type : types)
        if (is_floating(type) && (least == 0 || digits(type) < least)) least = digits(type);
      if (least == 0) continue;
      out = out == 0 ? least : std::min(out, least);
    }
    return out;
  }

  // Whether the module itself rounds to the type there.
  bool rounds_to(const std::string& made, ElementType type) const {
    return std::ranges::any_of(sources_of(made), [&](const Source& source) {
      return source.instruction->opcode == Opcode::convert ? source.instruction->shape.type == type
                                                           : has(source.instruction->opcode, Trait::inlined);
    });
  }

 private:
  struct Source {
    const Computation* computation = nullptr;
    const Instruction* instruction = nullptr;
  };
  std::vector<Source> sources_of(const std::string& made) const {
    std::vector<Source> out;
    const auto found = made_for_.find(made);
    if (found == made_for_.end()) return out;
    for (const std::string_view name : found->second)
      if (const auto source = sources_.find(name); source != sources_.end()) out.push_back(source->second);
    return out;
  }

  std::unordered_map<std::string_view, Source> sources_;
  std::unordered_map<std::string_view, std::vector<std::string_view>> made_for_;
};

bool adds_up(const Instruction& i) {
  return i.opcode == Opcode::dot || i.opcode == Opcode::convolution || i.opcode == Opcode::reduce ||
         has(i.opcode, Trait::sums);
}

}  // namespace

std::string narrower_than_asked(const Program& module, const Partitioned& partitioned) {
  const SourceTypes asked(module, partitioned);
  for (const Computation& c : partitioned.program.computations) {
    for (const Instruction& i : c.instructions) {
      if (!is_float(i.shape) || i.shape.rank() == 0) continue;
      if (adds_up(i)) {
        const int fewest = asked.fewest(i.name);
        if (digits(i.shape.type) < fewest)
          return fmt::format("%{} adds up in {}, where the module asks for more", i.name, name(i.shape.type));
      }
      if (i.opcode != Opcode::convert) continue;
      const Shape& from = c.at(i.operands[0]).shape;
      if (is_float(from) && digits(i.shape.type) < digits(from.type) &&
          !asked.rounds_to(i.name, i.shape.type))
        return fmt::format("%{} rounds {} to {}, where the module does not", i.name, name(from.type),
                           name(i.shape.type));
    }
  }
  return "";
}

}  // namespace shardscope
