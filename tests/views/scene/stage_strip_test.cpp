// SPDX-License-Identifier: Apache-2.0
// The strip of a module's stages.
#include "views/scene/module/stage_strip.h"

#include <algorithm>

#include "golden_scene.h"
#include "sample_run.h"

namespace shardscope::stage_strip_test {
namespace {

Program program_of(const std::string& lines) {
  auto program = parse_program("HloModule m\nENTRY e {\n" + lines + "}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *std::move(program) : Program();
}

StripStage stage_of(StagePtr stage, const std::string& title, int before) {
  StripStage out{std::move(stage), title, {}, before};
  out.instructions = out.stage->program->instruction_count();
  return out;
}

// A product; two copies before it; and, made from the first again, a sum behind it.
StageStrip three_stages() {
  const std::string p = "p = f32[8] parameter(0)\n";
  const StagePtr first = read_stage(program_of(p + "ROOT n = f32[8] negate(p)\n"));
  const StagePtr second = shared_stage(
      ModuleStage{StageKind::partitioned,
                  SharedProgram(program_of(p + "c = f32[8] copy(p)\nROOT n = f32[8] negate(c)\n")), first,
                  StageLinks({{0, 0}, {1, 1}, {2, 1}})});
  const StagePtr third =
      shared_stage(ModuleStage{StageKind::timed, SharedProgram(program_of(p + "ROOT f = f32[8] negate(p)\n")),
                               first, StageLinks({{0, 0}, {1, 1}})});
  StageStrip out{stage_of(first, "module", -1), stage_of(second, "partitioned", 0),
                 stage_of(third, "timed", 0)};
  out[1].from = *match_stages(*first, *second);
  out[2].from = *match_stages(*first, *third);
  out[1].added = out[1].changed = 1;
  out[1].said = {"a copy was put before it"};
  return out;
}

TEST(StageStripView, GoldenPictures) {
  StripView view{0, 1, {}};
  const StageStrip strip = three_stages();
  view.related = related_in(strip, 1, 1);
  expect_golden("stage_strip", layout_stage_strip(strip, view, canvas(720, 58)));
  expect_golden("stage_strip_narrow", layout_stage_strip(strip, {}, canvas(300, 58)));
}

// Eleven stages in a narrow window: those that are seen are read, each other one has a number of its own.
TEST(StageStripView, ManyStagesInLittleRoomAreNumberedAndThoseSeenAreNamed) {
  StageStrip strip = three_stages();
  while (strip.size() < 11) strip.push_back(strip.back());
  const Scene scene = layout_stage_strip(strip, {1, 2, {}}, canvas(520, 58));
  const auto written = [&](const std::string& text) {
    return std::ranges::count(scene.texts(), text, &TextItem::text);
  };
  EXPECT_EQ(written("partitioned"), 1);
  EXPECT_EQ(written("timed"), 1);
  for (const char* number : {"1", "4", "11"}) EXPECT_EQ(written(number), 1) << number;
  float end = 0;
  for (const AccessibleItem& each : scene.accessible()) {
    EXPECT_GE(each.rect.x, end);
    end = each.rect.x + each.rect.w;
  }
  EXPECT_LE(end, 520);
}

TEST(StageStripView, AClickFindsTheStageAndItsWordsSayWhatItChanged) {
  const StageStrip strip = three_stages();
  const Scene scene = layout_stage_strip(strip, {}, canvas(900, 58));
  ASSERT_EQ(scene.accessible().size(), 3U);
  EXPECT_EQ(scene.accessible()[1].name,
            "partitioned: 3 instructions, 0 collectives; made from module: 1 new, 0 gone, 1 changed; a copy "
            "was put before it");
  for (size_t k = 0; k < strip.size(); ++k) {
    const Rect& box = scene.accessible()[k].rect;
    const auto hit = scene.hit({box.x + box.w / 2, box.y + box.h / 2});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->kind, ItemId::Kind::step);
    EXPECT_EQ(hit->index, static_cast<int32_t>(k));
  }
  EXPECT_EQ(change_text(strip[1]), "+1 ~1");
  EXPECT_EQ(change_text(strip[2]), "=");
  EXPECT_TRUE(layout_stage_strip({}, {}, canvas(900, 58)).accessible().empty());
}

// Back to where an instruction comes from, and from there into what else was made of that.
TEST(StageStripView, WhatBelongsTogetherIsTickedInEveryStage) {
  const StageStrip strip = three_stages();
  using Numbers = std::vector<std::vector<int32_t>>;
  EXPECT_EQ(related_in(strip, 1, 1), (Numbers{{1}, {1}, {1}}));
  EXPECT_EQ(related_in(strip, 0, 1), (Numbers{{1}, {1, 2}, {1}}));
  const auto ticks = [&](const StripView& view) {
    const Scene scene = layout_stage_strip(strip, view, canvas(900, 58));
    return std::ranges::count(scene.rects(), light_theme().selection, &RectItem::fill);
  };
  EXPECT_EQ(ticks({}), 0);
  EXPECT_EQ(ticks({-1, -1, related_in(strip, 0, 1)}), 4);
}

}  // namespace
}  // namespace shardscope::stage_strip_test
