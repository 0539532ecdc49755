// SPDX-License-Identifier: Apache-2.0
// What a lesson points at has an outline, in the pictures that have an item of it and in those that name it.
#include "views/scene/story/pointed.h"

#include <gtest/gtest.h>

#include "tests/views/scene/sample_run.h"
#include "views/scene/core/run_views.h"

namespace shardscope::pointed_test {
namespace {

std::vector<Rect> outlines(const Scene& scene, const Theme& theme) {
  std::vector<Rect> out;
  for (const RectItem& rect : scene.rects())
    if (rect.border == theme.selection && rect.fill.a == 0) out.push_back(rect.rect);
  return out;
}

Scene pointing(const SampleRun& run, const char* view, const char* words, const Canvas& to) {
  const auto thing = find_thing(run.story(), words);
  EXPECT_TRUE(thing.has_value()) << words;
  return *layout_pointed(view, run.input(), {0, {*thing}}, to);
}

TEST(Pointed, ThingsHaveTheNamesThatFindThem) {
  const SampleRun run;
  for (const char* words : {"device (0,1)", "a0", "X", "w3"}) {
    const auto thing = find_thing(run.story(), words);
    ASSERT_TRUE(thing.has_value()) << words;
    EXPECT_EQ(thing_words(run.story(), *thing), words);
  }
  for (const char* words : {"device (7,7)", "a99", "nothing", ""})
    EXPECT_FALSE(find_thing(run.story(), words).has_value()) << words;
}

TEST(Pointed, ADeviceIsOutlinedInTheRing) {
  const SampleRun run;
  const Canvas to = canvas(900, 600);
  const auto found = outlines(pointing(run, "ring", "device (0,1)", to), to.theme);
  ASSERT_EQ(found.size(), 1U);
  const Scene plain = *layout_named("ring", run.input(), {}, to);
  const auto hit = plain.hit({found[0].x + found[0].w / 2, found[0].y + found[0].h / 2});
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->device, 1);
}

TEST(Pointed, ABlockIsOutlinedInTheGridAndByItsNameInTheRing) {
  const SampleRun run;
  const Canvas to = canvas(900, 600);
  EXPECT_EQ(outlines(pointing(run, "grid", "a0", to), to.theme).size(), 1U);
  const auto named = outlines(pointing(run, "ring", "a0", to), to.theme);
  ASSERT_GE(named.size(), 1U);
  for (const Rect& rect : named) EXPECT_LT(rect.w, 60) << "round the name, not round the chip";
}

TEST(Pointed, AnArrayIsAllItsBlocks) {
  const SampleRun run;
  const Canvas to = canvas(900, 600);
  EXPECT_EQ(outlines(pointing(run, "grid", "X", to), to.theme).size(), 8U);
}

TEST(Pointed, NothingElseChanges) {
  const SampleRun run;
  const Canvas to = canvas(900, 600);
  EXPECT_EQ(*layout_pointed("timeline", run.input(), {0, {}}, to),
            *layout_named("timeline", run.input(), {}, to));
  EXPECT_FALSE(layout_pointed("rnig", run.input(), {0, {}}, to).ok());
}

}  // namespace
}  // namespace shardscope::pointed_test
