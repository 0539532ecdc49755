// SPDX-License-Identifier: Apache-2.0
// The all-gathers and what is found in them.
#include "tests/engine/kernels/explored.h"

namespace shardscope::kernels::gather_test {
namespace {

TEST(AllGatherKernels, ARingWithASemaphorePerStepIsClean) {
  for (const int n : {1, 2, 3, 4, 8}) {
    const KernelRun run = explored("ag.ring", n);
    EXPECT_TRUE(run.clean()) << n << "\n" << findings_text(run);
    EXPECT_EQ(run.correct_runs, run.schedules);
  }
}

TEST(AllGatherKernels, OneReceiveSemaphoreIsSharedAndCorrupts) {
  for (const int n : {3, 4, 8}) {
    const KernelRun run = explored("ag.ring.one_semaphore", n, 300);
    EXPECT_GT(run.wrong_runs, 0) << n;
    EXPECT_GT(runs_with(run, FindingKind::shared_receive), 0) << n;
    EXPECT_GT(runs_with(run, FindingKind::read_write_race), 0) << n;
  }
  EXPECT_TRUE(explored("ag.ring.one_semaphore", 2).clean()) << "with one step there is nothing to share";
}

TEST(AllGatherKernels, WithoutABarrierADmaLandsBeforeItsReceiverEntered) {
  const KernelRun run = explored("ag.ring.no_barrier", 4, 300);
  EXPECT_GT(runs_with(run, FindingKind::dma_before_entry), 0);
}

TEST(AllGatherKernels, TheListingIsTheKernelsOwnText) {
  const KernelRun run = explored("ag.ring.one_semaphore", 4, 300);
  const KernelFinding& finding = first_of(run, FindingKind::shared_receive);
  const auto& lines = run.layout.listing.lines;
  EXPECT_EQ(lines[1], "kernel ag.ring.one_semaphore");
  EXPECT_EQ(lines.back(), "    hop.wait()");
  EXPECT_EQ(run.layout.listing.head, 6);
  EXPECT_EQ(lines[static_cast<size_t>(finding.second.line) - 1], "    hop.start()");
}

}  // namespace
}  // namespace shardscope::kernels::gather_test
