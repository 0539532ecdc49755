// SPDX-License-Identifier: Apache-2.0
// Who wins where, as CSV, HTML, text and JSON.
#include "engine/report/crossover_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/report/document/writers.h"

namespace shardscope::crossover_report_test {
namespace {

// n over 1024 and 2048, two meshes: b wins where n is large, nothing runs at the last point.
CrossoverTable table() {
  CrossoverTable out;
  out.title = "a <b> & \"c\"";
  out.axes = {{"n", {"1024", "2048"}}, {"mesh", {"2x4", "4,2"}}};
  const auto point = [](int32_t n, int32_t mesh, double a, double b) {
    SweepPoint p;
    p.at = {n, mesh};
    p.ranking = {{"a", a, {}}, {"b", b, {}}};
    if (b < a) std::swap(p.ranking[0], p.ranking[1]);
    return p;
  };
  out.points = {point(0, 0, 1e-6, 2e-6), point(0, 1, 1e-6, 2e-6), point(1, 0, 3e-6, 2.5e-6)};
  SweepPoint nothing;
  nothing.at = {1, 1};
  nothing.skipped = 2;
  out.points.push_back(nothing);
  return out;
}

TEST(CrossoverCsv, ALinePerPointAndAnEmptyCellWhereNothingRan) {
  EXPECT_EQ(crossover_csv(table()),
            "n,mesh,best,a_s,b_s,a_price_s,b_price_s\n"
            "1024,2x4,a,1e-06,2e-06,0,0\n"
            "1024,\"4,2\",a,1e-06,2e-06,0,0\n"
            "2048,2x4,b,3e-06,2.5e-06,0,0\n"
            "2048,\"4,2\",,,,,\n");
}

TEST(CrossoverHtml, IsOnePageThatEscapesItsTitle) {
  ReportParts parts;
  parts.figures = {{"where", {"times", "Time of each strategy", "all points", 0}}};
  const std::string html = report_html(make_report(table(), parts), {"<svg></svg>"});
  EXPECT_NE(html.find("a &lt;b&gt; &amp;"), std::string::npos);
  EXPECT_EQ(html.find("a <b>"), std::string::npos);
  EXPECT_NE(html.find("<svg></svg>"), std::string::npos);
  EXPECT_NE(html.find("a gives way to b"), std::string::npos);
  EXPECT_EQ(html.find("src="), std::string::npos) << "nothing is loaded from elsewhere";
  EXPECT_EQ(html.find("<script"), html.rfind("<script")) << "the page's own alone";
}

TEST(CrossoverJson, NamesTheCrossing) {
  const auto json = nlohmann::json::parse(crossover_json(table()));
  ASSERT_EQ(json["crossovers"].size(), 1U);
  EXPECT_EQ(json["crossovers"][0]["along"], "n");
  EXPECT_EQ(json["crossovers"][0]["before"], "a");
  EXPECT_EQ(json["crossovers"][0]["after"], "b");
  EXPECT_TRUE(json["points"][3]["best"].is_null());
}

}  // namespace
}  // namespace shardscope::crossover_report_test
