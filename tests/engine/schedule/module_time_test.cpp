// SPDX-License-Identifier: Apache-2.0
// What compiled modules hold beside plain operations, against formulas written out: fusions, branches, loops,
// custom-calls.
#include <gtest/gtest.h>

#include "engine/plan/timed_form.h"
#include "engine/program/text/hlo_text.h"
#include "engine/run/local_cost.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::module_time_test {
namespace {

constexpr double kHbm = 1e9;    // bytes/s
constexpr double kPeak = 1e12;  // flops/s

Hardware slow_chip() {
  Hardware h = chip();
  h.compute.peak_flops_per_s = {{ElementType::f32, kPeak}};
  h.memory.hbm_bytes_per_s = kHbm;
  return h;
}

Program read(const std::string& computations, const std::string& body) {
  const auto program = parse_program("HloModule m\n" + computations + "ENTRY e {\n" + body + "}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

ModuleTiming said(const std::string& take, const std::string& trips = "", const std::string& calls = "") {
  ModuleTiming out;
  EXPECT_TRUE(from_text(take, out.take).ok());
  EXPECT_TRUE(from_text(trips, out.trip_counts).ok());
  EXPECT_TRUE(from_text(calls, out.custom_calls).ok());
  return out;
}

// With what the form of the program that was timed assumes.
Timeline timed(const Program& program, const ModuleTiming& timing = {}) {
  const auto form = timed_form(program, slow_chip(), timing);
  EXPECT_TRUE(form.ok()) << (form.ok() ? "" : form.error().text());
  if (!form.ok()) return {};
  ScheduleOptions how;
  how.module = timing;
  auto out = schedule(form->program, slow_chip(), how, {});
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  if (!out.ok()) return {};
  out->assumptions.insert(out->assumptions.end(), form->assumptions.begin(), form->assumptions.end());
  return *out;
}

// Two products of 2e9 flops, one after the other.
TEST(ModuleTime, ProductsThatFillAProgramSlowDownUnderPower) {
  const Program program = read("",
                               "a = bf16[1000,1000] parameter(0)\nb = bf16[1000,1000] dot(a, a), "
                               "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                               "ROOT c = bf16[1000,1000] dot(b, a), "
                               "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  Hardware hw = slow_chip();
  hw.memory.hbm_bytes_per_s = 1e13;
  hw.compute.peak_flops_per_s[ElementType::bf16] = kPeak;
  const Picoseconds rested = schedule(program, hw, {}, {})->total;
  hw.programs = {.sustained = 0.5, .sustained_from = 0.5};
  const Timeline slow = *schedule(program, hw, {}, {});
  const double launches = 2 * hw.compute.launch_overhead_s;
  EXPECT_EQ(rested, to_picoseconds(4e9 / kPeak + launches));
  const double share = 4e9 / kPeak / to_seconds(rested), slower = 1 + (share - 0.5) / 0.5;
  EXPECT_NEAR(to_seconds(slow.total), 4e9 / kPeak * slower + launches, 1e-11);
  ASSERT_FALSE(slow.assumptions.empty());
  EXPECT_NE(slow.assumptions.back().find("draw more power than it may"), std::string::npos);
}

std::string refusal(const Program& program, const ModuleTiming& timing) {
  const auto form = timed_form(program, slow_chip(), timing);
  EXPECT_FALSE(form.ok());
  return form.ok() ? "" : form.error().text();
}

bool assumes(const Timeline& t, const std::string& words) {
  for (const std::string& a : t.assumptions)
    if (a.find(words) != std::string::npos) return true;
  return false;
}

void takes(const Timeline& t, double seconds, const char* what) {
  EXPECT_NEAR(to_seconds(t.total), seconds, 1e-11 + seconds * 1e-9) << what;
}

TEST(ModuleTime, AFusionReadsItsOperandsAndWritesItsResultOnce) {
  const Timeline t =
      timed(read("f { a = f32[1000] parameter(0)\n b = f32[1000] parameter(1)\n s = f32[1000] add(a, b)\n"
                 " e = f32[1000] exponential(s)\n ROOT m = f32[1000] multiply(e, a) }\n",
                 "x = f32[1000] parameter(0)\n y = f32[1000] parameter(1)\n"
                 "ROOT r = f32[1000] fusion(x, y), kind=kLoop, calls=f\n"));
  takes(t, 3 * 4000 / kHbm, "two read, one written");
  EXPECT_EQ(t.event_count, 1);
}

TEST(ModuleTime, AFusionWithAProductTakesTheLongerOfFlopsAndBytes) {
  for (const int64_t k : {64, 65536}) {
    const std::string a = "f32[256," + std::to_string(k) + "]", b = "f32[" + std::to_string(k) + ",256]";
    const Timeline t =
        timed(read("f { a = " + a + " parameter(0)\n b = " + b +
                       " parameter(1)\n d = f32[256,256] dot(a, b), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n ROOT e = f32[256,256] exponential(d) }\n",
                   "x = " + a + " parameter(0)\n y = " + b +
                       " parameter(1)\nROOT r = f32[256,256] fusion(x, y), kind=kOutput, calls=f\n"));
    const double flops = 2.0 * 256 * 256 * static_cast<double>(k);
    const double bytes = 4.0 * (2.0 * 256 * static_cast<double>(k) + 256 * 256);
    takes(t, std::max(flops / kPeak, bytes / kHbm), "roofline");
    EXPECT_EQ(mean_per_device(t).flops, flops);
  }
}

// A loop's body takes its layer out of the stacked weights, and puts its result into the stacked ones.
TEST(ModuleTime, AFusionThatTakesASliceReadsTheSliceAlone) {
  const Timeline t =
      timed(read("f { w = f32[126,100] parameter(0)\n i = s32[] parameter(1)\n z = s32[] constant(0)\n"
                 " s = f32[1,100] dynamic-slice(w, i, z), dynamic_slice_sizes={1,100}\n"
                 " ROOT n = f32[1,100] negate(s) }\n",
                 "w = f32[126,100] parameter(0)\n i = s32[] parameter(1)\n"
                 "ROOT r = f32[1,100] fusion(w, i), kind=kLoop, calls=f\n"));
  takes(t, (400 + 400 + 4) / kHbm, "slice, result, index");
}

TEST(ModuleTime, AFusionThatUpdatesInPlaceWritesTheUpdateAlone) {
  const Timeline t =
      timed(read("f { w = f32[126,100] parameter(0)\n u = f32[1,100] parameter(1)\n i = s32[] parameter(2)\n"
                 " z = s32[] constant(0)\n n = f32[1,100] negate(u)\n"
                 " ROOT d = f32[126,100] dynamic-update-slice(w, n, i, z) }\n",
                 "w = f32[126,100] parameter(0)\n u = f32[1,100] parameter(1)\n i = s32[] parameter(2)\n"
                 "ROOT r = f32[126,100] fusion(w, u, i), kind=kLoop, calls=f\n"));
  takes(t, (400 + 400 + 4) / kHbm, "update read and written, index");
}

Program branching() {
  return read(
      "short { x = f32[100] parameter(0)\n ROOT n = f32[100] negate(x) }\n"
      "long { x = f32[100] parameter(0)\n n = f32[100] negate(x)\n ROOT e = f32[100] exponential(n) }\n",
      "p = pred[] parameter(0)\n x = f32[100] parameter(1)\n"
      "ROOT c = f32[100] conditional(p, x, x), true_computation=short, false_computation=long\n");
}

TEST(ModuleTime, ABranchIsTheLongestUnlessOneIsTaken) {
  const double one = 2 * 400 / kHbm;
  takes(timed(branching()), 2 * one, "the longest");
  for (const char* text : {"true", "0", "short", "c=true", "c=0", "c=short"})
    takes(timed(branching(), said(text)), one, text);
  for (const char* text : {"false", "1", "c=long"}) takes(timed(branching(), said(text)), 2 * one, text);
  EXPECT_FALSE(assumes(timed(branching(), said("true")), "chooses by data"));
  EXPECT_NE(refusal(branching(), said("2")).find("no branch '2'"), std::string::npos);
  EXPECT_NE(refusal(branching(), said("d=0")).find("no 'd'"), std::string::npos);
}

// Doubles x while the last element of it says so, which nobody can know.
Program looping(const std::string& attributes = "") {
  return read(
      "body { s = (f32[], f32[100]) parameter(0)\n i = f32[] get-tuple-element(s), index=0\n"
      " x = f32[100] get-tuple-element(s), index=1\n y = f32[100] negate(x)\n"
      " ROOT t = (f32[], f32[100]) tuple(i, y) }\n"
      "cond { s = (f32[], f32[100]) parameter(0)\n i = f32[] get-tuple-element(s), index=0\n"
      " z = f32[] constant(0)\n ROOT m = pred[] compare(i, z), direction=GT }\n",
      "a = f32[] parameter(0)\n x = f32[100] parameter(1)\n w = (f32[], f32[100]) tuple(a, x)\n"
      "l = (f32[], f32[100]) while(w), condition=cond, body=body" +
          attributes + "\nROOT r = f32[100] get-tuple-element(l), index=1\n");
}

TEST(ModuleTime, ALoopHasTheRoundsThatAreKnownOrSaid) {
  const double one = 2 * 400 / kHbm;
  const Timeline unknown = timed(looping());
  takes(unknown, one, "one round");
  EXPECT_TRUE(assumes(unknown, "'l' has rounds that depend on data: timed with 1"));
  const Timeline seven = timed(looping(), said("", "7"));
  takes(seven, 7 * one, "as said");
  EXPECT_FALSE(assumes(seven, "depend on data"));
  const Program known = looping(R"(, backend_config={"known_trip_count":{"n":"126"},"other":{"n":"3"}})");
  takes(timed(known), 126 * one, "as backend_config knows");
  takes(timed(known, said("", "5")), 126 * one, "what is known is not said for all");
  takes(timed(known, said("", "l=5")), 5 * one, "but for one by its name");
  EXPECT_NE(refusal(known, said("", "k=5")).find("no 'k'"), std::string::npos);
}

// The counter of a compiled loop is added up and compared in fusions.
TEST(ModuleTime, ALoopThatCountsInFusionsIsCounted) {
  const Program program = read(
      "plus { i = s32[] parameter(0)\n one = s32[] constant(1)\n ROOT n = s32[] add(i, one) }\n"
      "less { i = s32[] parameter(0)\n end = s32[] constant(9)\n ROOT c = pred[] compare(i, end), "
      "direction=LT }\n"
      "body { s = (s32[], f32[100]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
      " n = s32[] fusion(i), kind=kLoop, calls=plus\n x = f32[100] get-tuple-element(s), index=1\n"
      " y = f32[100] negate(x)\n ROOT t = (s32[], f32[100]) tuple(n, y) }\n"
      "cond { s = (s32[], f32[100]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
      " ROOT m = pred[] fusion(i), kind=kLoop, calls=less }\n",
      "z = s32[] constant(0)\n x = f32[100] parameter(0)\n w = (s32[], f32[100]) tuple(z, x)\n"
      "l = (s32[], f32[100]) while(w), condition=cond, body=body\n"
      "ROOT r = f32[100] get-tuple-element(l), index=1\n");
  const Timeline t = timed(program);
  takes(t, 9 * 2 * 400 / kHbm, "nine rounds");
  EXPECT_EQ(t.event_count, 9);
  EXPECT_TRUE(t.assumptions.empty());
}

Program calling(const std::string& target, const std::string& operands, const std::string& call,
                const std::string& attributes = "") {
  return read("",
              operands + "ROOT c = " + call + ", custom_call_target=\"" + target + "\"" + attributes + "\n");
}

TEST(ModuleTime, ACustomCallThatNobodyKnowsTakesItsBytes) {
  const Program program = calling("my_kernel", "x = f32[1000] parameter(0)\n", "f32[500] custom-call(x)");
  const Timeline t = timed(program);
  takes(t, 6000 / kHbm, "operand and result");
  EXPECT_TRUE(assumes(t, "custom-call \"my_kernel\" is not known"));
  takes(timed(program, said("", "", "my_kernel=5e9,1000")), 5e9 / kPeak, "flops as said");
  takes(timed(program, said("", "", "c=5e9,9e7")), 9e7 / kHbm, "bytes as said");
  const Timeline seconds = timed(program, said("", "", "my_kernel=5e9,1000,0.25"));
  takes(seconds, 0.25, "seconds as said");
  EXPECT_EQ(mean_per_device(seconds).flops, 5e9);
  EXPECT_FALSE(assumes(seconds, "not known"));
  EXPECT_NE(refusal(program, said("", "", "other=1,1")).find("no 'other'"), std::string::npos);
}

TEST(ModuleTime, LibrariesProductsTakeTheirFlops) {
  const std::string operands = "x = f32[512,8192] parameter(0)\n y = f32[8192,512] parameter(1)\n";
  const double flops = 2.0 * 512 * 512 * 8192, bytes = 4.0 * (2.0 * 512 * 8192 + 512 * 512);
  const double product = std::max(flops / kPeak, bytes / kHbm);
  for (const char* target : {"__cublas$gemm", "__cublas$lt$matmul", "__onednn$matmul"}) {
    const Timeline t = timed(calling(target, operands, "f32[512,512] custom-call(x, y)"));
    takes(t, product, target);
    EXPECT_EQ(mean_per_device(t).flops, flops) << target;
  }
  // Its scratch memory is no result; the dimension numbers say that the first operand is transposed.
  const Timeline t = timed(calling(
      "__cublas$gemm", "x = f32[8192,512] parameter(0)\n y = f32[8192,512] parameter(1)\n",
      "(f32[512,512], s8[4194304]) custom-call(x, y)",
      R"(, backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["0"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[]}}})"));
  takes(t, product, "with scratch");
}

TEST(ModuleTime, AttentionTakesItsProducts) {
  const std::string operands =
      "q = f32[2,512,8,64] parameter(0)\n k = f32[2,512,8,64] parameter(1)\n v = f32[2,512,8,64] "
      "parameter(2)\n";
  const Timeline t = timed(calling("__cudnn$fmhaSoftmax", operands, "f32[2,512,8,64] custom-call(q, k, v)"));
  EXPECT_EQ(mean_per_device(t).flops, 2 * 2.0 * (2 * 8) * 512 * 512 * 64);
  const Timeline back =
      timed(calling("__cudnn$fmhaSoftmaxBackward", operands, "f32[2,512,8,64] custom-call(q, k, v)"));
  EXPECT_EQ(mean_per_device(back).flops, 5 * 2.0 * (2 * 8) * 512 * 512 * 64);
}

// Where the chip has a rate for attention: its products at that share of the peak, and that launch.
TEST(ModuleTime, AttentionTakesTheRateThatTheChipHasForIt) {
  const Program program =
      calling("__cudnn$fmhaSoftmax",
              "q = f32[2,512,8,64] parameter(0)\n k = f32[2,512,8,64] parameter(1)\n v = f32[2,512,8,64] "
              "parameter(2)\n",
              "f32[2,512,8,64] custom-call(q, k, v)");
  Hardware own = slow_chip();
  own.memory.hbm_bytes_per_s = 1e12;
  own.work = {{.kind = "attention", .launch_s = 3e-6, .hbm_efficiency = 1, .efficiency = 0.25}};
  const Computation& entry = program.entry_computation();
  const auto cost = local_cost(program, entry, entry.root_instruction(), own, {});
  ASSERT_TRUE(cost.ok()) << cost.error().text();
  const double flops = 2 * 2.0 * (2 * 8) * 512 * 512 * 64;
  EXPECT_NEAR(to_seconds(cost->cost.total()), flops / (0.25 * kPeak) + 3e-6, 1e-11);
}

TEST(ModuleTime, AKernelThatSaysItsCostTakesThat) {
  const Timeline t = timed(calling(
      "tpu_custom_call", "x = f32[1000] parameter(0)\n", "f32[1000] custom-call(x)",
      R"(, backend_config={"custom_call_config":{"cost_estimate":{"flops":7000000000,"transcendentals":12,"bytes_accessed":8000}}})"));
  takes(t, 7e9 / kPeak, "its flops");
  EXPECT_TRUE(assumes(t, "its own cost estimate"));
}

// A compiler for CPUs adds bf16 as f32: the wire carries f32.
TEST(ModuleTime, AWidenedSumIsTimedByWhatIsSent) {
  const auto text = [](const char* type) {
    const std::string sum =
        std::string(" a = ") + type + "[] parameter(0)\n b = " + type + "[] parameter(1)\n";
    const bool wide = std::string(type) == "f32";
    return "HloModule m, num_partitions=4\nsum {" + sum + " ROOT s = " + type +
           "[] add(a, b) }\nENTRY e {\n x = bf16[4096] parameter(0)\n" +
           (wide ? " w = f32[4096] convert(x)\n r = f32[4096] all-reduce(w), replica_groups={{0,1,2,3}}, "
                   "to_apply=sum, channel_id=1\n ROOT n = bf16[4096] convert(r)\n}\n"
                 : " ROOT r = bf16[4096] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=sum, "
                   "channel_id=1\n}\n");
  };
  const auto wide = parse_program(text("f32")), narrow = parse_program(text("bf16"));
  ASSERT_TRUE(wide.ok() && narrow.ok());
  const Timeline as_f32 = timed(*wide), as_bf16 = timed(*narrow);
  EXPECT_EQ(as_f32.schedules.front().bytes, 2 * as_bf16.schedules.front().bytes);
  EXPECT_TRUE(assumes(as_f32, "'r' sends f32 for bf16"));
  EXPECT_FALSE(assumes(as_bf16, "sends"));
}

TEST(ModuleTime, OptionsThatAreNoneAreRefused) {
  ModuleTiming out;
  EXPECT_FALSE(from_text("a=", out.take).ok());
  EXPECT_FALSE(from_text("1,2", out.take).ok());
  EXPECT_FALSE(from_text("while=-1", out.trip_counts).ok());
  EXPECT_FALSE(from_text("while=x", out.trip_counts).ok());
  EXPECT_FALSE(from_text("foo", out.custom_calls).ok());
  EXPECT_FALSE(from_text("foo=1", out.custom_calls).ok());
  EXPECT_FALSE(from_text("foo=1,-2", out.custom_calls).ok());
  EXPECT_FALSE(from_text("foo=1,2,3,4", out.custom_calls).ok());
  EXPECT_FALSE(from_text("foo=1,2,foo=3,4", out.custom_calls).ok());
}

// Compilers run a loop's rounds one after the other: what the next one sends does not begin in this one.
TEST(ModuleTime, ALoopsRoundsFollowEachOtherAsItsCompilerRunsThem) {
  const auto module = parse_program(
      "HloModule m, num_partitions=4\n"
      "cond { p = (s32[], f32[64,64], f32[8,16,64]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " n = s32[] constant(4)\n ROOT c = pred[] compare(i, n), direction=LT }\n"
      "body { p = (s32[], f32[64,64], f32[8,16,64]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " x = f32[64,64] get-tuple-element(p), index=1\n w = f32[8,16,64] get-tuple-element(p), index=2\n"
      " z = s32[] constant(0)\n ds = f32[1,16,64] dynamic-slice(w, i, z, z), "
      "dynamic_slice_sizes={1,16,64}\n r = f32[16,64] reshape(ds)\n"
      " g = f32[64,64] all-gather(r), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, "
      "use_global_device_ids=true\n d = f32[64,64] dot(x, g), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n o = s32[] constant(1)\n k = s32[] add(i, o)\n"
      " ROOT t = (s32[], f32[64,64], f32[8,16,64]) tuple(k, d, w) }\n"
      "ENTRY main { x = f32[64,64] parameter(0)\n w = f32[8,16,64] parameter(1)\n z = s32[] constant(0)\n"
      " t = (s32[], f32[64,64], f32[8,16,64]) tuple(z, x, w)\n"
      " l = (s32[], f32[64,64], f32[8,16,64]) while(t), condition=cond, body=body\n"
      " ROOT y = f32[64,64] get-tuple-element(l), index=1 }\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  const Hardware chip = find_hardware("tpu-v5e").value();
  const auto overlap_of = [&](CompileAs as) {
    ModuleTiming timing;
    timing.compile_as = as;
    const TimedForm form = timed_form(*module, chip, timing).value();
    const Timeline timeline = schedule(form.program, chip, {}, {}).value();
    return timeline.totals[0].comm - timeline.totals[0].exposed;
  };
  EXPECT_EQ(overlap_of(CompileAs::xla_tpu), 0);
  EXPECT_GT(overlap_of(CompileAs::none), 0) << "nobody says who compiles it";
}

}  // namespace
}  // namespace shardscope::schedule_test::module_time_test
