// SPDX-License-Identifier: Apache-2.0
// Runs whose products and collectives take the time of kernels.
#include "engine/kernels/time/calls.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/kernels/time/stand_in.h"
#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"

namespace shardscope::kernels::calls_test {
namespace {

Program planned(const std::string& strategy, const std::string& mesh, int64_t m = 512, int64_t k = 1024,
                int64_t n = 2048) {
  const MatmulProblem problem{m, k, n, ElementType::bf16, ElementType::bf16};
  const Result<Program> program = (*find_strategy(strategy))->plan(*Mesh::parse(mesh), problem, {});
  EXPECT_TRUE(program.ok());
  return *program;
}

Hardware chip() {
  return *find_hardware("tpu-v5e");
}

Timeline timed(const Program& program, KernelTiming timing) {
  ScheduleOptions options;
  options.calls = kernel_calls(program, chip(), timing).calls;
  const Result<Timeline> timeline = schedule(program, chip(), options, {});
  EXPECT_TRUE(timeline.ok()) << timeline.error().text();
  return *timeline;
}

// Of each instruction of the entry that a kernel stands for.
Picoseconds sum_of_kernels(const Program& program, int64_t* count) {
  Picoseconds sum = 0;
  const std::vector<StandInTime> kernels = *stand_in_times(program, chip());
  for (const StandInTime& time : kernels) {
    sum += time.time;
    ++*count;
  }
  return sum;
}

TEST(KernelCalls, AProductTakesItsKernelsTimeAndStillOverlaps) {
  const Program program = planned("wang.os", "row=2,col=4", 8192, 1024, 512);
  const Timeline timeline = timed(program, KernelTiming::dots);
  int dots = 0;
  const std::vector<StandInTime> kernels = *stand_in_times(program, chip());
  for (const StandInTime& kernel : kernels) {
    if (kernel.kernel.kernel != "matmul.tiled") continue;
    ++dots;
    const int32_t number = program.global_index(program.entry, kernel.instruction);
    for (const Event& e : timeline.events) {
      if (e.instruction != number || e.kind != EventKind::compute) continue;
      EXPECT_EQ(e.end - e.start, kernel.time);
    }
  }
  EXPECT_EQ(dots, 8) << "two halves in each of four steps";
  EXPECT_GT(*summarise(timeline).overlap, 0);
}

TEST(KernelCalls, ACollectiveAloneEndsWhenItsKernelEnds) {
  for (const char* mesh : {"row=1,col=4", "row=2,col=8", "row=2,col=2"}) {
    const Program program = planned("gather.lhs", mesh);
    const std::vector<StandInTime> kernels = *stand_in_times(program, chip());
    ASSERT_EQ(kernels.size(), 1U) << mesh;
    const Timeline timeline = timed(program, KernelTiming::collectives);
    EXPECT_EQ(timeline.total, kernels[0].time) << mesh;
    const KernelTime kernel = *time_of(kernels[0].kernel, chip());
    for (const DeviceTotals& totals : timeline.totals) {
      EXPECT_EQ(totals.bytes_sent, kernel.devices[0].link_bytes) << mesh;
      EXPECT_EQ(totals.bytes_received, totals.bytes_sent) << mesh;
    }
    EXPECT_EQ(timeline.collectives[0].algorithm, kernels[0].kernel.kernel);
  }
}

TEST(KernelCalls, CallsRunOneAfterAnother) {
  const Program program = planned("collective.os", "row=2,col=4");
  int64_t count = 0;
  const Picoseconds sum = sum_of_kernels(program, &count);
  EXPECT_EQ(count, 3) << "two gathers and a product";
  const Timeline timeline = timed(program, KernelTiming::all);
  EXPECT_EQ(timeline.total, sum);
  const CriticalPath& c = timeline.critical_path;
  EXPECT_EQ(c.compute + c.memory + c.latency + c.bandwidth + c.overhead, timeline.total);
  EXPECT_GE(timeline.total, timed(program, KernelTiming::off).total);
}

TEST(KernelCalls, APermuteGoesWhereTheProgramSendsIt) {
  const Program program = planned("cannon.os", "row=4,col=4", 512, 512, 512);
  const KernelCalls calls = kernel_calls(program, chip(), KernelTiming::collectives);
  ASSERT_FALSE(calls.calls.empty());
  const Timeline timeline = timed(program, KernelTiming::collectives);
  int sent = 0;
  for (const KernelCall& call : calls.calls) {
    const Instruction& permute = program.entry_computation().at(call.instruction);
    const int32_t number = program.global_index(program.entry, call.instruction);
    for (const Event& e : timeline.events) {
      if (e.instruction != number || e.kind != EventKind::transfer) continue;
      ++sent;
      const auto& pairs = permute.permutation->pairs();
      EXPECT_NE(std::find(pairs.begin(), pairs.end(), SourceTarget{DeviceId(e.device), DeviceId(e.peer)}),
                pairs.end())
          << e.device << " to " << e.peer;
    }
  }
  EXPECT_EQ(sent, 2 * 3 * 16) << "two blocks of each device in each of three shifts";
}

TEST(KernelCalls, NotesSayWhatStandsForWhatAndWhatStaysFlat) {
  const Program skewed = planned("cannon.os", "row=4,col=4", 512, 512, 512);
  const KernelCalls calls = kernel_calls(skewed, chip(), KernelTiming::all);
  const auto says = [&](const std::string& words) {
    return std::any_of(calls.notes.begin(), calls.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says("the time of the kernel permute on rings of 4"));
  EXPECT_TRUE(says("and 3 more take the time of the kernel matmul.tiled, tiles 128×128×128"));
  EXPECT_TRUE(says("the flat model's time: does not shift by one along its axis")) << "the skew";
  EXPECT_TRUE(says("in program order"));
  const Program summed = planned("megatron.row", "t=4", 4096, 1024, 4096);
  const KernelCalls big = kernel_calls(summed, chip(), KernelTiming::all);
  ASSERT_EQ(big.calls.size(), 1U) << "the product alone";
  EXPECT_NE(big.notes.back().find("ar.two_slot: buffers in vmem take"), std::string::npos)
      << big.notes.back();
  EXPECT_TRUE(kernel_calls(summed, chip(), KernelTiming::off).calls.empty());
}

TEST(KernelCalls, EveryStrategyRunsWithKernels) {
  int timed_by_kernels = 0;
  for (const Strategy& strategy : strategies()) {
    const MatmulProblem problem{512, 512, 512, ElementType::bf16, ElementType::f32};
    const Result<Program> program = strategy.plan(*Mesh::parse("row=4,col=4"), problem, {});
    if (!program.ok()) continue;
    const KernelCalls calls = kernel_calls(*program, chip(), KernelTiming::all);
    if (calls.calls.empty()) continue;
    ++timed_by_kernels;
    ScheduleOptions options;
    options.calls = calls.calls;
    const Result<Timeline> timeline = schedule(*program, chip(), options, {});
    ASSERT_TRUE(timeline.ok()) << strategy.id << ": " << timeline.error().text();
    Picoseconds longest = 0;
    for (const Event& e : timeline->events) longest = std::max(longest, e.end);
    EXPECT_EQ(longest, timeline->total) << strategy.id;
  }
  EXPECT_GT(timed_by_kernels, 20);
}

}  // namespace
}  // namespace shardscope::kernels::calls_test
