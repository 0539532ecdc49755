// SPDX-License-Identifier: Apache-2.0
// What a module of a TPU needs: tiles, several memories. Figures are memory_analysis() of libtpu's compiler
// for v5e:2x4 of the same arrays.
#include <gtest/gtest.h>
#include <stop_token>

#include "engine/program/ir/program.h"
#include "engine/program/memory/module_memory.h"

namespace shardscope::tiled_memory_test {
namespace {

ModuleMemory memory_of(const std::string& text) {
  const auto program = parse_program("HloModule m, is_scheduled=true\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().text();
  return program.ok() ? *module_memory(*program, LaidOutFor::cpu, {}) : ModuleMemory();
}

// One step of Adam on f32[16,64]: columns are filled up to 128, the result's table takes 512 bytes.
TEST(TiledMemory, ArraysTakeWholeTilesAndTablesTheirOwn) {
  const std::string array = "f32[16,64]{1,0:T(8,128)}";
  const ModuleMemory m =
      memory_of("ENTRY e {\nw = " + array + " parameter(0)\nv = " + array + " parameter(1)\ng = " + array +
                " parameter(2)\nk = " + array + " parameter(3)\na = " + array + " add(w, g)\nb = " + array +
                " multiply(v, k)\nc = " + array + " subtract(w, k)\nROOT t = (" + array + ", " + array +
                ", " + array + ") tuple(a, b, c)\n}\n");
  EXPECT_EQ(m.arguments, 32'768);
  EXPECT_EQ(m.results, 25'088);
  EXPECT_EQ(m.temporaries, 0);
}

// argsort of f32[8,32]: the sorted values lie in HBM, beside the sort's table; keys and numbers in VMEM do
// not count. What lies between buffers counts twice.
TEST(TiledMemory, OtherMemoriesAreNoneOfTheLargeOne) {
  const ModuleMemory m = memory_of(
      "less {\na = f32[] parameter(0)\nb = f32[] parameter(1)\nc = s32[] parameter(2)\nd = s32[] "
      "parameter(3)\n"
      "ROOT r = pred[] compare(a, b), direction=LT\n}\nENTRY e {\n"
      "x = f32[8,32]{1,0:T(8,128)} parameter(0)\n"
      "k = f32[8,32]{0,1:T(8,128)S(1)} copy(x)\ni = s32[8,32]{0,1:T(8,128)S(1)} iota(), iota_dimension=1\n"
      "s = (f32[8,32]{0,1:T(8,128)}, s32[8,32]{0,1:T(8,128)S(1)}) sort(k, i), dimensions={1}, to_apply=less\n"
      "n = s32[8,32]{0,1:T(8,128)S(1)} get-tuple-element(s), index=1\n"
      "ROOT y = s32[8,32]{1,0:T(8,128)} copy(n)\n}\n");
  EXPECT_EQ(m.arguments, 4096);
  EXPECT_EQ(m.results, 4096);
  EXPECT_EQ(m.temporaries, 48'640);
}

const std::string kPieces =
    "ENTRY e {\np = bf16[64,256]{1,0:T(8,128)(2,1)} parameter(0)\n"
    "s = ((bf16[64,256]{1,0:T(8,128)(2,1)}), bf16[16,256]{1,0:T(8,128)(2,1)S(1)}, s32[]{:S(2)}) "
    "slice-start(p), slice={[0:16], [0:256]}\n"
    "d = bf16[16,256]{1,0:T(8,128)(2,1)S(1)} slice-done(s)\n"
    "ROOT c = bf16[16,256]{1,0:T(8,128)(2,1)} copy(d)\n}\n";

// Weights come to VMEM in pieces; where only tables are left in HBM there is no temporary.
TEST(TiledMemory, APieceOnItsWayIsNoCopyInTheLargeMemory) {
  const ModuleMemory m = memory_of(kPieces);
  EXPECT_EQ(m.arguments, 32'768);
  EXPECT_EQ(m.results, 8192);
  EXPECT_EQ(m.temporaries, 0);
}

const std::string kFour = "f32[1024,1024]{1,0:T(8,128)}", kEight = "f32[2048,1024]{1,0:T(8,128)}";
constexpr double kMiB = 1 << 20;

// XLA:TPU's heap runs as the program does: c takes half of what a has left, so that d finds no room there.
// What is said is 2 x 20 MiB less the 8 that are used at a time.
TEST(TiledMemory, TheHeapKnowsNothingOfWhatComes) {
  const ModuleMemory m =
      memory_of("ENTRY e {\np = " + kEight + " parameter(0)\na = " + kEight + " sine(p)\nb = " + kFour +
                " slice(a), slice={[0:1024], [0:1024]}\nc = " + kFour + " cosine(b)\nd = " + kEight +
                " concatenate(b, c), dimensions={0}\nROOT r = f32[8,1024]{1,0:T(8,128)} slice(d), "
                "slice={[0:8], [0:1024]}\n}\n");
  EXPECT_NEAR(static_cast<double>(m.temporaries) / kMiB, 2 * 20 - 8, 0.2);
}

// A sum may stand in its operand's place, and does where a kernel made that alone; an element of a tuple
// keeps its own.
TEST(TiledMemory, SumsStandInThePlaceOfADirectOperand) {
  const std::string sum =
      "sum { x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT z = f32[] add(x, y) }\n"
      "two { x = " +
      kFour + " parameter(0)\ns = " + kFour +
      " sine(x)\nc = f32[8,1024]{1,0:T(8,128)} slice(x), "
      "slice={[0:8], [0:1024]}\nROOT t = (" +
      kFour + ", f32[8,1024]{1,0:T(8,128)}) tuple(s, c) }\n";
  const std::string all_reduce =
      ", channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum, "
      "backend_config={\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"1\"]}]}}\n";
  const std::string end = "ROOT r = f32[8,1024]{1,0:T(8,128)} slice(b), slice={[0:8], [0:1024]}\n}\n";
  const ModuleMemory direct = memory_of(sum + "ENTRY e {\np = " + kFour + " parameter(0)\na = " + kFour +
                                        " sine(p)\nb = " + kFour + " all-reduce(a)" + all_reduce + end);
  const ModuleMemory element =
      memory_of(sum + "ENTRY e {\np = " + kFour + " parameter(0)\nt = (" + kFour +
                ", f32[8,1024]{1,0:T(8,128)}) fusion(p), kind=kLoop, calls=two\na = " + kFour +
                " get-tuple-element(t), index=0\nb = " + kFour + " all-reduce(a)" + all_reduce + end);
  EXPECT_NEAR(static_cast<double>(direct.temporaries) / kMiB, 4, 0.2);
  EXPECT_NEAR(static_cast<double>(element.temporaries) / kMiB, 2 * 8 - 4, 0.2);
}

// Who takes the second element later needs no more of the first.
TEST(TiledMemory, ElementsOfATupleLiveByThemselves) {
  const std::string two = "two { x = " + kFour + " parameter(0)\ns = " + kFour + " sine(x)\nc = " + kFour +
                          " cosine(x)\nROOT t = (" + kFour + ", " + kFour + ") tuple(s, c) }\n";
  const ModuleMemory m = memory_of(
      two + "ENTRY e {\np = " + kFour + " parameter(0)\nt = (" + kFour + ", " + kFour +
      ") fusion(p), kind=kLoop, calls=two\na = " + kFour + " get-tuple-element(t), index=0\n" +
      "u = f32[8,1024]{1,0:T(8,128)} slice(a), slice={[0:8], [0:1024]}\nq = " + kFour +
      " sine(p)\nv = f32[8,1024]{1,0:T(8,128)} slice(q), slice={[0:8], [0:1024]}\nb = " + kFour +
      " get-tuple-element(t), index=1\nw = f32[8,1024]{1,0:T(8,128)} slice(b), slice={[0:8], [0:1024]}\n"
      "x = f32[8,1024]{1,0:T(8,128)} add(u, v)\nROOT y = f32[8,1024]{1,0:T(8,128)} add(x, w)\n}\n");
  EXPECT_NEAR(static_cast<double>(m.temporaries) / kMiB, 8, 0.3);
}

TEST(TiledMemory, LayoutsAndPiecesArePrintedAsTheyAre) {
  const auto program = parse_program("HloModule m, is_scheduled=true\n" + kPieces);
  ASSERT_TRUE(program.ok()) << program.error().text();
  const std::string text = print_program(*program);
  EXPECT_NE(text.find("{1,0:T(8,128)(2,1)S(1)}"), std::string::npos);
  EXPECT_NE(text.find("slice-start("), std::string::npos);
  EXPECT_NE(text.find("slice={[0:16], [0:256]}"), std::string::npos);
  const auto again = parse_program(text);
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_TRUE(*again == *program);
}

}  // namespace
}  // namespace shardscope::tiled_memory_test
