// SPDX-License-Identifier: Apache-2.0
// A story is as large as its run: what it makes grows with the events, whatever the devices hold.
#include <algorithm>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace shardscope::size_test
