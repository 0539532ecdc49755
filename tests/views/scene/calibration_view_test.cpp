// SPDX-License-Identifier: Apache-2.0
// Predicted beside measured as a picture.
#include <algorithm>

#include "golden_scene.h"
#include "scene_claims.h"
#include "views/scene/charts/calibration.h"

namespace shardscope::calibration_view_test {
namespace {

Canvas chart_canvas(float width, float height, Theme theme = light_theme(), float scale = 1) {
  Canvas out;
  out.width = width;
  out.height = height;
  out.theme = theme;
  out.theme.scale = scale;
  return out;
}

CalibratedPoint point(const char* id, const char* group, double size, double measured_s, double after_s,
                      bool held_out) {
  CalibratedPoint out;
  out.id = id;
  out.source = "a paper";
  out.group = group;
  out.what = "what it was";
  out.size = size;
  out.measured_s = measured_s;
  out.before_s = measured_s / 2;
  out.after_s = after_s;
  out.held_out = held_out;
  return out;
}

Calibration sample() {
  Calibration out;
  out.chip = "h100";
  out.points = {point("p1", "matmul", 1e9, 10e-6, 10e-6, false),
                point("p2", "matmul", 1e12, 2e-3, 4e-3, true),
                point("p3", "all-reduce 8", 1 << 20, 40e-6, 20e-6, true),
                point("p4", "all-reduce 4", 1 << 26, 300e-6, 303e-6, false)};
  out.groups = {{"matmul", 2, 1, 0, 1, 0.5, 1, "p2"}, {"all-reduce 8", 1, 1, 0, 0.5, 0.5, 0.5, "p3"}};
  out.parameters = {{"compute.efficiency", 0.78, 0.77, 0.79, 0.9, "", true, 90},
                    {"link.op.all-reduce.8.step_s", 1e-6, 0, 5e-6, 1e-6, "s", false, 3}};
  return out;
}

ItemId chosen(int32_t place) {
  ItemId item;
  item.kind = ItemId::Kind::candidate;
  item.index = place;
  return item;
}

// The circle of a point: what is hit there is the point.
const CircleItem* circle_of(const Scene& scene, int32_t place) {
  for (const CircleItem& c : scene.circles())
    if (c.id >= 0 && scene.ids()[static_cast<size_t>(c.id)] == chosen(place)) return &c;
  return nullptr;
}

TEST(CalibrationView, StandsHigherWhereItPredictsTooLong) {
  const Scene scene = layout_calibration(sample(), {}, {}, chart_canvas(1000, 500));
  expect_words_inside(scene);
  const CircleItem *right = circle_of(scene, 0), *twice = circle_of(scene, 1), *half = circle_of(scene, 2);
  ASSERT_TRUE(right != nullptr && twice != nullptr && half != nullptr);
  EXPECT_LT(twice->center.y, right->center.y);
  // Twice as long is as far off as half as long.
  EXPECT_NEAR(right->center.y - twice->center.y, half->center.y - right->center.y, 0.5);
}

TEST(CalibrationView, FillsWhatItIsJudgedByAndRingsWhatItWasFittedTo) {
  const Scene scene = layout_calibration(sample(), {}, {}, chart_canvas(1000, 500));
  EXPECT_EQ(circle_of(scene, 0)->fill, light_theme().background);
  EXPECT_EQ(circle_of(scene, 1)->fill, circle_of(scene, 1)->border);
}

TEST(CalibrationView, HitsThePointUnderTheCursor) {
  const Scene scene = layout_calibration(sample(), {}, {}, chart_canvas(1000, 500));
  for (int32_t i = 0; i < 4; ++i) EXPECT_EQ(scene.hit(circle_of(scene, i)->center), chosen(i));
}

TEST(CalibrationView, ShowsOneGroupWhenOneIsChosen) {
  const Scene scene = layout_calibration(sample(), {"all-reduce 8", true}, {}, chart_canvas(1000, 500));
  EXPECT_EQ(circle_of(scene, 0), nullptr);
  EXPECT_NE(circle_of(scene, 2), nullptr);
  EXPECT_EQ(circle_of(scene, 3), nullptr);
}

TEST(CalibrationView, ShowsTimesBeforeTheFitOnlyWhenAsked) {
  const auto pale = [](const Scene& scene) {
    return std::count_if(scene.circles().begin(), scene.circles().end(),
                         [](const CircleItem& c) { return c.id < 0; });
  };
  EXPECT_EQ(pale(layout_calibration(sample(), {"", true}, {}, chart_canvas(1000, 500))) -
                pale(layout_calibration(sample(), {"", false}, {}, chart_canvas(1000, 500))),
            4 + 1);  // and its mark in the legend
}

TEST(CalibrationView, SaysAPointInWords) {
  const auto words = words_of(sample().points[1]);
  EXPECT_EQ(words[1], "measured 2.00 ms, predicted 4.00 ms: 100 % too long");
  EXPECT_EQ(words[3], "held out: the fit has not seen it");
  EXPECT_EQ(deviation_text(20e-6, 40e-6), "50 % too short");
}

TEST(CalibrationView, SaysWhatIsNotIdentified) {
  const Scene scene = layout_calibrated_parameters(sample(), {}, chart_canvas(900, 300));
  expect_words_inside(scene);
  EXPECT_TRUE(shows(scene, "compute.efficiency"));
  EXPECT_TRUE(shows(scene, "0.78   0.77 – 0.79"));
  EXPECT_TRUE(shows(scene, "1.00 µs   not identified"));
}

TEST(CalibrationView, IsReadableSmallLargeAndDark) {
  for (const auto& [width, height, scale] :
       {std::tuple(420, 500, 1.0F), {1280, 500, 1.0F}, {1800, 900, 2.0F}}) {
    const auto w = static_cast<float>(width), h = static_cast<float>(height);
    expect_words_inside(layout_calibration(sample(), {}, {}, chart_canvas(w, h, dark_theme(), scale)));
    expect_words_inside(layout_calibrated_parameters(sample(), {}, chart_canvas(w, h, dark_theme(), scale)));
  }
}

TEST(CalibrationView, SaysThatThereIsNothing) {
  EXPECT_TRUE(shows(layout_calibration({}, {}, {}, chart_canvas(900, 300)),
                    "There is no point that the model times."));
}

}  // namespace
}  // namespace shardscope::calibration_view_test
