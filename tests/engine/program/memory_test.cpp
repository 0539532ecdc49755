// SPDX-License-Identifier: Apache-2.0
// What a module needs of a device, by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <stop_token>

#include "engine/program/ir/program.h"
#include "engine/program/memory/module_memory.h"

namespace shardscope::memory_test {
namespace {

constexpr int64_t kKiB = 1024;  // f32[256]

ModuleMemory memory_of(const std::string& entry, const std::string& more = "", const std::string& head = "") {
  const auto program = parse_program("HloModule m" + head + "\n" + more + "\nENTRY e {\n" + entry + "\n}\n");
  EXPECT_TRUE(program.ok()) << program.error().text();
  return program.ok() ? *module_memory(*program, LaidOutFor::cpu, {}) : ModuleMemory();
}

TEST(ModuleMemory, ArgumentsAndResultsAreThereAllTheTime) {
  const ModuleMemory m = memory_of("x = f32[256] parameter(0)\nROOT y = f32[256] negate(x)");
  EXPECT_EQ(m.arguments, kKiB);
  EXPECT_EQ(m.results, kKiB);
  EXPECT_EQ(m.temporaries, 0);
}

// As XLA:TPU calls the host back: what ends has not the values that its name promises.
TEST(ModuleMemory, WhatIsReceivedFromTheHostHasMemoryOfItsOwn) {
  const ModuleMemory m = memory_of(
      "t = token[] after-all()\n"
      "r = (f32[256], u32[], token[]) recv(t), channel_id=3, is_host_transfer=true\n"
      "d = (f32[256], token[]) recv-done(r), channel_id=3, is_host_transfer=true\n"
      "g = f32[256] get-tuple-element(d), index=0\n"
      "s = (f32[256], u32[], token[]) send(g, t), channel_id=4, is_host_transfer=true\n"
      "e = token[] send-done(s), channel_id=4, is_host_transfer=true\nROOT n = f32[256] negate(g)");
  EXPECT_GE(m.bytes(), 1024);
  EXPECT_LT(m.bytes(), 8 * 1024);
}

TEST(ModuleMemory, ElementwiseWorkIsDoneInTheMemoryOfWhatNobodyReadsAfterIt) {
  const std::string twice = "x = f32[256] parameter(0)\na = f32[256] sine(x)\nb = f32[256] cosine(a)\n";
  EXPECT_EQ(memory_of(twice + "ROOT s = f32[128] slice(b), slice={[0:128]}").temporaries, kKiB);
  // a is read again, so b has its own.
  EXPECT_EQ(
      memory_of(twice + "c = f32[256] add(a, b)\nROOT s = f32[128] slice(c), slice={[0:128]}").temporaries,
      2 * kKiB);
}

// What a branch makes first lies where its result will be.
TEST(ModuleMemory, ABranchWorksInTheMemoryOfItsResult) {
  const ModuleMemory m = memory_of(
      "n = s32[] parameter(0)\nx = f32[256] parameter(1)\n"
      "ROOT c = f32[256] conditional(n, x, x), branch_computations={one, other}",
      "one { x = f32[256] parameter(0)\nr = f32[256] reverse(x), dimensions={0}\n"
      "ROOT s = f32[256] sine(r) }\n"
      "other { x = f32[256] parameter(0)\nr = f32[256] reverse(x), dimensions={0}\n"
      "ROOT s = f32[256] cosine(r) }\n");
  EXPECT_EQ(m.results, kKiB);
  EXPECT_LT(m.temporaries, kKiB);
}

TEST(ModuleMemory, AResultsMemoryIsUsedUntilItIsMade) {
  const ModuleMemory m = memory_of(
      "x = f32[256] parameter(0)\na = f32[128] slice(x), slice={[0:128]}\n"
      "b = f32[128] reverse(a), dimensions={0}\nc = f32[128] reverse(b), dimensions={0}\n"
      "ROOT y = f32[256] concatenate(c, c), dimensions={0}");
  // a lies where y will be; b beside it; c where a was, or in y's place no more: y is made of it.
  EXPECT_LE(m.temporaries, kKiB);
  EXPECT_GE(m.temporaries, kKiB / 2);
}

std::string loop(const std::string& body) {
  return "cond { p = (s32[], f32[256], f32[8,256]) parameter(0)\ni = s32[] get-tuple-element(p), index=0\n"
         "n = s32[] constant(8)\nROOT r = pred[] compare(i, n), direction=LT }\n"
         "body { p = (s32[], f32[256], f32[8,256]) parameter(0)\ni = s32[] get-tuple-element(p), index=0\n"
         "x = f32[256] get-tuple-element(p), index=1\nall = f32[8,256] get-tuple-element(p), index=2\n"
         "one = s32[] constant(1)\nj = s32[] add(i, one)\nz = s32[] constant(0)\n" +
         body + "ROOT r = (s32[], f32[256], f32[8,256]) tuple(j, y, to) }\n";
}
const std::string kAround =
    "x = f32[256] parameter(0)\nz = s32[] constant(0)\nf = f32[] constant(0)\n"
    "b = f32[8,256] broadcast(f), dimensions={}\na = f32[256] sine(x)\n"
    "t = (s32[], f32[256], f32[8,256]) tuple(z, a, b)\n"
    "w = (s32[], f32[256], f32[8,256]) while(t), condition=cond, body=body\n"
    "ROOT out = f32[8,256] get-tuple-element(w), index=2";

TEST(ModuleMemory, WhatALoopCarriesIsOneBufferUpdatedInPlace) {
  const ModuleMemory m = memory_of(kAround, loop("y = f32[256] cosine(x)\nu = f32[1,256] reshape(y)\n"
                                                 "to = f32[8,256] dynamic-update-slice(all, u, i, z)\n"));
  EXPECT_EQ(m.results, 8 * kKiB);      // the stack: the loop's own
  EXPECT_LT(m.temporaries, 2 * kKiB);  // x and y are one; counters and tables are small
  EXPECT_GE(m.temporaries, kKiB);
}

TEST(ModuleMemory, AStackThatIsReadAfterItsUpdateIsCopied) {
  const ModuleMemory m =
      memory_of(kAround, loop("c = f32[256] cosine(x)\nu = f32[1,256] reshape(c)\n"
                              "to = f32[8,256] dynamic-update-slice(all, u, i, z)\n"
                              "old = f32[1,256] dynamic-slice(all, i, z), dynamic_slice_sizes={1,256}\n"
                              "o = f32[256] reshape(old)\ny = f32[256] add(o, c)\n"));
  EXPECT_GE(m.temporaries, 8 * kKiB);
}

TEST(ModuleMemory, ADonatedArgumentIsTheResult) {
  const std::string step = "x = f32[256] parameter(0)\nROOT y = f32[256] negate(x)";
  const ModuleMemory m = memory_of(step, "", ", input_output_alias={ {}: (0, {}, may-alias) }");
  EXPECT_EQ(m.aliased, kKiB);
  EXPECT_EQ(m.bytes(), kKiB);
  EXPECT_EQ(memory_of(step, "", ", buffer_donor={ (0, {}) }").bytes(), kKiB);
}

TEST(ModuleMemory, AFusionHasNoInnerArrays) {
  const ModuleMemory m =
      memory_of("x = f32[256] parameter(0)\nROOT f = f32[] fusion(x), kind=kInput, calls=fused",
                "add { u = f32[] parameter(0)\nv = f32[] parameter(1)\nROOT s = f32[] add(u, v) }\n"
                "fused { p = f32[256] parameter(0)\nb = f32[16,256] broadcast(p), dimensions={1}\n"
                "e = f32[16,256] exponential(b)\nz = f32[] constant(0)\n"
                "ROOT r = f32[] reduce(e, z), dimensions={0,1}, to_apply=add }");
  EXPECT_EQ(m.temporaries, 0);
}

// A square of a square of a …: 64 times would be 2^64 ways from the parameter to the root.
TEST(ModuleMemory, AFusionThatSquaresAgainAndAgainIsDecidedOnceForEachValue) {
  std::string squares = "f { x = f32[256] parameter(0)\n";
  for (int k = 0; k < 64; ++k)
    squares +=
        fmt::format("{}q{} = f32[256] multiply({}, {})\n", k == 63 ? "ROOT " : "", k,
                    k == 0 ? "x" : fmt::format("q{}", k - 1), k == 0 ? "x" : fmt::format("q{}", k - 1));
  const ModuleMemory m = memory_of(
      "x = f32[256] parameter(0)\na = f32[256] sine(x)\nb = f32[256] fusion(a), kind=kLoop, calls=f\n"
      "ROOT s = f32[128] slice(b), slice={[0:128]}",
      squares + "}\n");
  EXPECT_EQ(m.temporaries, kKiB);  // in the memory of a
}

// A library's call works in the memory of what it is given where it says so.
TEST(ModuleMemory, ACustomCallIsInTheMemoryOfTheOperandThatItNames) {
  const std::string call =
      "x = f32[256] parameter(0)\na = f32[256] sine(x)\n"
      "q = (f32[256], s32[]) custom-call(a), custom_call_target=\"f\"";
  const std::string rest =
      "\nb = f32[256] get-tuple-element(q), index=0\n"
      "ROOT s = f32[128] slice(b), slice={[0:128]}";
  const int64_t apart = memory_of(call + rest).temporaries;
  EXPECT_EQ(memory_of(call + ", output_to_operand_aliasing={{0}: (0, {})}" + rest).temporaries, apart - kKiB);
  // Numbers and paths that lead nowhere say nothing.
  EXPECT_EQ(memory_of(call + ", output_to_operand_aliasing={{7}: (0, {}), {0}: (9, {3})}" + rest).temporaries,
            apart);
}

// Along the rows `a` is read as it is. Along the columns they are outermost meanwhile: one copy of the
// operand in front of it, in the place of which `a` cannot lie, and one of the result behind it, which is the
// module's.
TEST(ModuleMemory, WhatIsGatheredAlongAnInnerDimensionIsCopiedBeforeAndAfter) {
  const auto gathered = [](int64_t dimension) {
    return memory_of(fmt::format(
        "x = f32[16,16] parameter(0)\na = f32[16,16] custom-call(x), custom_call_target=\"f\"\n"
        "ROOT g = f32[{}] all-gather(a), channel_id=1, replica_groups={{{{0,1}}}}, dimensions={{{}}}, "
        "use_global_device_ids=true",
        dimension == 0 ? "32,16" : "16,32", dimension));
  };
  EXPECT_EQ(gathered(0).temporaries, kKiB);
  EXPECT_EQ(gathered(1).temporaries, 3 * kKiB);  // one of the small ones lies where the result will be
}

// Each device sends one half and gets one: four arrays, of which one lies where the result will be.
TEST(ModuleMemory, WhatIsExchangedIsCutIntoPieces) {
  const ModuleMemory m = memory_of(
      "x = f32[2,128] parameter(0)\n"
      "g = f32[2,128] all-to-all(x), channel_id=1, replica_groups={{0,1}}, dimensions={0}\n"
      "ROOT y = f32[128,2] transpose(g), dimensions={1,0}");
  EXPECT_EQ(m.temporaries, 3 * kKiB / 2);
}

TEST(ModuleMemory, AProductGivesItsTransposeItselfAndFindsItsBatchesInFront) {
  const std::string two = "x = f32[16,16] parameter(0)\ny = f32[16,16] parameter(1)\n";
  EXPECT_EQ(memory_of(two + "d = f32[16,16] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
                            "ROOT t = f32[16,16] transpose(d), dimensions={1,0}")
                .temporaries,
            0);
  const auto batched = [](const char* dims, const char* numbers) {
    return memory_of(
        fmt::format("x = f32[{0}] parameter(0)\ny = f32[{0}] parameter(1)\n"
                    "ROOT d = f32[4,8,8] dot(x, y), {1}",
                    dims, numbers));
  };
  EXPECT_EQ(batched("4,8,8",
                    "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                    "rhs_contracting_dims={1}")
                .temporaries,
            0);
  EXPECT_EQ(batched("8,4,8",
                    "lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
                    "rhs_contracting_dims={0}")
                .temporaries,
            2 * kKiB);
}

// The library overwrites a copy in columns; what it gives is copied back.
TEST(ModuleMemory, ALibraryOfColumnsReadsAndWritesColumns) {
  const auto called = [](const char* target) {
    return memory_of(
        fmt::format("x = f32[16,16] parameter(0)\ny = f32[16,16] parameter(1)\n"
                    "ROOT s = f32[16,16] custom-call(x, y), custom_call_target=\"{}\"",
                    target));
  };
  EXPECT_EQ(called("f").temporaries, 0);
  EXPECT_EQ(called("lapack_strsm_ffi").temporaries, kKiB);  // the copy of x lies where the result will be
}

// Two gradients summed over the same devices go together: when the second is summed all four arrays are
// there. One that waits for the other does not.
TEST(ModuleMemory, SumsThatAreCombinedAreThereTogether) {
  const auto summed = [](const char* second) {
    return memory_of(fmt::format("x = f32[16,16] parameter(0)\na = f32[16,16] custom-call(x), "
                                 "custom_call_target=\"f\"\n"
                                 "s = f32[16,16] all-reduce(a), channel_id=1, replica_groups={{{{0,1}}}}, "
                                 "use_global_device_ids=true, to_apply=add\nt = f32[8,16] slice(s), "
                                 "slice={{[0:8], [0:16]}}\n"
                                 "b = f32[16,16] custom-call({}), custom_call_target=\"g\"\n"
                                 "u = f32[16,16] all-reduce(b), channel_id=2, replica_groups={{{{0,1}}}}, "
                                 "use_global_device_ids=true, to_apply=add\n"
                                 "ROOT r = (f32[8,16], f32[16,16]) tuple(t, u)",
                                 second),
                     "add { p = f32[] parameter(0)\nq = f32[] parameter(1)\nROOT r = f32[] add(p, q) }\n");
  };
  const int64_t table = 64;  // of the tuple
  EXPECT_LE(summed("s").temporaries, 2 * kKiB + table);
  EXPECT_GE(summed("x").temporaries, 3 * kKiB);
  EXPECT_LE(summed("x").temporaries, 3 * kKiB + table);
}

// XLA's compiler for CPUs combines all of them, whatever they take: three tables of 128 MB of a DLRM.
TEST(ModuleMemory, LargeSumsAreCombinedOnCpus) {
  const auto sum = [](const char* to, const char* of, int channel) {
    return fmt::format(
        "{} = f32[2048,2048] all-reduce({}), channel_id={}, replica_groups={{{{0,1}}}}, "
        "use_global_device_ids=true, to_apply=add\n",
        to, of, channel);
  };
  const ModuleMemory m = memory_of(
      "x = f32[2048,2048] parameter(0)\na = f32[2048,2048] reverse(x), dimensions={0}\n" + sum("s", "a", 1) +
          "c = f32[8,16] slice(s), slice={[0:8], [0:16]}\nb = f32[2048,2048] reverse(x), dimensions={1}\n" +
          sum("t", "b", 2) + "d = f32[8,16] slice(t), slice={[0:8], [0:16]}\nROOT r = f32[8,16] add(c, d)",
      "add { p = f32[] parameter(0)\nq = f32[] parameter(1)\nROOT r = f32[] add(p, q) }\n");
  EXPECT_GE(m.temporaries, 4 * (int64_t{16} << 20));
}

// A library of GPUs reads the columns that were gathered; on CPUs they are copied to rows.
TEST(ModuleMemory, ProductsOfGpusReadColumns) {
  const auto program = parse_program(
      "HloModule m, num_partitions=2\nENTRY e { x = f32[4,16] parameter(0)\ny = f32[16,8] parameter(1)\n"
      "g = f32[16,16] all-gather(y), channel_id=1, replica_groups={{0,1}}, dimensions={1}, "
      "use_global_device_ids=true\n"
      "ROOT d = f32[4,16] dot(x, g), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_EQ(module_memory(*program, LaidOutFor::cpu, {})->temporaries, 2 * kKiB);
  EXPECT_EQ(module_memory(*program, LaidOutFor::gpu, {})->temporaries, kKiB + kKiB / 2);
}

// As XLA's heap gives places: of arrays alike the one that lives longest first, counted in arrays that come
// and go meanwhile. e is the last of four alike then, and finds no place beside d and f, though two would do.
TEST(ModuleMemory, PlacesAreGivenInTheOrderOfXlasHeap) {
  const auto call = [](const char* made, const char* of) {
    return fmt::format("{} custom-call({}), custom_call_target=\"f\"\n", made, of);
  };
  const std::string chain = "x = f32[8] parameter(0)\n" + call("a = f32[64]", "x") +
                            call("t = f32[32]", "x") + call("c = f32[256]", "t") + call("d = f32[256]", "c") +
                            call("e = f32[256]", "d") + call("s = f32[2]", "e") +
                            call("f = f32[256]", "e, s") + call("g = f32[64]", "a, f") +
                            call("ROOT r = f32[8]", "g");
  EXPECT_EQ(memory_of(chain, "", ", is_scheduled=true").temporaries, 3 * kKiB + kKiB / 4);
}

// What runs beside others is written so whatever it is; it reads its operands where they are.
TEST(ModuleMemory, AKernelThatIsStartedHasNoCopyOfWhatItReads) {
  const ModuleMemory m = memory_of(
      "a = f32[8,256] parameter(0)\nb = s32[] parameter(1)\n"
      "s = ((f32[8,256], s32[]), f32[1,256], u32[]) fusion-start(a, b), kind=kLoop, calls=part\n"
      "ROOT r = f32[1,256] fusion-done(s)",
      "part { p = f32[8,256] parameter(0)\nq = s32[] parameter(1)\nz = s32[] constant(0)\n"
      "ROOT d = f32[1,256] dynamic-slice(p, q, z), dynamic_slice_sizes={1,256} }\n",
      ", is_scheduled=true");
  EXPECT_EQ(m.results, kKiB);
  EXPECT_LE(m.temporaries, 256) << "tables of places";
}

// Of GPUs: devices' sums in place, gathered arrays together.
TEST(ModuleMemory, CollectivesOfGpusSumInPlaceAndGatherTogether) {
  const auto temporaries = [](const std::string& entry, LaidOutFor chip) {
    const auto program = parse_program(
        "HloModule m, num_partitions=2\nadd { p = f32[] parameter(0)\nq = f32[] parameter(1)\n"
        "ROOT r = f32[] add(p, q) }\nENTRY e {\nx = f32[8,16] parameter(0)\n" +
        entry + "}\n");
    EXPECT_TRUE(program.ok()) << program.error().text();
    return module_memory(*program, chip, {})->temporaries;
  };
  const std::string sum =
      "a = f32[16,16] custom-call(x), custom_call_target=\"f\"\n"
      "s = f32[16,16] all-reduce(a), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, "
      "to_apply=add\nROOT r = f32[8,16] slice(s), slice={[0:8], [0:16]}\n";
  EXPECT_EQ(temporaries(sum, LaidOutFor::cpu), 2 * kKiB);
  EXPECT_EQ(temporaries(sum, LaidOutFor::gpu), kKiB);
  const auto gathered = [](const char* to, int channel, const char* of) {
    return fmt::format(
        "{} = f32[16,16] all-gather({}), channel_id={}, replica_groups={{{{0,1}}}}, "
        "dimensions={{0}}, use_global_device_ids=true\n",
        to, of, channel);
  };
  const std::string two = "y = f32[8,16] parameter(1)\n" + gathered("g", 1, "x") +
                          "a = f32[4,16] custom-call(g), custom_call_target=\"f\"\n" + gathered("h", 2, "y") +
                          "ROOT r = f32[8,16] custom-call(a, h), custom_call_target=\"f\"\n";
  EXPECT_EQ(temporaries(two, LaidOutFor::cpu), kKiB + kKiB / 4);
  EXPECT_EQ(temporaries(two, LaidOutFor::gpu), 2 * kKiB + kKiB / 4);
}

TEST(ModuleMemory, IsStopped) {
  const auto program = parse_program("HloModule m\nENTRY e { ROOT x = f32[256] parameter(0) }\n");
  ASSERT_TRUE(program.ok());
  std::stop_source stop;
  stop.request_stop();
  const auto memory = module_memory(*program, LaidOutFor::cpu, stop.get_token());
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().kind, ErrorKind::cancelled);
}

// Each of 20 computations calls the next one twice: a million calls.
TEST(ModuleMemory, SaysWhereItIsNotCountedToItsEnd) {
  std::string calls = "c0 { p = f32[256] parameter(0)\nROOT r = f32[256] sine(p) }\n";
  for (int k = 1; k < 20; ++k)
    calls += fmt::format(
        "c{} {{ p = f32[256] parameter(0)\na = f32[256] call(p), to_apply=c{}\n"
        "ROOT r = f32[256] call(a), to_apply=c{} }}\n",
        k, k - 1, k - 1);
  const ModuleMemory m =
      memory_of("x = f32[256] parameter(0)\nROOT y = f32[256] call(x), to_apply=c19", calls);
  EXPECT_FALSE(m.complete);
  EXPECT_EQ(m.results, kKiB);
}

TEST(ModuleMemory, OwnersAtTheWorstMomentAddUpToTheNumber) {
  const ModuleMemory m = memory_of(
      "x = f32[256] parameter(0)\nz = f32[] constant(0)\nb = f32[16,256] broadcast(x), dimensions={1}\n"
      "s = f32[16,256] reverse(b), dimensions={1}\nt = f32[16,256] reverse(s), dimensions={0}\n"
      "ROOT r = f32[16] reduce(t, z), dimensions={1}, to_apply=add",
      "add { u = f32[] parameter(0)\nv = f32[] parameter(1)\nROOT w = f32[] add(u, v) }");
  int64_t all = m.between;
  for (const HeldMemory& held : m.held) all += held.bytes;
  EXPECT_EQ(all, m.bytes());
  ASSERT_GE(m.held.size(), 3u);
  EXPECT_EQ(m.held[0].bytes, 16 * kKiB);
  EXPECT_EQ(m.held[1].bytes, 16 * kKiB);
  EXPECT_EQ(m.held[2].kind, HeldMemory::Kind::argument);
}

}  // namespace
}  // namespace shardscope::memory_test
