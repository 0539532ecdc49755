// SPDX-License-Identifier: Apache-2.0
// A story is as large as its run: what it makes grows with the events, whatever the devices hold.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"
#include "tests/engine/story/told.h"

namespace shardscope::size_test {
namespace {

double rows_per_event(const Story& story) {
  size_t rows = 0;
  for (size_t e = 0; e < story.timeline().events.size(); ++e)
    rows += story.carried(static_cast<int32_t>(e)).size();
  return static_cast<double>(rows) / static_cast<double>(story.timeline().events.size());
}

// Pieces are numbered as they are made.
double pieces_per_event(const Story& story) {
  PieceId last = 0;
  for (int32_t d = 0; d < story.timeline().devices; ++d)
    for (const Beat& beat : story.beats())
      for (const PieceId id : story.held(d, beat.end)) last = std::max(last, id);
  return static_cast<double>(last) / static_cast<double>(story.timeline().events.size());
}

TEST(StorySize, GrowsWithTheEvents) {
  for (const char* id : {"collective.os", "psum", "meshslice.os"}) {
    const auto small = story_test::told_strategy(id, "row=1,col=4", CollectiveAlgorithm::ring);
    const auto large = story_test::told_strategy(id, "row=1,col=16", CollectiveAlgorithm::ring);
    ASSERT_NE(small, nullptr);
    ASSERT_NE(large, nullptr);
    EXPECT_LE(rows_per_event(large->story), 2 * rows_per_event(small->story)) << id;
    EXPECT_LE(pieces_per_event(large->story), 2 * pieces_per_event(small->story)) << id;
  }
}

// As a record may have it, which anybody may have written.
TEST(StorySize, OfATimelineOfOtherDevicesNothingIsTold) {
  const auto wide = story_test::told_strategy("wang.os", "row=2,col=4", CollectiveAlgorithm::ring);
  const auto narrow = story_test::told_strategy("wang.os", "row=2,col=2", CollectiveAlgorithm::ring);
  const auto told = tell(narrow->program, wide->timeline);
  ASSERT_FALSE(told.ok());
  EXPECT_EQ(told.error().what, "a program for 4 devices, timed on 8");
}

TEST(StorySize, OfALongProgramWhoseEventsWereNotKeptNothingIsTold) {
  std::string text = "HloModule long, num_partitions=1024\nENTRY main {\n  x0 = f32[4] parameter(0)\n";
  for (int i = 0; i < 5000; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "  x" + next + " = f32[4] negate(x" + n + ")\n";
  }
  Program program = *parse_program(text + "  ROOT r = f32[4] negate(x5000)\n}\n");
  program.mesh = *Mesh::parse("x=1024");
  Timeline totals;
  totals.devices = 1024;
  totals.event_count = 30'000'000;
  const auto told = tell(program, totals);
  ASSERT_FALSE(told.ok());
  EXPECT_EQ(told.error().kind, ErrorKind::too_big);
  EXPECT_NE(told.error().text().find("of its 30,000,000 events only totals were kept"), std::string::npos)
      << told.error().text();
}

}  // namespace
}  // namespace shardscope::size_test
