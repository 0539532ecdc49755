// SPDX-License-Identifier: Apache-2.0
// A report in each format, byte for byte. SHARDSCOPE_UPDATE=1 writes the golden files anew.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/report/document/writers.h"
#include "engine/report/verdict.h"

namespace shardscope::document_test {
namespace {

constexpr const char* kHostile = "<script>alert(1)</script> =1+1 @x [a](b) | 50% \\input{x} $y$ \x1b[31m";

std::shared_ptr<Run> run_of(const std::string& strategy, Picoseconds compute, Picoseconds exposed) {
  auto run = std::make_shared<Run>();
  run->strategy = strategy;
  run->mesh = *Mesh::parse("row=2,col=2");
  run->problem = {8, 8, 8, ElementType::f32, ElementType::f32};
  run->experiment.mesh = run->mesh;
  run->experiment.problem = run->problem;
  run->experiment.hardware = run->hardware.name = "test-chip";
  run->experiment.seed = 7;
  run->timeline.devices = 4;
  run->timeline.total = compute + exposed;
  run->timeline.totals.resize(4);
  for (DeviceTotals& d : run->timeline.totals) {
    d.compute = compute;
    d.comm = d.exposed = exposed;
    d.bytes_sent = 1024;
    d.peak_bytes = 2048;
  }
  run->timeline.critical_path.compute = compute;
  run->timeline.critical_path.bandwidth = exposed;
  run->timeline.assumptions = {"f32 at the peak of bf16"};
  run->numerics.checked = run->numerics.allclose = true;
  return run;
}

struct Made {
  Comparison comparison;
  ReportParts parts;
  Report report() const { return make_report(comparison, parts); }
};

Made small(const std::string& title) {
  Made out;
  out.comparison = {title,
                    {run_of("wang.os", 6'000'000, 2'000'000), run_of("psum", 5'000'000, 9'000'000)},
                    {{"fox", "fox: needs a square mesh, got row=2, col=1"}}};
  out.comparison.runs.front() = [&] {
    auto named = std::make_shared<Run>(*out.comparison.runs.front());
    named->given.name = title;
    return named;
  }();
  out.parts.made = {"1.2.3", "0123456789ab", "shardscope sweep small --report r.html", "",
                    "2026-01-02T03:04:05Z"};
  out.parts.figures = {{"why", {"terms", "Where the time goes", "the whole run.", 0}}};
  out.parts.worth = {{out.comparison.runs.front(), {{"link col", 45e9, "B/s", -1'000'000, 2.4}}}};
  return out;
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/engine/report/golden/" + name;
  if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) std::ofstream(path) << text;
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str()) << "SHARDSCOPE_UPDATE=1 accepts the new report in " << path;
}

// The page's own script and style are tested elsewhere, and change for reasons of their own.
std::string body_of(const std::string& html) {
  const size_t from = html.find("<main>"), to = html.find("</main>");
  return from == std::string::npos || to == std::string::npos ? "" : html.substr(from, to - from);
}

TEST(Document, TheSameReportHasTheSameBytesInEachFormat) {
  const Made made = small("Small");
  const std::string svg = "<svg width=\"3\"></svg>";
  expect_golden("report.html", body_of(report_html(made.report(), {svg})));
  expect_golden("report.md", report_markdown(made.report(), {"terms.svg"}));
  expect_golden("report.tex", report_latex(made.report(), {"terms.pdf"}));
  expect_golden("report.json", report_json(made.comparison, made.parts));
  expect_golden("report.csv", compare_csv(made.comparison));
}

TEST(Document, TheFirstPageSaysWhoWinsAndItsTermsAddUp) {
  const Made made = small("Small");
  const Report report = made.report();
  EXPECT_EQ(report.verdict, judge(made.comparison.runs).text);
  ASSERT_EQ(report.sections.front().id, "why");
  const auto& terms = std::get<ReportTable>(report.sections.front().blocks.front()).cells;
  const Verdict said = judge(made.comparison.runs);
  EXPECT_EQ(terms.rows, term_table(said).rows);
  Picoseconds sum = 0;
  for (const Term term : kTerms) sum += said.difference->term(term);
  EXPECT_EQ(sum, said.difference->total());
}

TEST(Document, NoColumnOfTheTableIsLeftOutInAnyFormat) {
  const Made made = small("Small");
  const TextTable table = comparison_table(made.comparison);
  const Report report = made.report();
  const std::string html = report_html(report, {}), md = report_markdown(report, {}),
                    tex = report_latex(report, {});
  for (const std::string& header : table.header) {
    EXPECT_NE(html.find(">" + header + "</th>"), std::string::npos) << header;
    EXPECT_NE(md.find(header), std::string::npos) << header;
  }
  // LaTeX breaks a wide table across; each of its parts says which run a row is.
  size_t tables = 0;
  for (size_t at = 0; (at = tex.find("\\begin{longtable}", at)) != std::string::npos; ++at) ++tables;
  EXPECT_GT(tables, report.sections.size());
  for (const char* header : {"peak mem", "sent/dev", "numbers", "overlap"})
    EXPECT_NE(tex.find(header), std::string::npos) << header;
}

// Every { is closed, every environment ends, in order.
void expect_balanced(const std::string& tex) {
  std::vector<std::string> open;
  int braces = 0;
  for (size_t i = 0; i < tex.size(); ++i) {
    if (tex[i] == '\\' && (tex.compare(i, 7, "\\begin{") == 0 || tex.compare(i, 5, "\\end{") == 0)) {
      const bool begins = tex[i + 1] == 'b';
      const size_t from = tex.find('{', i) + 1;
      const std::string name = tex.substr(from, tex.find('}', from) - from);
      if (begins) {
        open.push_back(name);
      } else {
        ASSERT_FALSE(open.empty()) << name;
        EXPECT_EQ(open.back(), name);
        open.pop_back();
      }
    }
    if (tex[i] == '\\') {
      ++i;
      continue;
    }
    braces += tex[i] == '{' ? 1 : tex[i] == '}' ? -1 : 0;
    ASSERT_GE(braces, 0) << tex.substr(i > 60 ? i - 60 : 0, 80);
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(braces, 0);
}

TEST(Document, ATitleOfMarkupIsTextInEveryFormat) {
  const Made made = small(kHostile);
  const Report report = made.report();
  const std::string html = body_of(report_html(report, {}));
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
  const std::string md = report_markdown(report, {});
  EXPECT_EQ(md.find("<script"), md.find("\\<script") == std::string::npos ? 0 : md.find("\\<script") + 1);
  EXPECT_EQ(md.find("[a](b)"), std::string::npos);
  EXPECT_EQ(md.find('\x1b'), std::string::npos);
  const std::string tex = report_latex(report, {});
  EXPECT_EQ(tex.find("\\input{x}"), std::string::npos);
  EXPECT_EQ(tex.find("$y$"), std::string::npos);
  expect_balanced(tex);
  expect_balanced(report_latex(small("Größe α 中").report(), {}));
  EXPECT_EQ(nlohmann::json::parse(report_json(made.comparison, made.parts))["title"], kHostile);
  EXPECT_EQ(nlohmann::json::parse(report_json(made.comparison, made.parts))["schema"], kReportSchema);
}

}  // namespace
}  // namespace shardscope::document_test
