// SPDX-License-Identifier: Apache-2.0
// What must hold of every story, of every strategy on many meshes by every algorithm that is legal, and of
// the modules that come with the program.
#include "engine/story/checks/invariants.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/build/builder.h"
#include "engine/session/hlo_presets.h"
#include "engine/story/checks/held_elements.h"
#include "tests/engine/story/told.h"

namespace shardscope::story_test {
namespace {

TEST(EveryHloPreset, TellsWhatCanHaveHappened) {
  for (const HloPreset& preset : hlo_presets()) {
    std::string why;
    const ToldPtr told = told_module(preset.name, preset.text, &why);
    ASSERT_NE(told, nullptr) << preset.name << ": " << why;
    EXPECT_EQ(first_broken(told->story), "") << preset.name;
  }
}

// What is held changes at the ends of a steady stretch and nowhere inside.
TEST(SteadyTimes, GoFromOneChangeToTheNext) {
  for (const char* strategy : {"wang.os", "collective.rs", "cannon.os", "psum"}) {
    const ToldPtr told = told_strategy(strategy, "row=2,col=2");
    ASSERT_NE(told, nullptr);
    const Story& story = told->story;
    const auto all_held = [&](Picoseconds time) {
      std::vector<std::vector<PieceId>> out;
      for (int32_t d = 0; d < told->timeline.devices; ++d) out.push_back(story.held(d, time));
      return out;
    };
    int stretches = 0;
    for (Picoseconds at = 0; at <= told->timeline.total; ++stretches) {
      const TimeRange steady = story.steady(at);
      ASSERT_LE(steady.start, at);
      ASSERT_GT(steady.end, at);
      const Picoseconds end = std::min(steady.end, told->timeline.total + 1);
      for (const Picoseconds inside : {at, (at + end) / 2, end - 1}) {
        EXPECT_EQ(all_held(inside), all_held(at)) << told->name << " at " << inside;
        EXPECT_EQ(story.steady(inside), steady);
      }
      for (const Beat& beat : story.beats()) {
        if (steady.start <= beat.end && beat.end < end) {
          EXPECT_EQ(all_held(beat.end), all_held(at));
        }
      }
      at = end;
    }
    EXPECT_GT(stretches, 2) << told->name;
    EXPECT_LE(stretches, 8 * std::ssize(story.beats())) << told->name;
  }
}

// X [rows, 8] summed over four devices, each of which has made a quarter of the products, and scattered.
Program sum_of_quarters(int64_t rows, const std::function<Value(SpmdBuilder&, Value)>& sum) {
  SpmdBuilder b("test", *Mesh::parse("x=4"), {rows, 16, 8}, {{"x", "x"}});
  const Value lhs = b.lhs("mk", P("", "x"));
  const Value rhs = b.rhs("kn", P("x", ""));
  const Value y = sum(b, b.dot(lhs, rhs, {1}, {0}));
  Result<Program> program = b.finish(y, ArrayRole::product, {rows, 8}, P("x", ""));
  EXPECT_TRUE(program.ok()) << program.error().text();
  return *program;
}

TEST(ReduceScatter, LeavesEachDeviceItsPartWithAllTermsAndOnlyThat) {
  for (const CollectiveAlgorithm algorithm :
       {CollectiveAlgorithm::ring, CollectiveAlgorithm::bidirectional, CollectiveAlgorithm::doubling,
        CollectiveAlgorithm::direct, CollectiveAlgorithm::swing}) {
    const ToldPtr run = told(
        "scatter", sum_of_quarters(8, [](SpmdBuilder& b, Value v) { return b.reduce_scatter(v, "x", 0); }),
        algorithm);
    ASSERT_NE(run, nullptr);
    EXPECT_EQ(first_broken(run->story), "") << name(algorithm);
    const Picoseconds end = run->timeline.total;
    for (int32_t d = 0; d < 4; ++d) {
      for (int64_t row = 0; row < 8; ++row) {
        const IndexRanges terms = terms_at(run->story, run->story.held(d, end), 2, {row, 0});
        EXPECT_EQ(count_of(terms), row / 2 == d ? 16 : 0)
            << name(algorithm) << ": device " << d << ", row " << row;
      }
    }
  }
}

// Ten rows on four devices: three each, of which the last has one and two of padding, which is no piece.
TEST(ReduceScatter, LeavesUnevenPartsWithoutTheirPadding) {
  const Result<Program> program = parse_program(
      R"hlo(HloModule m, frontend_attributes={shardscope.mesh="a=4",shardscope.inputs="lhs [10,16] P(None,'a'); rhs [16,4] P('a',None)"}
sum { sa = f32[] parameter(0)
 sb = f32[] parameter(1)
 ROOT ss = f32[] add(sa, sb) }
ENTRY main {
 x = f32[10,4] parameter(0)
 w = f32[4,4] parameter(1)
 d = f32[10,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
 z = f32[] constant(0)
 p = f32[12,4] pad(d, z), padding=0_2x0_0
 ROOT rs = f32[3,4] reduce-scatter(p), replica_groups={}, dimensions={0}, to_apply=sum
})hlo");
  ASSERT_TRUE(program.ok()) << program.error().text();
  for (const CollectiveAlgorithm algorithm :
       {CollectiveAlgorithm::ring, CollectiveAlgorithm::doubling, CollectiveAlgorithm::direct}) {
    const ToldPtr run = told("uneven", *program, algorithm);
    ASSERT_NE(run, nullptr);
    EXPECT_EQ(first_broken(run->story), "") << name(algorithm);
    const auto sum = std::ranges::find(run->story.arrays(), 16, &StoryArray::terms);
    ASSERT_NE(sum, run->story.arrays().end());
    EXPECT_EQ(sum->dims, (std::vector<int64_t>{10, 4}));
    const auto array = static_cast<int32_t>(sum - run->story.arrays().begin());
    for (int32_t d = 0; d < 4; ++d) {
      for (int64_t row = 0; row < 10; ++row) {
        const IndexRanges terms =
            terms_at(run->story, run->story.held(d, run->timeline.total), array, {row, 0});
        EXPECT_EQ(count_of(terms), row / 3 == d ? 16 : 0)
            << name(algorithm) << ": device " << d << ", row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace shardscope::story_test
