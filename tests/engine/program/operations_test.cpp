// SPDX-License-Identifier: Apache-2.0
// The table of operations: each trait is said of the operations that have it, and of no other one.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "engine/program/analysis/tuple_elements.h"
#include "engine/program/ir/opcode.h"
#include "engine/program/ir/program.h"

namespace shardscope::operations_test {
namespace {

// The texts of the operations that have it, in the table's order.
std::string having(Trait trait) {
  std::string out;
  for (const Operation& o : operations())
    if (has(o.opcode, trait)) out += (out.empty() ? "" : " ") + std::string(o.text);
  return out;
}

TEST(Operations, HaveTheTraitsThatTheirNamesSay) {
  EXPECT_EQ(having(Trait::part), "while conditional call fusion");
  EXPECT_EQ(having(Trait::inlined), "call fusion");
  EXPECT_EQ(having(Trait::forwards), "tuple copy opt-barrier domain");
  EXPECT_EQ(having(Trait::same_order), "copy bitcast reshape");
  EXPECT_EQ(having(Trait::same_array), "copy convert reduce-precision");
  EXPECT_EQ(having(Trait::updates), "dynamic-update-slice scatter");
  EXPECT_EQ(having(Trait::contracts), "dot ragged-dot");
  EXPECT_EQ(having(Trait::device_number), "partition-id replica-id");
  EXPECT_EQ(having(Trait::sums), "all-reduce reduce-scatter");
  EXPECT_EQ(having(Trait::by_pairs), "collective-permute collective-permute-start");
  EXPECT_EQ(having(Trait::same_result), "all-reduce all-gather all-gather-start all-reduce-start");
  EXPECT_EQ(having(Trait::view), "bitcast reshape opt-barrier");
  EXPECT_EQ(having(Trait::spelled), "constant iota");
  EXPECT_EQ(having(Trait::extreme), "maximum minimum");
  EXPECT_EQ(having(Trait::partial), "dot convolution reduce");
}

// What a trait says follows for class, cost and operands of whoever has it.
TEST(Operations, HaveTraitsThatFitTheirRows) {
  for (const Operation& o : operations()) {
    const auto is = [&](Trait trait) { return has(o.opcode, trait); };
    const auto goes_with = [&](Trait trait, bool row) { EXPECT_TRUE(!is(trait) || row) << o.text; };
    goes_with(Trait::inlined, is(Trait::part));
    goes_with(Trait::part, o.cost == CostClass::called);
    goes_with(Trait::view, o.cost == CostClass::free && o.fewest_operands == 1);
    goes_with(Trait::spelled, o.kind == OpClass::source && o.most_operands == 0);
    goes_with(Trait::extreme, o.kind == OpClass::elementwise && o.fewest_operands == 2);
    goes_with(Trait::partial, o.cost != CostClass::free && o.fewest_operands == 2);
    goes_with(Trait::sums, o.kind == OpClass::collective);
    goes_with(Trait::moves, o.kind == OpClass::collective);
    goes_with(Trait::ends, o.cost == CostClass::free);
  }
}

TEST(TupleElements, AreFoundWhereATupleIsMade) {
  const auto program = parse_program(R"(HloModule m
ENTRY e {
  s = (s32[], f32[2]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  c = s32[] copy(n)
  again = s32[] copy(c)
  t = (s32[], f32[2]) tuple(again, x)
  y = f32[2] get-tuple-element(t), index=1
  ROOT r = (s32[], f32[2]) tuple(c, y)
})");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Computation& c = program->entry_computation();
  const auto at = [&](int64_t k) -> const Instruction& { return c.at(InstructionId(k)); };
  EXPECT_EQ(parameter_element(c, at(1)), 0U);
  EXPECT_EQ(parameter_element(c, at(2)), 1U);
  EXPECT_EQ(parameter_element(c, at(3)), std::nullopt);  // a copy is none itself
  EXPECT_EQ(parameter_element(c, at(6)), std::nullopt);  // of a tuple that is made here
  EXPECT_EQ(behind_copies(c, InstructionId(4)).name, "n");
  EXPECT_EQ(behind_copies(c, InstructionId(2)).name, "x");
  EXPECT_EQ(element_in(c, InstructionId(5), 1), InstructionId(2));
  EXPECT_EQ(element_in(c, c.root, 0), InstructionId(3));
  EXPECT_EQ(element_in(c, c.root, 2), std::nullopt);
  EXPECT_EQ(element_in(c, InstructionId(0), 0), std::nullopt);  // nobody says what is in there
}

}  // namespace
}  // namespace shardscope::operations_test
