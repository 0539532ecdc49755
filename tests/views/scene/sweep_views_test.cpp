// SPDX-License-Identifier: Apache-2.0
// The tuner's candidates and the crossovers as pictures.
#include <algorithm>

#include "golden_scene.h"
#include "scene_claims.h"
#include "views/scene/charts/crossover_values.h"
#include "views/scene/core/plot_axis.h"

namespace shardscope::sweep_views_test {
namespace {

Canvas chart_canvas(float width, float height, Theme theme = light_theme(), float scale = 1) {
  Canvas out;
  out.width = width;
  out.height = height;
  out.theme = theme;
  out.theme.scale = scale;
  return out;
}

TuneCandidate candidate(const char* mesh, double seconds, int64_t peak, bool front, bool fits = true) {
  TuneCandidate out;
  out.mesh = Mesh::parse(mesh).value();
  out.total_s = seconds;
  out.traffic_s = seconds / 4;
  out.pipeline_s = seconds - out.traffic_s;
  out.peak_bytes = peak;
  out.front = front;
  out.fits = fits;
  return out;
}

TuneResult sample_tuning() {
  TuneResult out;
  out.model.title = "GPT-3";
  out.chips = 64;
  out.hbm_bytes = 16e9;
  out.candidates = {
      candidate("x=8,y=8", 12e-3, 4LL << 30, true), candidate("x=4,y=16", 15e-3, 3LL << 30, true),
      candidate("x=16,y=4", 21e-3, 6LL << 30, false), candidate("x=64,y=1", 90e-3, 24LL << 30, false, false)};
  out.best = 0;
  return out;
}

std::vector<ItemId> hits(const Scene& scene) {
  std::vector<ItemId> out;
  for (const CircleItem& c : scene.circles()) {
    if (const auto item = scene.hit(c.center)) out.push_back(*item);
  }
  return out;
}

TEST(TunerView, MarksTheChosenMeshJoinsTheFrontAndDrawsTheMemoryLimit) {
  const Scene scene = layout_tuner(sample_tuning(), {}, chart_canvas(900, 500));
  expect_words_inside(scene);
  EXPECT_TRUE(shows(scene, "8×8 chosen, 12.0 ms"));
  EXPECT_TRUE(shows(scene, "64×1 does not fit"));
  EXPECT_TRUE(shows(scene, "HBM 14.9 GiB"));
  const auto front = std::find_if(scene.lines().begin(), scene.lines().end(),
                                  [](const LineItem& l) { return !l.dashed && l.width == 1.5F; });
  ASSERT_NE(front, scene.lines().end());
  EXPECT_EQ(front->points.size(), 2U);
  expect_golden("tuner", scene);
}

TEST(TunerView, EveryCandidateIsAHitTargetWithItsPlace) {
  const TuneResult result = sample_tuning();
  std::vector<ItemId> found = hits(layout_tuner(result, {}, chart_canvas(900, 500)));
  ASSERT_EQ(found.size(), result.candidates.size());
  std::sort(found.begin(), found.end(), [](const ItemId& a, const ItemId& b) { return a.index < b.index; });
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].kind, ItemId::Kind::candidate);
    EXPECT_EQ(found[i].index, static_cast<int32_t>(i));
  }
}

TEST(TunerView, FasterStandsFurtherLeftAndSmallerFurtherDown) {
  const TuneResult result = sample_tuning();
  const Scene scene = layout_tuner(result, {}, chart_canvas(900, 500));
  std::vector<Point> at(result.candidates.size());
  for (const CircleItem& c : scene.circles()) at[static_cast<size_t>(scene.hit(c.center)->index)] = c.center;
  EXPECT_LT(at[0].x, at[1].x);
  EXPECT_LT(at[2].x, at[3].x);
  EXPECT_LT(at[0].y, at[1].y);
  EXPECT_GT(at[0].y, at[2].y);
}

TEST(TunerView, WithoutMemoryTheTimesAreBars) {
  TuneResult result = sample_tuning();
  for (TuneCandidate& c : result.candidates) c.peak_bytes = 0;
  const Scene scene = layout_tuner(result, {}, chart_canvas(900, 300));
  expect_words_inside(scene);
  EXPECT_TRUE(scene.circles().empty());
  EXPECT_TRUE(shows(scene, "traffic"));
  EXPECT_EQ(scene.accessible().size(), result.candidates.size());
}

TEST(TunerView, LargeAndDarkKeepsWordsInside) {
  expect_words_inside(layout_tuner(sample_tuning(), {}, chart_canvas(900, 500, dark_theme(), 2)));
  EXPECT_TRUE(shows(layout_tuner({}, {}, chart_canvas(600, 300)), "No mesh is done yet"));
}

CrossoverTable sample_crossover() {
  CrossoverTable out;
  out.title = "X·W on 2x4";
  out.axes = {{"n", {"1024", "2048", "4096", "8192"}}};
  const double collective[] = {10e-6, 24e-6, 60e-6, 130e-6}, wang[] = {14e-6, 25e-6, 44e-6, 80e-6};
  for (int32_t i = 0; i < 4; ++i) {
    SweepPoint point{{i}, {{"collective.os", collective[i], {}}, {"wang.os", wang[i], {}}}, 1};
    std::sort(point.ranking.begin(), point.ranking.end(),
              [](const StrategyTime& a, const StrategyTime& b) { return a.total_s < b.total_s; });
    out.points.push_back(point);
  }
  return out;
}

