// SPDX-License-Identifier: Apache-2.0
// The shortest schedule that breaks a kernel.
#include "engine/kernels/machine/shortest.h"

#include "engine/kernels/machine/replay.h"
#include "tests/engine/kernels/explored.h"

namespace shardscope::kernels {
namespace {

KernelProgram program_of(const std::string& id) {
  KernelOptions options;
  options.mesh = ring_mesh(4);
  return *build_kernel(*find_kernel(id), options);
}

ShortestSchedule shortest_of(const std::string& id) {
  const auto found = find_shortest(program_of(id), {}, {});
  EXPECT_TRUE(found.ok() && found->has_value());
  return found.ok() ? found->value_or(ShortestSchedule{}) : ShortestSchedule{};
}

TEST(Shortest, IsAtMostHalfAsLongAsTheFirstScheduleThatFails) {
  const ShortestSchedule shortest = shortest_of("ag.ring.one_semaphore");
  EXPECT_LE(2 * std::ssize(shortest.choices), shortest.first_steps);
  EXPECT_EQ(shortest.finding.kind, FindingKind::uninitialised_read);
  EXPECT_EQ(shortest.finding.step, std::ssize(shortest.choices) - 1) << "it ends with the step that fails";
}

TEST(Shortest, ReplayedItFailsAtItsLastStep) {
  const ShortestSchedule shortest = shortest_of("ag.ring.one_semaphore");
  const KernelReplay replay(program_of("ag.ring.one_semaphore"), shortest.choices, 0);
  const KernelFrame before = replay.frame(replay.steps() - 1);
  for (const KernelFinding& finding : before.findings) EXPECT_FALSE(breaks(finding.kind));
  EXPECT_EQ(replay.frame(replay.steps()).findings.back(), shortest.finding);
}

TEST(Shortest, MoreFailuresCutDownNeverGiveALongerOne) {
  ShortestOptions one;
  one.failures = 1;
  const auto first = find_shortest(program_of("ag.ring.one_semaphore"), one, {});
  ASSERT_TRUE(first.ok() && first->has_value());
  EXPECT_LE(shortest_of("ag.ring.one_semaphore").choices.size(), (*first)->choices.size());
}

TEST(Shortest, AKernelThatIsRightHasNone) {
  const auto found = find_shortest(program_of("ag.ring"), {}, {});
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->has_value());
}

}  // namespace
}  // namespace shardscope::kernels
