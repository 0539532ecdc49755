// SPDX-License-Identifier: Apache-2.0
// The story of a collective alone, by every algorithm that its group allows: what each transfer takes its
// source has, and in the end every device has its part of X, with all of its terms.
#include <fmt/format.h>
#include <set>

#include "engine/collectives/algorithm_table.h"
#include "engine/schedule/schedule.h"
#include "engine/story/story.h"
#include "tests/engine/strategies/planned.h"

namespace shardscope::told_test {
namespace {

Hardware chip() {
  Hardware h;
  h.name = "test-chip";
  h.compute.peak_flops_per_s = {{ElementType::f32, 100e12}};
  h.memory.hbm_bytes_per_s = 1e12;
  h.link.latency_s = 1e-6;
  h.link.bytes_per_s = 50e9;
  return h;
}

int64_t volume(const std::vector<IndexBox>& boxes) {
  int64_t all = 0;
  for (const IndexBox& box : boxes) {
    int64_t elements = 1;
    for (const IndexRange& range : box) elements *= range.size();
    all += elements;
  }
  return all;
}

// Elements of `box` that the device has complete.
int64_t complete_inside(const Story& story, int32_t device, Picoseconds time, const IndexBox& box) {
  std::set<std::vector<int64_t>> elements;
  for (const PieceId id : story.held(device, time)) {
    const Piece& piece = story.piece(id);
    if (!piece.complete) continue;
    for (const IndexBox& held : piece.index) {
      for (int64_t r = std::max(held[0].start, box[0].start); r < std::min(held[0].stop, box[0].stop); ++r) {
        for (int64_t c = std::max(held[1].start, box[1].start); c < std::min(held[1].stop, box[1].stop); ++c)
          elements.insert({r, c});
      }
    }
  }
  return static_cast<int64_t>(elements.size());
}

void expect_told(const Program& program, const Timeline& timeline, const std::string& what) {
  const auto told = tell(program, timeline);
  ASSERT_TRUE(told.ok()) << what << ": " << told.error().text();
  const Story& story = *told;
  EXPECT_TRUE(story.unknown().empty()) << what << ": " << story.unknown()[0].text;
  EXPECT_TRUE(story.added_twice().empty()) << what;
  for (size_t e = 0; e < timeline.events.size(); ++e) {
    const Event& event = timeline.events[e];
    if (event.kind != EventKind::transfer || event.relayed) continue;
    const auto carried = story.carried(static_cast<int32_t>(e));
    ASSERT_FALSE(carried.empty()) << what << " event " << e;
    int64_t bytes = 0;
    for (const Carried& it : carried) bytes += it.bytes;
    EXPECT_EQ(bytes, event.bytes) << what << " event " << e;
  }
  const ArrayInfo& output = *program.output;
  const auto sharding = NamedSharding::make(program.mesh, output.spec);
  for (int64_t d = 0; d < program.mesh.device_count(); ++d) {
    const IndexBox own = sharding->slices(DeviceId(d), output.dims);
    EXPECT_EQ(complete_inside(story, static_cast<int32_t>(d), timeline.total, own), volume({own}))
        << what << " device " << d;
  }
}

TEST(BareCollectives, AreToldByEveryAlgorithm) {
  int told = 0;
  for (const char* id : {"collective.all_gather", "collective.reduce_scatter", "collective.all_reduce",
                         "collective.all_to_all", "collective.permute"}) {
    for (const char* mesh : {"x=4", "x=8", "a=2,b=4", "a=3,b=3"}) {
      const auto program = testing::plan(id, testing::mesh_of(mesh), {72, 144, 1});
      ASSERT_TRUE(program.ok()) << program.error().text();
      for (const AlgorithmRow& row : collective_algorithms()) {
        ScheduleOptions options;
        options.collective = row.id;
        const auto timeline = schedule(*program, chip(), options, {});
        if (!timeline.ok() || timeline->assumptions.size() > 1) continue;
        expect_told(*program, *timeline, fmt::format("{} by {} on {}", id, row.word, mesh));
        ++told;
      }
    }
  }
  EXPECT_GT(told, 100);
}

// Before anything travels each device has its own terms of the sum and no element of it.
TEST(BareCollectives, PartialSumsBeginIncomplete) {
  const auto program = testing::plan("collective.all_reduce", testing::mesh_of("x=4"), {8, 8, 1});
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Timeline timeline = schedule(*program, chip(), {}, {}).value();
  const Story story = tell(*program, timeline).value();
  for (int32_t d = 0; d < 4; ++d) {
    EXPECT_EQ(complete_inside(story, d, 0, {{0, 8}, {0, 8}}), 0);
    const std::vector<PieceId> held = story.held(d, 0);
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(story.piece(held[0]).terms, (std::vector<IndexRange>{{d, d + 1}}));
    EXPECT_EQ(short_terms(story, held[0]), "1 of 4");
  }
}

}  // namespace
}  // namespace shardscope::told_test
