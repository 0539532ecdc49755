// SPDX-License-Identifier: Apache-2.0
// All schedules, and one schedule cut down to what its failure needs.
#include "engine/kernels/machine/every_schedule.h"

#include <set>

#include "engine/kernels/machine/cut_down.h"
#include "engine/kernels/machine/shrink.h"
#include "engine/kernels/text/entry.h"
#include "tests/engine/kernels/explored.h"

namespace shardscope::kernels::every_schedule_test {
namespace {

KernelOptions small(const KernelEntry& entry, int n) {
  KernelOptions out;
  if (entry.axes == 1) out.mesh = ring_mesh(n);
  if (entry.axes == 2) out.mesh = *Mesh::make({{"x", n, true}, {"y", n, true}});
  out.cols = 2;
  out.rows = 2 * n;
  out.m = out.k = 4 * n;
  out.n = entry.axes == 1 ? 4 * n : 4;
  out.bm = out.bk = out.bn = 4;
  out.chunks = 2;
  return out;
}

EveryRun every(const std::string& id, int n, int64_t most = 100'000) {
  const KernelEntry entry = *find_kernel(id);
  const KernelProgram program = *build_kernel(entry, small(entry, n));
  EveryOptions options;
  options.most = most;
  return *explore_every(entry, program, options, {});
}

// One kernel without synchronisation but a semaphore that all others tell: with n - 1 signals in any order
// there are (n - 1)! schedules, whatever else happens meanwhile.
TEST(EverySchedule, ThereAreAsManyAsOrdersInWhichASemaphoreIsTold) {
  const KernelEntry entry = *kernel_from_text(
      "kernel orders\naxes x\n\nn, d = axis_size(\"x\"), axis_index(\"x\")\ntold = barrier_semaphore()\n"
      "x, y = vmem((2, 2)), vmem((2, 2))\nx[...] = 0\ny[...] = x[...]\n"
      "when d > 0:\n    semaphore_signal(told, 1, device_id=0)\n"
      "when d == 0:\n    semaphore_wait(told, n - 1)\n",
      "");
  int64_t orders = 1;
  for (int n = 2; n <= 6; ++n) {
    orders *= n - 1;
    KernelOptions options;
    options.mesh = ring_mesh(n);
    const EveryRun run = *explore_every(entry, *build_kernel(entry, options), {}, {});
    EXPECT_EQ(run.run.schedules, orders) << n;
    EXPECT_TRUE(run.every && run.run.clean()) << findings_text(run.run);
  }
}

TEST(EverySchedule, NoScheduleOfAMendedKernelFailsOnRingsOf2And3) {
  std::set<std::string> mended;
  for (const KernelEntry& entry : catalogue())
    if (entry.broken) mended.insert(entry.mended);
  for (const std::string& id : mended) {
    for (const int n : {2, 3}) {
      if (find_kernel(id)->axes == 2 && n == 3) continue;  // nine devices
      const EveryRun run = every(id, n);
      EXPECT_TRUE(run.every) << id << " on " << n << ": more than " << run.run.schedules;
      EXPECT_TRUE(run.run.clean()) << id << " on " << n << "\n" << findings_text(run.run);
    }
  }
}

// What a race does to the numbers depends on more than the order of events; that there is one does not.
bool is_in_the_order_of_events(FindingKind kind) {
  return kind != FindingKind::uninitialised_read && kind != FindingKind::unwritten_output &&
         kind != FindingKind::wrong_result;
}

// What some schedule of many shows, all schedules show.
TEST(EverySchedule, WhatRandomSchedulesFindIsFound) {
  for (const KernelEntry& entry : catalogue()) {
    if (!entry.broken || entry.axes != 1) continue;
    const KernelProgram program = *build_kernel(entry, small(entry, 3));
    ExploreOptions how;
    how.schedules = 200;
    const KernelRun random = *explore(entry, program, how, Workers(), {});
    EveryOptions options;
    options.most = 3000;
    const KernelRun all = explore_every(entry, program, options, {})->run;
    EXPECT_EQ(all.findings.empty(), random.findings.empty()) << entry.id;
    if (runs_with(all, FindingKind::out_of_bounds) > 0) continue;  // which stops everything
    for (const KernelFindingCount& count : random.findings) {
      if (!is_in_the_order_of_events(count.finding.kind)) continue;
      const bool found = runs_with(all, count.finding.kind) > 0;
      EXPECT_TRUE(found) << entry.id << " " << name(count.finding.kind) << " in " << all.schedules << "\n"
                         << findings_text(all);
    }
  }
}

TEST(EverySchedule, TheBoundIsSaid) {
  const EveryRun run = every("ag.ring", 4, 5);
  EXPECT_FALSE(run.every);
  EXPECT_EQ(run.run.schedules, 5);
}

// Hundreds of choices, each left out in turn.
bool is_long(const KernelEntry& entry) {
#ifdef SHARDSCOPE_NIGHTLY
  (void)entry;
  return false;
#else
  return entry.axes == 2 && entry.result.ends_with("product");
#endif
}

TEST(Shrink, NoChoiceOfAShrunkScheduleCanBeLeftOut) {
  int shrunk = 0;
  for (const KernelEntry& entry : catalogue()) {
    if (!entry.broken || is_long(entry)) continue;
    KernelOptions options = small(entry, entry.axes == 2 ? 2 : 3);
    const KernelProgram program = *build_kernel(entry, options);
    const KernelData inputs = fill_inputs(program, 0);
    const KernelData expected = entry.expected(program, inputs);
    for (const uint64_t seed : {0, 1, 5}) {
      const auto found = *shrink(entry, program, schedule_of(seed), 0, {});
      if (!found) continue;
      ++shrunk;
      EXPECT_TRUE(found->shortest) << entry.id;
      EXPECT_LE(std::ssize(found->choices), found->steps_before);
      const Judged judged{program, &inputs, &expected};
      const Moves moves = moves_of(program, found->choices);
      ASSERT_TRUE(fails(judged, moves, found->finding.kind)) << entry.id;
      for (size_t i = 0; i < moves.size(); ++i) {
        Moves fewer = moves;
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
        EXPECT_FALSE(fails(judged, fewer, found->finding.kind)) << entry.id << " without choice " << i;
      }
    }
  }
  EXPECT_GT(shrunk, 20);
}

TEST(Shrink, AScheduleThatIsRightHasNothingToShrink) {
  const KernelEntry entry = *find_kernel("ag.ring");
  const KernelProgram program = *build_kernel(entry, small(entry, 3));
  EXPECT_FALSE(shrink(entry, program, schedule_of(1), 0, {})->has_value());
}

}  // namespace
}  // namespace shardscope::kernels::every_schedule_test
