// SPDX-License-Identifier: Apache-2.0
// A report in each format, byte for byte. SHARDSCOPE_UPDATE=1 writes the golden files anew.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/report/document/folders.h"
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

const ReportSection* section_of(const Report& report, const std::string& id) {
  const auto found = std::ranges::find(report.sections, id, &ReportSection::id);
  return found == report.sections.end() ? nullptr : &*found;
}

TEST(Document, TheFirstPageSaysWhatWasMultipliedHowAndWhoWins) {
  const Made made = small("Small");
  const Report report = made.report();
  EXPECT_EQ(report.title, "Small: X[8,8] · W[8,8] in f32 on 4 × test-chip");
  EXPECT_EQ(report.verdict, judge(made.comparison.runs).text);
  ASSERT_EQ(report.sections.front().id, "problem");
  const auto& facts = std::get<ReportList>(report.sections.front().blocks[0]).items;
  EXPECT_EQ(facts[0].text, "Y[m,n] = X[m,k] · W[k,n] with m = 8, k = 8, n = 8, in f32");
  EXPECT_EQ(facts[1].text, "row=2,col=2, 4 devices");
  EXPECT_EQ(facts[2].text, "test-chip");
  const auto& strategies = std::get<ReportList>(report.sections.front().blocks[1]).items;
  ASSERT_EQ(strategies.size(), 2U);
  EXPECT_EQ(strategies[0].head, "A, wang.os (Small)");
  EXPECT_TRUE(strategies[0].text.ends_with(".")) << strategies[0].text;
}

TEST(Document, WhereTheTimeGoesStandsOnceAndAddsUp) {
  const Report report = small("Small").report();
  ASSERT_EQ(report.sections[1].id, "why");
  const auto& terms = std::get<ReportTable>(report.sections[1].blocks.front()).cells;
  EXPECT_EQ(terms.header, (std::vector<std::string>{"terms", "A", "B", "B−A"}));
  EXPECT_EQ(terms.rows.back(), (std::vector<std::string>{"total", "8.00 µs", "14.0 µs", "+6.00 µs"}));
  EXPECT_EQ(terms.rows.size(), 3U) << "what takes no time is no row";
  const std::string text = report_markdown(report, {});
  EXPECT_EQ(text.find("| terms |"), text.rfind("| terms |"));
}

TEST(Document, ALetterIsARun) {
  const std::string text = report_markdown(small("Small").report(), {});
  EXPECT_EQ(text.find("| layouts |"), std::string::npos) << "all runs have the same";
  for (const char* meaning :
       {"**exposed**: Communication that nothing hides", "**sent/dev**: Bytes that a device sends"})
    EXPECT_NE(text.find(meaning), std::string::npos) << meaning;
}

TEST(Document, NoFolderIsGivenAway) {
  EXPECT_EQ(without_folders("read /home/anna/x.npy, (~/a/b.db) and 45 GB/s"),
            "read x.npy, (b.db) and 45 GB/s");
  EXPECT_EQ(
      command_without_folders("shardscope run --db runs/x.db --lhs='/a b/c.npy' --in-lhs 'P('\\''x'\\'')'"),
      "shardscope run --db x.db --lhs='c.npy' --in-lhs 'P('\\''x'\\'')'");
  Made made = small("/home/anna/secret/exp.toml");
  made.parts.made.command = "shardscope sweep /home/anna/secret/exp.toml --report out/secret/r.html";
  made.comparison.skipped.push_back({"fox", "cannot read /home/anna/secret/w.npy"});
  const Report report = made.report();
  for (const std::string& text :
       {report_html(report, {}), report_markdown(report, {}), report_latex(report, {})})
    EXPECT_EQ(text.find("secret"), std::string::npos);
}

TEST(Document, AClassIsToldLessThanEngineers) {
  Made made = small("Small");
  const Report all = made.report();
  made.parts.extent = extent_for(Audience::students);
  const Report few = made.report();
  for (const char* id : {"operations", "sensitivity"}) {
    EXPECT_NE(section_of(all, id), nullptr) << id;
    EXPECT_EQ(section_of(few, id), nullptr) << id;
  }
  for (const char* id : {"problem", "why", "runs", "made"}) EXPECT_NE(section_of(few, id), nullptr) << id;
  const auto columns = [](const Report& report) {
    return std::get<ReportTable>(section_of(report, "runs")->blocks.front()).cells.header.size();
  };
  EXPECT_LT(columns(few), columns(all));
  EXPECT_EQ(report_markdown(few, {}).find("Each run alone"), std::string::npos);
  for (const Audience audience : kAudiences) EXPECT_EQ(*parse_audience(name(audience)), audience);
  EXPECT_FALSE(parse_audience("everybody").ok());
}

TEST(Document, NoColumnOfTheTableIsLeftOutInAnyFormat) {
  const Made made = small("Small");
  const TextTable table = with_columns(comparison_table(made.comparison), [](const std::string& header) {
    return header.find("layouts") == std::string::npos;
  });
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
  size_t whole = 0;
  for (const ReportSection& section : report.sections)
    whole += static_cast<size_t>(std::ranges::count_if(
        section.blocks, [](const ReportBlock& block) { return std::holds_alternative<ReportTable>(block); }));
  EXPECT_GT(tables, whole);
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
  EXPECT_TRUE(
      nlohmann::json::parse(report_json(made.comparison, made.parts))["title"].get<std::string>().starts_with(
          kHostile));
  EXPECT_EQ(nlohmann::json::parse(report_json(made.comparison, made.parts))["schema"], kReportSchema);
}

}  // namespace
}  // namespace shardscope::document_test
