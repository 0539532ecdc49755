// SPDX-License-Identifier: Apache-2.0
#include "views/scene/charts/query_chart.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace shardscope::query_chart_test {
namespace {

Scene drawn(const QueryChart& chart) {
  return layout_query_chart(chart, {}, Canvas{640, 360, light_theme()});
}

std::set<std::string> texts(const Scene& scene) {
  std::set<std::string> out;
  for (const TextItem& item : scene.texts()) out.insert(item.text);
  return out;
}

QueryChart times() {
  QueryChart chart;
  chart.x_axis = {"strategy", ""};
  chart.y_axis = {"total_s", "s"};
  chart.labels = {"wang.os", "cannon.os", "psum"};
  chart.y = {1e-4, 2e-4, 3e-4};
  return chart;
}

TEST(QueryChart, BarsStandFromZeroAsHighAsTheirValues) {
  const Scene scene = drawn(times());
  std::vector<Rect> bars;
  for (const AccessibleItem& item : scene.accessible()) bars.push_back(item.rect);
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_NEAR(bars[1].h, 2 * bars[0].h, 1);
  EXPECT_NEAR(bars[2].h, 3 * bars[0].h, 1);
  EXPECT_FLOAT_EQ(bars[0].bottom(), bars[2].bottom());
  EXPECT_EQ(scene.accessible()[1].name, "strategy cannon.os: total_s 200 µs");
}

TEST(QueryChart, AxesHaveTitlesWithUnitsAndRoundNumbers) {
  const auto said = texts(drawn(times()));
  EXPECT_EQ(said.count("total_s [s]"), 1U);
  EXPECT_EQ(said.count("strategy"), 1U);
  EXPECT_EQ(said.count("wang.os"), 1U);
  EXPECT_EQ(said.count("200 µs"), 1U);
}

TEST(QueryChart, DotsStandAtTheirNumbersAndAGapHasNone) {
  QueryChart chart = times();
  chart.kind = QueryChart::Kind::scatter;
  chart.x = {0, 10, 40};
  chart.y = {5, std::nan(""), -5};
  const Scene scene = drawn(chart);
  ASSERT_EQ(scene.accessible().size(), 2U);
  EXPECT_LT(scene.accessible()[0].rect.x, scene.accessible()[1].rect.x);
  EXPECT_LT(scene.accessible()[0].rect.y, scene.accessible()[1].rect.y) << "5 is above −5";
}

TEST(QueryChart, SaysWhyThereIsNothingToDraw) {
  QueryChart chart = times();
  chart.y = {std::nan(""), std::nan(""), std::nan("")};
  EXPECT_EQ(texts(drawn(chart)).count("The column for y holds no number."), 1U);
  EXPECT_EQ(texts(drawn({})).count("Ask something first."), 1U);
}

TEST(QueryChart, ValuesAreSaidWithTheirUnits) {
  EXPECT_EQ(value_words(1.5e-6, "s"), "1.50 µs");
  EXPECT_EQ(value_words(-2048, "B"), "−2.0 KiB");
  EXPECT_EQ(value_words(2'000'000, "ps"), "2.00 µs");
  EXPECT_EQ(value_words(12, ""), "12");
  EXPECT_EQ(value_words(12, "%"), "12 %");
}

}  // namespace
}  // namespace shardscope::query_chart_test
