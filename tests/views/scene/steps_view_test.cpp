// SPDX-License-Identifier: Apache-2.0
// The steps of a loop: a curve of what each gives, a bar for the time of each.
#include <algorithm>
#include <cmath>

#include "engine/run/steps.h"
#include "sample_run.h"
#include "scene_claims.h"

namespace shardscope::steps_view_test {
namespace {

Run stepped(int64_t count, const std::function<double(int64_t)>& loss) {
  Run run;
  run.steps = RunSteps{"train", {"loss"}, {}, {}, {}};
  for (int64_t k = 0; k < count; ++k)
    run.steps->steps.push_back(
        {k, k < 2, {k * 1000, k * 1000 + 1000}, 1e-3 + 1e-5 * static_cast<double>(k % 7), {loss(k)}});
  return run;
}

Scene drawn(const Run& run, const Canvas& c = canvas(900, 520)) {
  const SampleRun sample;
  return layout_steps({run, sample.trace(), nullptr}, c);
}

const LineItem& longest_line(const Scene& scene) {
  return *std::ranges::max_element(scene.lines(), {}, [](const LineItem& l) { return l.points.size(); });
}

TEST(StepsView, TheLossFallsAsTheCurveDoes) {
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    const Scene scene = drawn(stepped(30, [](int64_t k) { return std::exp(-0.2 * static_cast<double>(k)); }),
                              canvas(900, 520, theme));
    const LineItem& curve = longest_line(scene);
    ASSERT_EQ(curve.points.size(), 30U);
    for (size_t k = 1; k < 30; ++k) {
      EXPECT_GT(curve.points[k].x, curve.points[k - 1].x);
      EXPECT_GT(curve.points[k].y, curve.points[k - 1].y) << "down";
    }
    EXPECT_TRUE(shows(scene, "30 steps of train, 2 of them warm-up"));
    const auto striped = std::ranges::count(scene.rects(), Pattern::stripes, &RectItem::pattern);
    EXPECT_EQ(striped, 3) << "two bars and the legend";
    expect_words_inside(scene);
  }
}

TEST(StepsView, ABreakInTheCurveIsAValueThatIsNoNumber) {
  const Scene scene =
      drawn(stepped(20, [](int64_t k) { return k == 8 ? std::nan("") : -1.0 - static_cast<double>(k); }));
  EXPECT_EQ(longest_line(scene).points.size(), 11U);
  for (const LineItem& line : scene.lines())
    for (const Point& p : line.points) EXPECT_TRUE(std::isfinite(p.y));
}

TEST(StepsView, OfManyStepsSomeAreDrawn) {
  const Scene scene = drawn(stepped(100'000, [](int64_t k) { return 1.0 / static_cast<double>(k + 1); }));
  EXPECT_LE(longest_line(scene).points.size(), 2'000U);
  EXPECT_GE(longest_line(scene).points.size(), 1'000U);
  EXPECT_LT(scene.rects().size(), 3'000U);
}

TEST(StepsView, SaysWhyThereIsNothingToDraw) {
  EXPECT_TRUE(shows(drawn(shardscope::Run()), "This run was carried out once"));
  shardscope::Run timed = stepped(3, [](int64_t) { return 1.0; });
  for (RunStep& step : timed.steps->steps) step.wall_s.reset(), step.values.clear();
  timed.steps->notes = {"the steps are not executed: numbers are off"};
  EXPECT_TRUE(shows(drawn(timed), "the steps are not executed: numbers are off"));
}

}  // namespace
}  // namespace shardscope::steps_view_test
