// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/source_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace shardscope::inline session {
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
  explicit SourceTypes(const Partitioned& partitioned)
      : partitioned_(partitioned), module_(first_stage(partitioned)) {}

  // The fewest digits of floats that an instruction may have for what it is made for; 0: it is free.
  int fewest(int32_t made) const {
    int out = 0;
    for (const int32_t source : sources_in(module_, partitioned_, made)) {
      std::vector<ElementType> types;
      add_types(module_.program.at(source).shape, types);
      int least = 0;
      for (const ElementType type : types)
        if (is_floating(type) && (least == 0 || digits(type) < least)) least = digits(type);
      if (least == 0) continue;
      out = out == 0 ? least : std::min(out, least);
    }
    return out;
  }

  // Whether the module itself rounds to the type there, or has no more there: compilers compute functions of
  // bf16 in f32.
  bool rounds_to(int32_t made, ElementType type) const {
    return std::ranges::any_of(sources_in(module_, partitioned_, made), [&](int32_t source) {
      const Instruction& i = module_.program.at(source);
      const bool has_type = !i.shape.is_tuple && i.shape.type == type;
      return has_type || (i.opcode != Opcode::convert && has(i.opcode, Trait::inlined));
    });
  }

 private:
  const Partitioned& partitioned_;
  const ModuleStage& module_;
};

bool adds_up(const Instruction& i) {
  return has(i.opcode, Trait::partial) || has(i.opcode, Trait::sums);
}

}  // namespace

std::string narrower_than_asked(const Partitioned& partitioned) {
  const SourceTypes module(partitioned);
  int32_t next = 0;
  for (const Computation& c : partitioned.program->computations) {
    for (const Instruction& i : c.instructions) {
      const int32_t number = next++;
      if (!is_float(i.shape) || i.shape.rank() == 0) continue;
      if (adds_up(i)) {
        const int fewest = module.fewest(number);
        if (digits(i.shape.type) < fewest)
          return fmt::format("%{} adds up in {}, where the module asks for more", i.name, name(i.shape.type));
      }
      if (i.opcode != Opcode::convert) continue;
      const Shape& from = c.at(i.operands[0]).shape;
      if (is_float(from) && digits(i.shape.type) < digits(from.type) &&
          !module.rounds_to(number, i.shape.type))
        return fmt::format("%{} rounds {} to {}, where the module does not", i.name, name(from.type),
                           name(i.shape.type));
    }
  }
  return "";
}

}  // namespace shardscope::inline session
