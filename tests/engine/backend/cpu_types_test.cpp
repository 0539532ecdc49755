// SPDX-License-Identifier: Apache-2.0
// Where XLA's compiler for CPUs rounds what it computes in f32, as in texts of jaxlib 0.10.2.
#include "engine/backend/cpu_types.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"

namespace shardscope::cpu_types_test {
namespace {

// "f32 multiply(x, x)" of every instruction that is no parameter and no constant, by their places.
std::vector<std::string> widened(const std::string& entry) {
  const auto program = parse_program(
      "HloModule m\nsum { a = bf16[] parameter(0)\nb = bf16[] parameter(1)\nROOT s = bf16[] add(a, b) }\n"
      "most { a = bf16[] parameter(0)\nb = bf16[] parameter(1)\nROOT s = bf16[] maximum(a, b) }\n"
      "ENTRY e {\nx = bf16[512,512] parameter(0)\n" +
      entry + "}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  if (!program.ok()) return {};
  FreshNames fresh(*program);
  const Computation made = in_wide_types(*program, program->entry_computation(), {}, fresh);
  std::vector<std::string> out;
  for (const Instruction& i : made.instructions) {
    if (i.opcode == Opcode::parameter || i.opcode == Opcode::constant) continue;
    std::string text = fmt::format("{} {}", name(i.shape.type), opcode_text(i.opcode));
    for (const InstructionId operand : i.operands)
      text += fmt::format(" {}{}", name(made.at(operand).shape.type), operand.value);
    out.push_back(text);
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(CpuTypes, EachResultIsRoundedBeforeTheNextReadsIt) {
  EXPECT_EQ(widened("m = bf16[512,512] multiply(x, x)\nROOT a = bf16[512,512] add(m, x)\n"),
            (Texts{"f32 convert bf160", "f32 multiply f321 f321", "bf16 convert f322", "f32 convert bf163",
                   "f32 add f324 f321", "bf16 convert f325"}));
}

TEST(CpuTypes, WhatReadsItInF32AnywayReadsWhatWasComputed) {
  EXPECT_EQ(widened("m = bf16[512,512] multiply(x, x)\nw = f32[512,512] convert(m)\n"
                    "ROOT s = f32[512,512] sine(w)\n"),
            (Texts{"f32 convert bf160", "f32 multiply f321 f321", "bf16 convert f322", "f32 sine f322"}));
}

TEST(CpuTypes, WhatIsOnlyMovedIsNotRoundedAgain) {
  EXPECT_EQ(widened("t = bf16[512,512] transpose(x), dimensions={1,0}\nROOT a = bf16[512,512] add(t, x)\n"),
            (Texts{"f32 convert bf160", "f32 transpose f321", "bf16 convert f322", "f32 add f322 f321",
                   "bf16 convert f324"}));
}

TEST(CpuTypes, TheLibraryFindsExtremesInBf16AndAddsUpNone) {
  const auto reduced = [](const std::string& by) {
    return widened("z = bf16[] constant(0)\nROOT r = bf16[512] reduce(x, z), dimensions={1}, to_apply=" + by +
                   "\n");
  };
  EXPECT_EQ(reduced("most"), Texts{"bf16 reduce bf160 bf161"});
  EXPECT_EQ(reduced("sum"),
            (Texts{"f32 convert bf160", "f32 convert bf161", "f32 reduce f322 f323", "bf16 convert f324"}));
}

}  // namespace
}  // namespace shardscope::cpu_types_test
