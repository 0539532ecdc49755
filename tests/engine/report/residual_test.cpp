// SPDX-License-Identifier: Apache-2.0
// Measured beside simulated: what is whose, and that nothing is lost of either.
#include "engine/report/residual/residual.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "engine/report/document/writers.h"
#include "made_trace.h"

namespace shardscope::residual_test {
namespace {

Residual residual(const std::shared_ptr<Run>& run, const MeasuredTrace& trace,
                  std::optional<size_t> step = std::nullopt) {
  auto out = residual_of(told(run), trace, step);
  EXPECT_TRUE(out.ok()) << out.error().text();
  return *out;
}

int32_t first_of(const MeasuredTrace& trace, MeasuredKind kind) {
  for (size_t o = 0; o < trace.operations.size(); ++o)
    if (trace.operations[o].kind == kind) return static_cast<int32_t>(o);
  ADD_FAILURE() << "none is a " << name(kind);
  return -1;
}

const ResidualRow& term(const Residual& r, ResidualTerm t) {
  return r.terms[static_cast<size_t>(t)];
}

void expect_adds_up(const Residual& r, const Run& run, const MeasuredTrace& trace) {
  Picoseconds simulated = 0, gap = 0, events = 0;
  for (const ResidualRow& row : r.terms) simulated += row.simulated, gap += row.residual();
  EXPECT_EQ(simulated, run.timeline.total);
  EXPECT_EQ(gap, r.measured - r.simulated);
  for (const MeasuredEvent& e : trace.events) events += e.duration();
  EXPECT_EQ(r.matched_time + r.unmatched_time, events);
  Picoseconds critical = 0;
  for (const ResidualOperation& o : r.operations) {
    Picoseconds parts = 0;
    for (const Picoseconds part : o.terms) parts += part;
    EXPECT_EQ(parts, o.simulated) << o.instruction;
    critical += o.critical;
  }
  EXPECT_EQ(critical, run.timeline.total);
}

TEST(Residual, EverythingAddsUpForEveryKindOfStrategy) {
  for (const char* strategy : {"wang.os", "collective.os", "meshslice.os", "collective.rs", "psum"}) {
    SCOPED_TRACE(strategy);
    const auto run = made_run(strategy);
    MeasuredTrace trace = made_trace(*run);
    slow_down(trace, first_of(trace, MeasuredKind::collective), 3);
    const Residual r = residual(run, trace);
    expect_adds_up(r, *run, trace);
    EXPECT_EQ(r.matched_share, 1);
    EXPECT_TRUE(r.unmatched.empty());
    EXPECT_TRUE(r.notes.empty());
  }
}

TEST(Residual, ATraceThatTakesWhatIsSimulatedLeavesNothing) {
  const auto run = made_run("wang.os");
  const Residual r = residual(run, made_trace(*run));
  EXPECT_EQ(r.measured, r.simulated);
  for (const ResidualOperation& o : r.operations) {
    EXPECT_EQ(o.measured, o.simulated) << o.instruction;
    EXPECT_EQ(o.count, o.measured_count);
  }
  for (const ResidualRow& row : r.terms) EXPECT_EQ(row.residual(), 0) << name(row.term);
}

TEST(Residual, AnOperationThatTakesTwiceItsTimeLeadsWithExactlyThat) {
  const auto run = made_run("wang.os");
  MeasuredTrace trace = made_trace(*run);
  const int32_t slow = first_of(trace, MeasuredKind::product);
  slow_down(trace, slow, 2);
  const Residual r = residual(run, trace);
  const ResidualOperation& top = r.operations.front();
  EXPECT_EQ(top.instruction, trace.operations[static_cast<size_t>(slow)].instruction);
  EXPECT_EQ(top.residual(), top.simulated);
  EXPECT_DOUBLE_EQ(*top.share(), 1);
  // These products wait for their memory: so the critical path says too.
  EXPECT_EQ(top.bound(), ResidualTerm::memory);
  EXPECT_GT(run->timeline.critical_path.memory, run->timeline.critical_path.compute);
  for (size_t o = 1; o < r.operations.size(); ++o) EXPECT_EQ(r.operations[o].residual(), 0);
  // It is on the critical path: the whole step is longer by it, and nothing is left to explain.
  EXPECT_EQ(top.critical, top.simulated);
  EXPECT_EQ(r.measured - r.simulated, top.simulated);
  EXPECT_EQ(term(r, ResidualTerm::memory).residual(), top.simulated);
  EXPECT_EQ(term(r, ResidualTerm::unmatched).residual(), 0);
}

TEST(Residual, WithoutNamesTheShapesInOrderSayTheSame) {
  for (const char* strategy : {"wang.os", "collective.rs", "meshslice.os"}) {
    SCOPED_TRACE(strategy);
    const auto run = made_run(strategy);
    MeasuredTrace trace = made_trace(*run);
    slow_down(trace, first_of(trace, MeasuredKind::product), 2);
    const Residual named = residual(run, trace);
    for (MeasuredOperation& o : trace.operations) o.instruction.clear();
    const Residual formed = residual(run, trace);
    EXPECT_EQ(formed.matched_share, 1);
    EXPECT_EQ(formed, named);
  }
}

TEST(Residual, AProfileReadWithoutItsModuleCallsOperationsByTheirInstructions) {
  const auto run = made_run("collective.os");
  MeasuredTrace trace = made_trace(*run);
  const Residual named = residual(run, trace);
  for (MeasuredOperation& o : trace.operations) {
    o.op = std::exchange(o.instruction, "");
    o.m = o.k = o.n = o.bytes = o.group = 0;  // a trace of kernels has no shapes
  }
  EXPECT_EQ(residual(run, trace), named);
}

TEST(Residual, ANameWhoseShapesAreOthersIsNotBelieved) {
  const auto run = made_run("collective.os");
  MeasuredTrace trace = made_trace(*run);
  const auto product = static_cast<size_t>(first_of(trace, MeasuredKind::product));
  trace.operations[product].m += 8;
  const Residual r = residual(run, trace);
  EXPECT_LT(r.matched_share, 1);
  ASSERT_EQ(r.unmatched.size(), 1U);
  EXPECT_EQ(r.unmatched.front().name, trace.operations[product].op);
  EXPECT_EQ(r.unmatched.front().count, trace.operations[product].count);
  expect_adds_up(r, *run, trace);
}

TEST(Residual, ATraceOfAnotherProgramMatchesNothingAndSaysSo) {
  const auto run = made_run("wang.os");
  auto other = made_run("collective.os");
  MeasuredTrace trace = made_trace(*other);
  for (MeasuredOperation& o : trace.operations) {
    o.m *= 2;
    o.bytes = o.bytes * 2 + 2;
  }
  const Residual r = residual(run, trace);
  EXPECT_EQ(r.matched_share, 0);
  EXPECT_EQ(r.matched_time, 0);
  EXPECT_EQ(r.unmatched.size(), trace.operations.size());
  for (const ResidualOperation& o : r.operations) EXPECT_FALSE(o.measured) << o.instruction;
  EXPECT_EQ(term(r, ResidualTerm::unmatched).residual(), r.measured - r.simulated);
  ASSERT_FALSE(r.notes.empty());
  EXPECT_NE(r.notes.front().find("no measured event is an operation of this run"), std::string::npos);
  expect_adds_up(r, *run, trace);
}

// Three steps after each other, a gap between them; the last takes twice as long in its products.
MeasuredTrace three_steps(const Run& run, bool marked) {
  MeasuredTrace trace = made_trace(run);
  const MeasuredTrace one = trace;
  const Picoseconds gap = 1'000'000;
  MeasuredTrace slow = one;
  slow_down(slow, first_of(slow, MeasuredKind::product), 2);
  const std::vector<const MeasuredTrace*> steps{&one, &slow, &one};
  trace.events.clear();
  trace.steps.clear();
  Picoseconds at = 0;
  for (const MeasuredTrace* step : steps) {
    for (MeasuredEvent e : step->events) {
      e.start += at, e.end += at;
      trace.events.push_back(e);
    }
    if (marked) trace.steps.push_back({at, at + step->steps.front().end});
    at += step->steps.front().end + gap;
  }
  retell(trace);
  return trace;
}

TEST(Residual, OfSeveralStepsTheMedianCountsAndEachCanBeChosen) {
  const auto run = made_run("wang.os");
  const MeasuredTrace trace = three_steps(*run, true);
  const Residual median = residual(run, trace);
  EXPECT_EQ(median.steps.size(), 3U);
  EXPECT_EQ(median.measured, run->timeline.total);
  EXPECT_EQ(median.operations.front().residual(), 0);
  const Residual second = residual(run, trace, 1);
  EXPECT_TRUE(second.one_step);
  EXPECT_EQ(second.step, 1U);
  EXPECT_GT(second.measured, median.measured);
  EXPECT_EQ(second.operations.front().residual(), second.operations.front().simulated);
  expect_adds_up(second, *run, trace);
  EXPECT_FALSE(residual_of(told(run), trace, 3).ok());
}

TEST(Residual, StepsThatNobodyMarkedAreFoundWhereTheProgramBeginsAgain) {
  const auto run = made_run("wang.os");
  const MeasuredTrace trace = three_steps(*run, false);
  const Residual r = residual(run, trace);
  EXPECT_EQ(r.steps.size(), 3U);
  EXPECT_EQ(r.operations.front().residual(), 0);
  ASSERT_EQ(r.notes.size(), 1U);
  EXPECT_NE(r.notes.front().find("3 steps found"), std::string::npos) << r.notes.front();
}

TEST(Residual, WhatACollectiveWaitsForTheLastDeviceIsSynchronisation) {
  const auto run = made_run("collective.os");
  MeasuredTrace trace = made_trace(*run);
  const Residual before = residual(run, trace);
  const int32_t gather = first_of(trace, MeasuredKind::collective);
  const Picoseconds wait = 5'000'000;
  for (MeasuredEvent& e : trace.events)
    if (e.operation == gather) e.end += wait, e.wait = wait;
  trace.steps.front().end += wait;
  retell(trace);
  const Residual r = residual(run, trace);
  EXPECT_EQ(term(r, ResidualTerm::sync).residual(), wait);
  for (const ResidualTerm t : kResidualTerms) {
    if (t == ResidualTerm::sync) continue;
    EXPECT_EQ(term(r, t).residual(), term(before, t).residual()) << name(t);
  }
  expect_adds_up(r, *run, trace);
}

TEST(Residual, WhatIsNotInTheTraceIsSaidAndNotCountedAsNothing) {
  const auto run = made_run("collective.os");
  MeasuredTrace trace = made_trace(*run);
  const int32_t product = first_of(trace, MeasuredKind::product);
  std::erase_if(trace.events, [&](const MeasuredEvent& e) { return e.operation == product; });
  retell(trace);
  const Residual r = residual(run, trace);
  EXPECT_FALSE(r.operations.back().measured);
  EXPECT_EQ(r.operations.back().kind, MeasuredKind::product);
  EXPECT_FALSE(r.operations.back().share());
  const auto json = nlohmann::json::parse(residual_json(r));
  EXPECT_TRUE(json["operations"].back()["measured_s"].is_null());
  EXPECT_TRUE(json["operations"].back()["residual_s"].is_null());
  EXPECT_NE(residual_text(r).find("not in the trace: "), std::string::npos);
}

TEST(Residual, TheJsonHasWhatScriptsRead) {
  const auto run = made_run("wang.os");
  MeasuredTrace trace = made_trace(*run);
  slow_down(trace, first_of(trace, MeasuredKind::product), 2);
  const auto json = nlohmann::json::parse(residual_json(residual(run, trace)));
  EXPECT_EQ(json["run_id"], 3);
  EXPECT_EQ(json["measured_id"], 7);
  EXPECT_EQ(json["matched_share"], 1.0);
  double simulated = 0, gap = 0;
  for (const auto& row : json["terms"]) {
    simulated += row["simulated_s"].get<double>();
    gap += row["residual_s"].is_null() ? 0 : row["residual_s"].get<double>();
  }
  EXPECT_NEAR(simulated, json["simulated_s"].get<double>(), 1e-12);
  EXPECT_NEAR(gap, json["measured_s"].get<double>() - json["simulated_s"].get<double>(), 1e-12);
  EXPECT_EQ(json["terms"].size(), 7U);
  const auto& top = json["operations"][0];
  for (const char* field :
       {"instruction", "op", "kind", "count", "simulated_s", "measured_s", "residual_s", "residual"})
    EXPECT_TRUE(top.contains(field)) << field;
  EXPECT_EQ(top["residual"], 1.0);
  EXPECT_EQ(top["kind"], "product");
  EXPECT_TRUE(json["unmatched"].empty());
}

// SHARDSCOPE_UPDATE=1 writes the golden files anew.
void expect_golden(const std::string& file, const std::string& text) {
  const std::string path = std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/engine/report/golden/" + file;
  if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) std::ofstream(path) << text;
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str()) << "SHARDSCOPE_UPDATE=1 accepts the new text in " << path;
}

