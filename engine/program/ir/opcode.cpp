// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/opcode.h"

#include <unordered_map>

namespace shardscope::inline program {
namespace {

using enum Trait;
template <class... Traits>
constexpr unsigned traits(Traits... all) {
  return (0U | ... | static_cast<unsigned>(all));
}

constexpr int kAny = Operation::kAny;
constexpr Operation kOperations[] = {
#define OPERATION(enumerator, text, kind, fewest, most, cost, ...) \
  {Opcode::enumerator, text, OpClass::kind, fewest, most, CostClass::cost, traits(__VA_ARGS__)},
#include "engine/program/ir/operations.def"
#undef OPERATION
};

}  // namespace

std::span<const Operation> operations() {
  return kOperations;
}

const Operation& operation(Opcode opcode) {
  return kOperations[static_cast<size_t>(opcode)];
}

std::string_view opcode_text(Opcode opcode) {
  return operation(opcode).text;
}

Opcode parse_opcode(std::string_view text) {
  static const auto opcodes = [] {
    std::unordered_map<std::string_view, Opcode> map;
    for (const Operation& o : kOperations) map.emplace(o.text, o.opcode);
    return map;
  }();
  const auto found = opcodes.find(text);
  return found == opcodes.end() ? Opcode::unknown : found->second;
}

bool is_collective(Opcode opcode) {
  return operation(opcode).kind == OpClass::collective;
}

std::string_view called_target(Opcode opcode) {
  const std::string_view text = opcode_text(opcode);
  return text.starts_with("chlo.") ? text : std::string_view();
}

bool is_elementwise(Opcode opcode) {
  return operation(opcode).kind == OpClass::elementwise;
}

bool is_known(Opcode opcode) {
  return operation(opcode).kind != OpClass::unknown;
}

bool has(Opcode opcode, Trait trait) {
  return (operation(opcode).traits & static_cast<unsigned>(trait)) != 0;
}

}  // namespace shardscope::inline program
