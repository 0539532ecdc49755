// SPDX-License-Identifier: Apache-2.0
// Whatever the program and the machine: devices that are alike played as one, and loops by a few of their
// rounds, come to what every device, every round come to.
#include <fmt/format.h>

#include "tests/engine/schedule/random_programs.h"

namespace shardscope::schedule_test::random_test {
namespace {

constexpr uint32_t kPrograms = 1000;

TEST(RandomPrograms, AreTimedAsEveryDeviceAndEveryRoundAre) {
  int timed = 0, loops = 0;
  for (uint32_t seed = 0; seed < kPrograms && !::testing::Test::HasFailure(); ++seed) {
    auto drawn = Drawing(seed).draw();
    if (!drawn) continue;
    ScheduleOptions& options = drawn->options;
    options.keep_events = false;
    options.one_for_all = false;
    const auto all = schedule(drawn->program, drawn->hardware, options, {});
    options.one_for_all = true;
    const auto quick = schedule(drawn->program, drawn->hardware, options, {});
    ASSERT_EQ(quick.ok(), all.ok()) << "seed " << seed;
    if (!all.ok()) continue;  // an algorithm that its groups have not
    ++timed;
    EXPECT_EQ(quick->total, all->total) << "seed " << seed;
    EXPECT_EQ(quick->totals, all->totals) << "seed " << seed;
    EXPECT_EQ(*quick, *all) << "seed " << seed;
    if (!drawn->looped) continue;
    const auto by_loops = run_by_loops(*drawn->looped, drawn->hardware, options);
    ASSERT_TRUE(by_loops.ok()) << "seed " << seed << by_loops.error().text();
    if (!*by_loops) continue;
    ++loops;
    Timeline got = **by_loops, expected = *all;
    expected.schedules.clear();
    EXPECT_EQ(got.total, expected.total) << "seed " << seed;
    EXPECT_EQ(got.totals, expected.totals) << "seed " << seed;
    EXPECT_EQ(got, expected) << "seed " << seed;
  }
  EXPECT_GT(timed, 700);
  EXPECT_GT(loops, 150);
  fmt::print("{} programs, {} by their loops\n", timed, loops);
}

}  // namespace
}  // namespace shardscope::schedule_test::random_test
