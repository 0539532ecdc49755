// SPDX-License-Identifier: Apache-2.0
// Rules by opcode: what one module does with each operation, as a table that a test can walk.
#pragma once

#include <array>
#include <initializer_list>

#include "engine/program/ir/opcode.h"

namespace shardscope::inline program {

inline constexpr size_t kOpcodes = static_cast<size_t>(Opcode::unknown) + 1;

// A rule (a function pointer, or a value) for each opcode, Rule() where there is none. Rules of a class hold
// for every operation of it that has no row of its own:
//   static const OpTable<Rule> kRules({{OpClass::elementwise, &elementwise}}, {{Opcode::dot, &dot}, …});
template <typename Rule>
class OpTable {
 public:
  struct OfClass {
    OpClass kind;
    Rule rule;
  };
  struct Row {
    Opcode opcode;
    Rule rule;
  };
  OpTable(std::initializer_list<OfClass> classes, std::initializer_list<Row> rows) {
    for (const Operation& o : operations())
      for (const OfClass& c : classes)
        if (c.kind == o.kind) rules_[static_cast<size_t>(o.opcode)] = c.rule;
    for (const Row& r : rows) rules_[static_cast<size_t>(r.opcode)] = r.rule;
  }
  Rule operator[](Opcode opcode) const { return rules_[static_cast<size_t>(opcode)]; }

 private:
  std::array<Rule, kOpcodes> rules_{};
};

}  // namespace shardscope::inline program
