// SPDX-License-Identifier: Apache-2.0
// What a module that XLA compiled for GPUs needs. Figures are memory_analysis() of its compiler for an H200
// of texts like these.
#include <gtest/gtest.h>

#include "engine/program/ir/program.h"
#include "engine/program/memory/module_memory.h"

namespace shardscope::gpu_memory_test {
namespace {

constexpr int64_t kKiB = 1024;  // f32[256]

int64_t temporaries(const std::string& entry, const std::string& more = "") {
  const auto program = parse_program(
      "HloModule m, is_scheduled=true, num_partitions=8\n"
      "add { p = f32[] parameter(0)\nq = f32[] parameter(1)\nROOT r = f32[] add(p, q) }\n" +
      more + "ENTRY e {\n" + entry + "\n}\n");
  EXPECT_TRUE(program.ok()) << program.error().text();
  return program.ok() ? module_memory(*program, LaidOutFor::gpu, {})->temporaries : -1;
}

// A table of places has its own 256 bytes all the time. The tables stand in front of the arrays here, the
// first one behind them.
TEST(GpuMemory, TablesGiveTheirPlaceToNothing) {
  const std::string pairs =
      "s = ((f32[4,8]), f32[4,8]) all-to-all-start(x), channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, "
      "dimensions={1}\nd = f32[4,8] all-to-all-done(s)\n"
      "t = (f32[4,8], f32[4,8]) collective-permute-start(d), channel_id=2, "
      "source_target_pairs={{0,1},{1,0}}\n"
      "ROOT c = f32[4,8] collective-permute-done(t)";
  EXPECT_EQ(temporaries("x = f32[4,8] parameter(0)\n" + pairs), 3 * 256 + 128);
  const std::string sum =
      "\nr = f32[4,8] parameter(1)\n"
      "a = f32[] constant(0)\nb = f32[4] reduce(r, a), dimensions={1}, to_apply=add";
  EXPECT_EQ(temporaries("x = f32[4,8] parameter(0)" + sum + "\n" + pairs), 3 * 256 + 16);
}

// Of several results what ends a pair has a table beside that of its start; a permute has none of operands.
TEST(GpuMemory, ATupleOfResultsHasATableOnBothSidesOfAPair) {
  const std::string both = "(f32[4,8], f32[4,8])";
  const auto pair = [&](const std::string& kind, const std::string& how) {
    return "x = f32[4,8] parameter(0)\ny = f32[4,8] parameter(1)\n"
           "s = (" +
           both + ", " + both + ") " + kind + "-start(x, y), channel_id=1, " + how + "\n" + "d = " + both +
           " " + kind + "-done(s)\ng = f32[4,8] get-tuple-element(d), index=0\n" +
           "h = f32[4,8] get-tuple-element(d), index=1\n" +
           "ROOT r = f32[2,8] custom-call(g, h), custom_call_target=\"f\"";
  };
  EXPECT_EQ(temporaries(pair("collective-permute", "source_target_pairs={{0,1},{1,0}}")), 4 * 256 + 128);
}

// NCCL sums in place, and a started sum must.
TEST(GpuMemory, AStartedSumStandsInItsOperand) {
  EXPECT_EQ(temporaries("x = f32[256] parameter(0)\n"
                        "n = f32[256] custom-call(x), custom_call_target=\"f\"\n"
                        "s = f32[256] all-reduce-start(n), channel_id=1, replica_groups={}, to_apply=add\n"
                        "d = f32[256] all-reduce-done(s)\n"
                        "ROOT r = f32[2] slice(d), slice={[0:2]}"),
            kKiB);
}

const char* const kSumsRows =
    "sums { p = f32[4,64] parameter(0)\nz = f32[] constant(0)\ne = f32[4,64] exponential(p)\n"
    "r = f32[4] reduce(e, z), dimensions={1}, to_apply=add\nROOT t = (f32[4], f32[4,64]) tuple(r, e) }\n";
std::string exponentials(const std::string& kind) {
  return "x = f32[4,64] parameter(0)\na = f32[4,64] custom-call(x), custom_call_target=\"f\"\n"
         "f = (f32[4], f32[4,64]) fusion(a), kind=" +
         kind +
         ", calls=sums\n"
         "g = f32[4] get-tuple-element(f), index=0\nh = f32[4,64] get-tuple-element(f), index=1\n"
         "ROOT r = f32[2] custom-call(g, h), custom_call_target=\"f\"";
}
// The code of a reduction is done with what it reduces before it writes; a loop is not.
TEST(GpuMemory, AKernelThatReducesWritesOverWhatItReads) {
  EXPECT_EQ(temporaries(exponentials("kInput"), kSumsRows), kKiB + 256 + 16);
  EXPECT_EQ(temporaries(exponentials("kLoop"), kSumsRows), 2 * kKiB + 256 + 16);
}

// By way of an element of a tuple it is not the reader of the instruction that made it.
TEST(GpuMemory, OnlyWhatAnInstructionItselfMadeIsWrittenOver) {
  const auto after = [](const std::string& made) {
    return "x = f32[4,64] parameter(0)\n" + made +
           "n = f32[4,64] negate(a)\nROOT r = f32[2] custom-call(n), custom_call_target=\"f\"";
  };
  EXPECT_EQ(temporaries(after("a = f32[4,64] custom-call(x), custom_call_target=\"f\"\n")), kKiB);
  EXPECT_EQ(temporaries(after("c = (f32[4,64], u8[0]) custom-call(x), custom_call_target=\"f\"\n"
                              "a = f32[4,64] get-tuple-element(c), index=0\n")),
            256 + 2 * kKiB);
}

// f32[2,64] sorted beside their places, as XLA compiles a descending sort: 528 bytes.
TEST(GpuMemory, ASortChangesWhatItIsGiven) {
  const std::string sort =
      "less { a = f32[] parameter(0)\nb = f32[] parameter(1)\nc = s32[] parameter(2)\nd = s32[] "
      "parameter(3)\n"
      "ROOT l = pred[] compare(a, b), direction=LT }\n"
      "sorted { p = f32[2,64] parameter(0)\ni = s32[2,64] iota(), iota_dimension=1\n"
      "ROOT s = (f32[2,64], s32[2,64]) sort(p, i), dimensions={1}, to_apply=less }\n";
  EXPECT_EQ(temporaries("x = f32[2,64] parameter(0)\nn = f32[2,64] negate(x)\n"
                        "f = (f32[2,64], s32[2,64]) fusion(n), kind=kCustom, calls=sorted\n"
                        "g = f32[2,64] get-tuple-element(f), index=0\nROOT r = f32[2,64] negate(g)",
                        sort),
            512 + 16);
}

int64_t before_compilation(const std::string& entry) {
  const auto program = parse_program("HloModule m, num_partitions=8\nENTRY e {\n" + entry + "\n}\n");
  EXPECT_TRUE(program.ok()) << program.error().text();
  return program.ok() ? module_memory(*program, LaidOutFor::gpu, {})->temporaries : -1;
}

// A number has no kernel of its own: who reads it computes it.
TEST(GpuMemory, NumbersAreComputedWhereTheyAreRead) {
  EXPECT_EQ(before_compilation("x = f32[256] parameter(0)\np = s32[] parameter(1)\nn = s32[] add(p, p)\n"
                               "ROOT r = f32[4] dynamic-slice(x, n), dynamic_slice_sizes={4}"),
            0);
}

// What is exchanged along the second dimension lies with that one outermost, and what turns it back is none.
TEST(GpuMemory, ATransposeAloneInItsKernelReadsAnExchangeAsItLies) {
  const auto program = parse_program(
      "HloModule m, num_partitions=2\nturn { p = f32[16,2,8] parameter(0)\n"
      "ROOT t = f32[2,16,8] transpose(p), dimensions={1,0,2} }\nENTRY e {\nx = f32[16,2,8] parameter(0)\n"
      "a = f32[16,2,8] all-to-all(x), channel_id=1, replica_groups={{0,1}}, dimensions={1}\n"
      "t = f32[2,16,8] fusion(a), kind=kLoop, calls=turn\n"
      "ROOT r = f32[2,16,8] collective-permute(t), channel_id=2, source_target_pairs={{0,1},{1,0}} }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_EQ(module_memory(*program, LaidOutFor::gpu, {})->temporaries, kKiB) << "the other is in the result";
}

// Two, of 256 bytes each: of the operand with the result, and of the operand.
TEST(GpuMemory, WhatOtherWorkRunsBesideIsAPairWithTables) {
  const std::string exchange =
      "x = f32[256] parameter(0)\ng = f32[2048] all-gather(x), channel_id=1, "
      "replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}, use_global_device_ids=true\n";
  const std::string last = "ROOT r = f32[2] custom-call(g, n), custom_call_target=\"f\"";
  const int64_t arrays = 9 * kKiB;
  EXPECT_EQ(before_compilation(exchange + "n = f32[256] negate(x)\n" + last), arrays + 512);
  EXPECT_EQ(before_compilation("n = f32[256] parameter(1)\n" + exchange + last), 8 * kKiB);
}

}  // namespace
}  // namespace shardscope::gpu_memory_test
