// SPDX-License-Identifier: Apache-2.0
// Profiles of JAX and XLA as xplane.pb.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/engine/measure/profile_files.h"
#include "tests/engine/measure/xplane_file.h"

namespace shardscope::xplane_test {
namespace {

constexpr int64_t kClock = 1'700'000'000'000'000'000;  // ns

const std::string kFusion =
    "%fusion.1 = bf16[128,64]{1,0:T(8,128)(2,1)} fusion(bf16[128,256]{1,0} %p0, bf16[256,64]{1,0} %p1), "
    "kind=kOutput, "
    "calls=%fused";
const std::string kReduce =
    "%all-reduce.2 = f32[128]{0} all-reduce(f32[128]{0} %x), channel_id=1, replica_groups=[1,2]<=[2], "
    "to_apply=%add";

PlaneFile tpu(int number, int64_t late_ps) {
  PlaneFile out("/device:TPU:" + std::to_string(number));
  out.line("Steps", kClock, {{"7", 0, 90'000'000}});
  out.line("XLA Modules", kClock, {{"jit_f(12)", 0, 90'000'000}});
  out.line("XLA Ops", kClock,
           {{kFusion, 1'250'000, 10'000'001},
            {kReduce, 20'000'000 + late_ps, 12'000'000 - late_ps},
            {"%all-gather-start.5", 40'000'000, 1'000'000},
            {"%all-gather-done.5", 50'000'000, 2'000'000}});
  out.line("Async XLA Ops", kClock,
           {{"%all-gather-start.5", 40'000'000, 1'000'000, {}, {{"flow", 77}}},
            {"%all-gather-done.5", 50'000'000, 2'000'000, {}, {{"flow", 77}}}});
  out.describe(kFusion, "fusion.1", {{"hlo_category", "convolution fusion"}},
               {{"program_id", 12}, {"flops", 4'194'304}, {"bytes_accessed", 114'688}});
  out.describe(kReduce, "all-reduce.2", {{"hlo_category", "all-reduce"}}, {{"program_id", 12}});
  out.describe("%all-gather-start.5", "all-gather-start.5", {{"hlo_category", "all-gather-start"}},
               {{"program_id", 12}});
  out.describe("%all-gather-done.5", "all-gather-done.5", {{"hlo_category", "all-gather-done"}},
               {{"program_id", 12}});
  return out;
}

TEST(XplaneProfile, TpuOperationsComeFromTheirOwnLineWithTheWordsOfTheirNames) {
  const auto outcome = import_text(space_file({tpu(0, 0), tpu(1, 2'000'000)}));
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  EXPECT_EQ(outcome->format, "xplane");
  EXPECT_EQ(outcome->devices, 2);
  EXPECT_EQ(outcome->lanes[0], "XLA Ops");
  const MeasuredOperation& product = operation_named(*outcome, "fusion.1");
  EXPECT_EQ(product.kind, MeasuredKind::product);
  EXPECT_EQ(product.shapes, "bf16[128,256] × bf16[256,64]");
  EXPECT_EQ(product.module, "jit_f") << "program 12, by the line of modules";
  EXPECT_EQ((std::vector<int64_t>{product.m, product.k, product.n}), (std::vector<int64_t>{128, 256, 64}));
  EXPECT_EQ(product.count, 2);
  EXPECT_EQ(outcome->events.front().start, 1'250'000);
  EXPECT_EQ(outcome->events.front().duration(), 10'000'001);
  ASSERT_EQ(outcome->steps.size(), 1U);
  EXPECT_EQ(outcome->steps[0].length(), 90'000'000);
}

TEST(XplaneProfile, WaitingIsSplitFromACollectiveAndPairsAreOneByTheirFlow) {
  const MeasuredTrace trace = import_text(space_file({tpu(0, 0), tpu(1, 2'000'000)})).value();
  const MeasuredOperation& reduce = operation_named(trace, "all-reduce.2");
  EXPECT_EQ(reduce.group, 2);
  EXPECT_EQ(reduce.bytes, 512);
  EXPECT_DOUBLE_EQ(reduce.p95_s, 10e-6);
  EXPECT_DOUBLE_EQ(reduce.wait_s, 2e-6);
  const auto gather = std::ranges::find_if(trace.operations, [](const MeasuredOperation& o) {
    return o.opcode == "all-gather" && o.kind == MeasuredKind::collective;
  });
  ASSERT_NE(gather, trace.operations.end());
  EXPECT_EQ(gather->count, 2);
  EXPECT_DOUBLE_EQ(gather->p50_s, 12e-6) << "once a device, though its halves stand on two lines";
}

TEST(XplaneProfile, GpuStreamsAreReadAndTheLinesDerivedFromThemAreNot) {
  PlaneFile gpu("/device:GPU:0");
  gpu.line(
      "Stream #14(Kernel)", kClock,
      {{"sm80_xmma_gemm_f16f16", 0, 5'000'000, {{"hlo_op", "custom-call.3"}, {"hlo_module", "jit_f"}}},
       {"ncclDevKernel_AllReduce_Sum_f16_RING_LL",
        6'000'000,
        9'000'000,
        {{"hlo_op", "all-reduce-start.1"}, {"hlo_module", "jit_f"}}},
       {"loop_add_fusion", 16'000'000, 1'000'000, {{"hlo_op", "loop_add_fusion"}, {"hlo_module", "jit_f"}}},
       {"fmha_v2_flash", 18'000'000, 2'000'000, {}}});
  gpu.line("Stream #15(MemcpyD2D)", kClock, {{"MemcpyD2D", 0, 500'000}});
  gpu.line("XLA Ops", kClock, {{"custom-call.3", 0, 5'000'000}});
  const MeasuredTrace trace = import_text(space_file({gpu})).value();
  EXPECT_EQ(trace.events.size(), 5U);
  EXPECT_EQ(operation_named(trace, "custom-call.3").kind, MeasuredKind::product);
  EXPECT_EQ(operation_named(trace, "all-reduce-start.1").kind, MeasuredKind::collective);
  EXPECT_EQ(operation_named(trace, "loop_add_fusion").kind, MeasuredKind::elementwise);
  EXPECT_EQ(operation_named(trace, "MemcpyD2D").kind, MeasuredKind::copy);
  ASSERT_EQ(trace.unmatched.size(), 1U);
  EXPECT_EQ(trace.unmatched[0].name, "fmha_v2_flash");
}

TEST(XplaneProfile, WithoutADeviceTheHostsThreadsThatRanInstructionsAreRead) {
  PlaneFile host("/host:CPU");
  host.line("tf_XLAEigen/1", kClock,
            {{"dot.3", 0, 5'000'000, {{"hlo_op", "dot.3"}, {"hlo_module", "jit_f"}}, {{"device_ordinal", 2}}},
             {"ThreadpoolListener::Record", 0, 1'000, {}, {}}});
  const MeasuredTrace trace = import_text(space_file({host})).value();
  EXPECT_EQ(trace.device_names, std::vector<std::string>{"CPU 2"});
  EXPECT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(operation_named(trace, "dot.3").kind, MeasuredKind::product);
}

TEST(XplaneProfile, WhatTheProfilerComplainsOfIsSaidAndHostsNameTheirDevices) {
  const ProfileFolder folder;
  const std::string a = folder.write("a", space_file({tpu(0, 0)}, "host-a", "dropped 12 events"));
  const std::string b = folder.write("b", gzipped(space_file({tpu(0, 2'000'000)}, "host-b")));
  const MeasuredTrace trace = import_measured({a, b}, {}).value();
  EXPECT_EQ(trace.device_names, (std::vector<std::string>{"host-a /device:TPU:0", "host-b /device:TPU:0"}));
  EXPECT_DOUBLE_EQ(operation_named(trace, "all-reduce.2").wait_s, 2e-6) << "their clocks are one";
  ASSERT_EQ(trace.notes.size(), 2U);
  EXPECT_NE(trace.notes[0].find("dropped 12 events"), std::string::npos);
  EXPECT_NE(trace.notes[1].find("2 events that overlap on all devices"), std::string::npos) << "the gather's";
}

TEST(XplaneProfile, EveryCutOfAFileIsAnErrorOrAProfileOfFewerPlanes) {
  const std::string whole = space_file({tpu(0, 0), tpu(1, 0)});
  for (size_t length = 1; length < whole.size(); length += 7) {
    const auto outcome = import_text(whole.substr(0, length));
    if (outcome.ok())
      EXPECT_EQ(outcome->devices, 1) << length;
    else
      EXPECT_EQ(outcome.error().kind, ErrorKind::invalid) << outcome.error().text();
  }
}

TEST(XplaneProfile, NumbersThatNoClockShowsAreRefused) {
  for (const auto& [clock, offset, duration] : {std::tuple<int64_t, int64_t, int64_t>{INT64_MIN, 0, 1},
                                                {INT64_MAX, 0, 1},
                                                {kClock, INT64_MAX, 1},
                                                {kClock, INT64_MIN, 1},
                                                {kClock, 0, INT64_MAX}}) {
    PlaneFile plane("/device:TPU:0");
    plane.line("XLA Ops", kClock, {{"add.1", 0, 1}});
    plane.line("XLA Ops", clock, {{"add.1", offset, duration}});
    EXPECT_FALSE(import_text(space_file({plane})).ok()) << clock << " " << offset << " " << duration;
  }
  PlaneFile negative("/device:TPU:0");
  negative.line("XLA Ops", kClock, {{"add.1", 0, 1}, {"add.1", 5, -1}});
  const MeasuredTrace trace = import_text(space_file({negative})).value();
  EXPECT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.notes.size(), 1U);
}

}  // namespace
}  // namespace shardscope::xplane_test