TEST(Residual, AReportHasASectionOfItInEveryFormat) {
  const auto run = made_run("collective.os");
  MeasuredTrace trace = made_trace(*run);
  slow_down(trace, first_of(trace, MeasuredKind::product), 2);
  MeasuredOperation foreign;
  foreign.op = "memset | <0>";
  foreign.kind = MeasuredKind::other;
  trace.operations.push_back(foreign);
  trace.events.push_back({0, 2'000'000, 0, 0, 0, static_cast<int32_t>(trace.operations.size()) - 1});
  retell(trace);
  auto both = beside(told(run), std::make_shared<const MeasuredTrace>(trace));
  ASSERT_TRUE(both.ok()) << both.error().text();
  expect_golden("residual.txt", residual_text(both->residual));
  expect_golden("residual.md", residual_markdown(both->residual));
  expect_golden("residual.csv", residual_csv(both->residual));
  Comparison comparison{"One", {run}, {}, *both};
  const Report report = make_report(comparison, {});
  const auto section = std::ranges::find(report.sections, "measured", &ReportSection::id);
  ASSERT_NE(section, report.sections.end());
  for (const std::string& text :
       {report_html(report, {}), report_markdown(report, {}), report_latex(report, {})}) {
    EXPECT_NE(text.find("Measured beside simulated"), std::string::npos);
    EXPECT_EQ(text.find("<0>"), std::string::npos) << "a kernel's name is text, whatever is in it";
  }
  EXPECT_EQ(nlohmann::json::parse(report_json(comparison, {}))["measured"]["run_id"], 3);
  comparison.measured.reset();
  EXPECT_FALSE(nlohmann::json::parse(report_json(comparison, {})).contains("measured"));
}

TEST(Residual, TextAndTablesSayWhichTimeIsWhich) {
  const auto run = made_run("wang.os");
  MeasuredTrace trace = made_trace(*run);
  slow_down(trace, first_of(trace, MeasuredKind::product), 2);
  const Residual r = residual(run, trace);
  const std::string text = residual_text(r);
  EXPECT_TRUE(text.starts_with("Measured ")) << text;
  for (const char* word : {"simulated", "measured", "residual", "unmatched", "100 %"})
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
  const TextTable few = residual_operations_table(r, 2);
  EXPECT_EQ(few.rows.size(), 3U);
  EXPECT_EQ(few.rows.back().front(), "and " + std::to_string(r.operations.size() - 2) + " more");
  EXPECT_TRUE(residual_csv(r).starts_with("instruction,op,kind,count"));
}

}  // namespace
}  // namespace shardscope::residual_test
