// SPDX-License-Identifier: Apache-2.0
// In which type sums travel between devices (--sum-dtype).
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/strategies/strategy.h"

namespace shardscope::sum_type_test {
namespace {

Program planned(const char* id, ElementType dtype, SumType sum) {
  const MatmulProblem problem{64, 64, 64, dtype, ElementType::f32, sum};
  auto program = (*find_strategy(id))->plan(*Mesh::parse("row=2,col=2"), problem, {});
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return *std::move(program);
}

// Bytes that collectives of one device take in.
int64_t bytes_sent_on(const Program& program) {
  int64_t bytes = 0;
  const Computation& entry = program.entry_computation();
  for (const Instruction& i : entry.instructions)
    if (is_collective(i.opcode)) bytes += entry.at(i.operands[0]).shape.bytes();
  return bytes;
}

TEST(SumType, SumsThatTravelRoundedAreHalfAsLong) {
  for (const char* id : {"psum", "pallas.permute_psum"}) {
    const Program wide = planned(id, ElementType::bf16, SumType::f32);
    const Program narrow = planned(id, ElementType::bf16, SumType::result);
    EXPECT_LT(bytes_sent_on(narrow), bytes_sent_on(wide)) << id;
    EXPECT_FALSE(wide == narrow) << id;
  }
  EXPECT_EQ(bytes_sent_on(planned("psum", ElementType::bf16, SumType::result)) * 2,
            bytes_sent_on(planned("psum", ElementType::bf16, SumType::f32)));
}

TEST(SumType, NoProgramSendsSumsWiderThanItsResult) {
  const Mesh mesh = *Mesh::parse("row=2,col=2");
  const MatmulProblem problem{64, 64, 64, ElementType::bf16, ElementType::f32, SumType::result};
  int planned = 0;
  for (const Strategy& strategy : strategies()) {
    const auto program = strategy.plan(mesh, problem, {});
    if (!program.ok() || strategy.kind != StrategyKind::matmul) continue;
    const Computation& entry = program->entry_computation();
    const bool keeps_f32 = entry.at(entry.root).shape.type == ElementType::f32;
    for (const Instruction& i : entry.instructions) {
      if (!is_collective(i.opcode) || keeps_f32) continue;
      EXPECT_NE(i.shape.type, ElementType::f32) << strategy.id << ": " << i.name;
    }
    ++planned;
  }
  EXPECT_GT(planned, 20);
}

TEST(SumType, TypesWhoseProductsAreNoWiderHaveNoChoice) {
  for (const ElementType type : {ElementType::f32, ElementType::f8e4m3fn})
    EXPECT_TRUE(planned("psum", type, SumType::result) == planned("psum", type, SumType::f32));
}

}  // namespace
}  // namespace shardscope::sum_type_test