CrossoverTable two_quantities() {
  CrossoverTable out = sample_crossover();
  std::vector<SweepPoint> points;
  for (const SweepPoint& point : out.points) {
    for (int32_t slices = 0; slices < 3; ++slices) {
      SweepPoint more = point;
      more.at.push_back(slices);
      points.push_back(more);
    }
  }
  out.points = points;
  out.axes.push_back({"dtype", {"bf16", "f32", "f64"}});
  return out;
}

TEST(CrossoverView, CurvesAndAStripThatNamesTheWinners) {
  const Scene scene = layout_crossover(sample_crossover(), {}, chart_canvas(900, 420));
  expect_words_inside(scene);
  for (const char* words : {"collective.os", "wang.os", "1,024", "8,192", "10.0 µs"})
    EXPECT_TRUE(shows(scene, words)) << words;
  const auto changes =
      std::count_if(scene.lines().begin(), scene.lines().end(), [](const LineItem& l) { return l.dashed; });
  EXPECT_EQ(changes, std::ssize(crossovers(sample_crossover())));
  expect_golden("crossover", scene);
}

TEST(CrossoverView, EveryPointIsAHitTargetAndSpoken) {
  const CrossoverTable table = sample_crossover();
  const Scene scene = layout_crossover(table, {}, chart_canvas(900, 420));
  ASSERT_EQ(scene.accessible().size(), table.points.size());
  for (size_t i = 0; i < table.points.size(); ++i) {
    const AccessibleItem& item = scene.accessible()[i];
    const auto hit = scene.hit({item.rect.x + item.rect.w / 2, item.rect.y + item.rect.h / 2});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->index, static_cast<int32_t>(i));
    EXPECT_NE(item.name.find(table.points[i].ranking[0].strategy + " wins with"), std::string::npos);
  }
}

TEST(CrossoverView, ASecondQuantityMakesPanels) {
  const CrossoverTable table = two_quantities();
  EXPECT_EQ(main_axis(table), 0U);
  EXPECT_EQ(panels_of(table, 0).size(), 3U);
  const Scene scene = layout_crossover(table, {}, chart_canvas(1300, 420));
  expect_words_inside(scene);
  for (const char* words : {"dtype = bf16", "dtype = f32", "dtype = f64"}) EXPECT_TRUE(shows(scene, words));
  EXPECT_TRUE(shows(layout_crossover(table, {}, chart_canvas(600, 250)), "1 of 3 panels fit"));
}

TEST(CrossoverView, WhereAStrategyCannotRunItsCurveBreaks) {
  CrossoverTable table = sample_crossover();
  auto& ranking = table.points[1].ranking;
  ranking.erase(std::remove_if(ranking.begin(), ranking.end(),
                               [](const StrategyTime& t) { return t.strategy == "wang.os"; }),
                ranking.end());
  const Scene scene = layout_crossover(table, {}, chart_canvas(900, 420));
  const auto curves = std::count_if(scene.lines().begin(), scene.lines().end(), [](const LineItem& l) {
    return !l.dashed && l.width == 2 && l.points.size() > 1;
  });
  EXPECT_EQ(curves, 2) << "collective.os whole, wang.os from 4096 on";
}

TEST(CrossoverView, WordsStandEvenlyAndNothingToShowIsSaid) {
  const ValueAxis axis = value_axis({"mesh", {"2x4", "4x2", "8x1"}}, 0, 300);
  EXPECT_FLOAT_EQ(axis.x[1] - axis.x[0], axis.x[2] - axis.x[1]);
  EXPECT_EQ(axis.edges.size(), 4U);
  EXPECT_TRUE(shows(layout_crossover({}, {}, chart_canvas(600, 300)), "No point of the sweep could run"));
}

TEST(CrossoverView, LargeAndDarkKeepsWordsInside) {
  expect_words_inside(layout_crossover(two_quantities(), {}, chart_canvas(900, 500, dark_theme(), 2)));
}

TEST(PlotAxis, TicksAreRoundAndInside) {
  for (const PlotAxis& axis : {plot_axis(1e-5, 2e-5, 0, 100), plot_axis(1e-6, 3e-3, 0, 100),
                               plot_axis(3, 5e9, 0, 100), PlotAxis{false, -3, 2, 0, 100}}) {
    for (const bool binary : {false, true}) {
      const std::vector<double> ticks = plot_ticks(axis, 6, binary);
      ASSERT_GE(ticks.size(), 2U);
      EXPECT_LE(ticks.size(), 8U);
      for (const double tick : ticks) {
        EXPECT_GE(axis.at(tick), -0.01F);
        EXPECT_LE(axis.at(tick), 100.01F);
      }
    }
  }
}

}  // namespace
}  // namespace shardscope::sweep_views_test
