// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/written_out.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"

namespace shardscope::written_out_test {
namespace {

// x doubled while the counter is below `bound`.
Program loop(const std::string& bound) {
  const auto program = parse_program(R"(HloModule loop

body {
  s = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[4] get-tuple-element(s), index=1
  twice = f32[4] add(x, x)
  ROOT t = (s32[], f32[4]) tuple(next, twice)
}

condition {
  c = (s32[], f32[4]) parameter(0)
  at = s32[] get-tuple-element(c), index=0
  end = s32[] constant()" + bound + R"()
  ROOT more = pred[] compare(at, end), direction=LT
}

ENTRY main {
  start = s32[] parameter(0)
  a = f32[4] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[4]) tuple(zero, a)
  run = (s32[], f32[4]) while(init), condition=condition, body=body
  ROOT out = f32[4] get-tuple-element(run), index=1
}
)");
  EXPECT_TRUE(program.ok()) << program.error().text();
  return *program;
}

std::vector<int32_t> steps_of_doublings(const Program& program) {
  std::vector<int32_t> steps;
  for (const Instruction& i : program.entry_computation().instructions)
    if (i.opcode == Opcode::add && i.shape.rank() == 1) steps.push_back(i.provenance->step);
  return steps;
}

TEST(WrittenOut, ALoopIsItsRoundsOneAfterTheOther) {
  const Program counted = loop("3");
  EXPECT_TRUE(has_parts(counted));
  const auto flat = written_out(counted);
  ASSERT_TRUE(flat.ok()) << flat.error().text();
  EXPECT_FALSE(has_parts(*flat));
  EXPECT_EQ(steps_of_doublings(*flat), (std::vector<int32_t>{0, 1, 2}));
  // No tuple stands between a round and the next: each doubling reads the one before it.
  const Computation& entry = flat->entry_computation();
  EXPECT_EQ(entry.root_instruction().opcode, Opcode::add);
  EXPECT_EQ(entry.at(entry.root_instruction().operands[0]).opcode, Opcode::add);
  EXPECT_EQ(*parse_program(print_program(*flat)), *flat);
}

// Names are read by people: what a round was made from stands beside them, also in a text that asks for it.
TEST(WrittenOut, ARoundSaysWhatItWasMadeFrom) {
  const auto flat = written_out(loop("3"));
  ASSERT_TRUE(flat.ok()) << flat.error().text();
  const auto read = parse_program(print_program(*flat, HloForm{.origins = true}));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(*read, *flat);
  for (const Program& program : {*flat, *read}) {
    int32_t round = 0;
    for (const Instruction& i : program.entry_computation().instructions) {
      if (i.opcode != Opcode::add || i.shape.rank() != 1) continue;
      EXPECT_EQ(source_name(i), "twice");
      EXPECT_EQ(i.provenance->round, round);
      EXPECT_EQ(i.name == "twice", round == 0) << i.name;
      ++round;
    }
    EXPECT_EQ(round, 3);
  }
  EXPECT_EQ(print_program(*flat).find("shardscope.source"), std::string::npos);
}

TEST(WrittenOut, ALoopThatNeverRunsGivesWhatItBeganWith) {
  const auto flat = written_out(loop("0"));
  ASSERT_TRUE(flat.ok()) << flat.error().text();
  EXPECT_EQ(flat->entry_computation().root_instruction().name, "a");
}

TEST(WrittenOut, RoundsThatDependOnDataAreRefused) {
  Program program = loop("3");
  for (Computation& c : program.computations)
    for (Instruction& i : c.instructions)
      if (i.opcode == Opcode::tuple && i.name == "init") i.operands[0] = InstructionId(0);  // the parameter
  const auto flat = written_out(program);
  ASSERT_FALSE(flat.ok());
  EXPECT_NE(flat.error().text().find("rounds that depend on data"), std::string::npos) << flat.error().text();
}

TEST(WrittenOut, AnEndlessLoopIsTooBig) {
  const auto flat = written_out(loop("2000000000"));
  ASSERT_FALSE(flat.ok());
  EXPECT_EQ(flat.error().kind, ErrorKind::too_big);
}

}  // namespace
}  // namespace shardscope::written_out_test
