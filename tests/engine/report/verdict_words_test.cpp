// SPDX-License-Identifier: Apache-2.0
// The one sentence about several runs: what differs beside the strategy, who is first and why, all others.
#include <gtest/gtest.h>

#include "engine/report/verdict.h"
#include "tests/engine/report/plain_run.h"

namespace shardscope::report_test {
namespace {

struct VerdictCase {
  const char* what;
  std::vector<std::shared_ptr<Run>> runs;
  std::string says;
};

TEST(Verdict, NamesTheLargestTermsWithTheirSigns) {
  const std::vector<VerdictCase> cases = {
      {"one run",
       {run_with("a", 4 * kMicro, 2 * kMicro, 0)},
       "a takes 6.00 µs: 4.00 µs compute, 2.00 µs exposed; bound by bandwidth."},
      {"less of both",
       {run_with("b", 10 * kMicro, 20 * kMicro, 0), run_with("a", 4 * kMicro, 10 * kMicro, 0)},
       "a beats b by 16.0 µs: 10.0 µs less exposed (10.0 µs, instead of 20.0 µs), 6.00 µs less compute."},
      {"more compute, less exposed",
       {run_with("a", 14 * kMicro, 10 * kMicro, 0), run_with("b", 10 * kMicro, 20 * kMicro, 0)},
       "a beats b by 6.00 µs: 10.0 µs less exposed (10.0 µs, instead of 20.0 µs), though 4.00 µs more "
       "compute."},
      {"less compute, more exposed, more idle",
       {run_with("a", 1 * kMicro, 8 * kMicro, 3 * kMicro), run_with("b", 20 * kMicro, 0, 0)},
       "a beats b by 8.00 µs: 19.0 µs less compute, though 8.00 µs more exposed (8.00 µs, instead of "
       "nothing), "
       "3.00 µs more idle."},
      {"a term that is small beside the others is left out",
       {run_with("a", 10 * kMicro, 10 * kMicro, 0), run_with("b", 10 * kMicro + 1000, 20 * kMicro, 0)},
       "a beats b by 10.0 µs: 10.0 µs less exposed (10.0 µs, instead of 20.0 µs)."},
      {"a tie to the picosecond",
       {run_with("b", 10 * kMicro, 20 * kMicro, 0), run_with("a", 10 * kMicro, 20 * kMicro, 0)},
       "a ties with b at 30.0 µs."},
      {"a tie of unlike runs",
       {run_with("b", 20 * kMicro, 10 * kMicro, 0), run_with("a", 10 * kMicro, 20 * kMicro, 0)},
       "a ties with b at 30.0 µs: 10.0 µs less compute, though 10.0 µs more exposed (20.0 µs, instead of "
       "10.0 µs)."},
      {"a difference that prints as 1.00×",
       {run_with("a", 10'000 * kMicro, 0, 0), run_with("b", 10'002 * kMicro, 0, 0)},
       "a ties with b at 10.0 ms, 2.00 µs apart: 2.00 µs less compute."},
  };
  for (const VerdictCase& c : cases)
    EXPECT_EQ(verdict(std::vector<RunPtr>(c.runs.begin(), c.runs.end())), c.says) << c.what;
}

TEST(Verdict, APriceIsATermLikeTheOthers) {
  const auto own = run_with("own", 10 * kMicro, 20 * kMicro, 0);
  const auto other = run_with("other", 10 * kMicro, 10 * kMicro, 0);
  own->price = Price{};
  other->price = Price{{{"X", false, "gather", 90 * kMicro}, {"Y", true, "exchange", 4 * kMicro}}};
  other->program.output->spec = P("row", "");
  EXPECT_EQ(
      verdict({other, own}),
      "own beats other by 84.0 µs in all, 30.0 µs against 114 µs: 94.0 µs less resharding (nothing moves; "
      "other: gather X first, exchange Y "
      "after), though 10.0 µs more exposed (20.0 µs, instead of 10.0 µs). Without resharding other would be "
      "first, 20.0 µs against 30.0 µs; gather X first, exchange Y after takes it 94.0 µs.");
  EXPECT_EQ(verdict({other}),
            "other takes 20.0 µs and 94.0 µs to gather X first, exchange Y after: 10.0 µs compute, 10.0 µs "
            "exposed; "
            "bound by bandwidth.");
}

TEST(Verdict, WhenTheSecondStartsOtherwiseTheNextAlikeIsNamedToo) {
  const auto best = run_with("best", 10 * kMicro, 10 * kMicro, 0);
  const auto alike = run_with("alike", 10 * kMicro, 30 * kMicro, 0);
  const auto other = run_with("other", 10 * kMicro, 11 * kMicro, 0);
  for (const auto& run : {best, alike, other}) run->price = Price{};
  other->program.output->spec = P("row", "");
  other->price->legs = {{"Y", true, "exchange", kMicro}};
  EXPECT_NE(
      verdict({best, alike, other})
          .find(" Of those that start and end alike it is first: best beats alike by 20.0 µs: 20.0 µs less "
                "exposed"),
      std::string::npos)
      << verdict({best, alike, other});
}

std::vector<RunPtr> of(std::initializer_list<std::shared_ptr<Run>> runs) {
  return {runs.begin(), runs.end()};
}

TEST(Verdict, AComparisonOfSeveralCoversEach) {
  const auto a = run_with("a", 10 * kMicro, 0, 0), b = run_with("b", 12 * kMicro, 0, 0),
             c = run_with("c", 15 * kMicro, 0, 0), d = run_with("d", 90 * kMicro, 0, 0);
  EXPECT_EQ(judge(of({d, b, a, c}), Judged::each).text,
            "a beats b by 2.00 µs: 2.00 µs less compute. Then follow c (+5.00 µs) and d (+80.0 µs).");
}

TEST(Verdict, ManyAreCoveredByTheirNumberAndTheLast) {
  std::vector<RunPtr> runs;
  for (int i = 0; i < 12; ++i)
    runs.push_back(run_with(std::string(1, static_cast<char>('a' + i)), (10 + i) * kMicro, 0, 0));
  EXPECT_EQ(verdict(runs),
            "a beats b by 1.00 µs: 1.00 µs less compute. Then follow c (+2.00 µs), d (+3.00 µs), e (+4.00 "
            "µs), f (+5.00 µs) and 6 more, up to 2.10×.");
}

TEST(Verdict, TiesAreTiesAndShareAPlace) {
  const auto a = run_with("a", 10'000 * kMicro, 0, 0), b = run_with("b", 10'001 * kMicro, 0, 0),
             c = run_with("c", 10'002 * kMicro, 0, 0), d = run_with("d", 20'000 * kMicro, 0, 0);
  EXPECT_EQ(
      judge(of({a, b, c, d}), Judged::each).text,
      "a ties with b at 10.0 ms, 1.00 µs apart: 1.00 µs less compute. c ties too. Then follows d (+10.0 "
      "ms).");
  std::vector<size_t> standings;
  for (const RankedRun& r : rank(of({a, b, c, d}))) {
    standings.push_back(r.standing);
    EXPECT_EQ(r.is_best(), r.run != RunPtr(d)) << r.run->strategy;
  }
  EXPECT_EQ(standings, (std::vector<size_t>{1, 1, 1, 4}));
}

TEST(Verdict, WhatDiffersBesideTheStrategyComesBeforeAnyNumber) {
  const auto here = run_with("a", 10 * kMicro, 0, 0), there = run_with("b", 12 * kMicro, 0, 0);
  there->mesh = Mesh::parse("row=4,col=1").value();
  there->hardware.name = "other-chip";
  const std::string text = judge(of({here, there})).text;
  EXPECT_TRUE(text.starts_with("The runs differ in more than their strategy: meshes " + here->mesh.text() +
                               " (a) and row=4,col=1 (b); chips " + here->hardware.name +
                               " (a) and other-chip (b). a beats b by"))
      << text;
  EXPECT_EQ(verdict(of({here, run_with("c", 11 * kMicro, 0, 0)})).find("differ in more"), std::string::npos);
}

TEST(Verdict, OtherProblemsAreNoRivals) {
  const auto a = run_with("a", 10 * kMicro, 0, 0), b = run_with("b", 12 * kMicro, 0, 0),
             big = run_with("a", 90 * kMicro, 0, 0);
  big->problem.m *= 2;
  const std::string text = judge(of({a, big, b}), Judged::each).text;
  EXPECT_TRUE(text.starts_with("The runs differ in more than their strategy: problems ")) << text;
  EXPECT_NE(text.find("a beats b by 2.00 µs"), std::string::npos) << text;
  EXPECT_NE(text.find(" a takes 90.0 µs"), std::string::npos) << text;
}

TEST(Verdict, WhatIsNotRankedIsSaidToBeSo) {
  const auto a = run_with("a", 10 * kMicro, 0, 0), b = run_with("b", 12 * kMicro, 0, 0),
             part = run_with("gather.lhs", 1 * kMicro, 0, 0);
  part->kind = StrategyKind::part;
  const std::string text = judge(of({part, a, b}), Judged::each).text;
  EXPECT_TRUE(text.starts_with("a beats b by 2.00 µs")) << text;
  EXPECT_TRUE(text.ends_with(" Not ranked: gather.lhs (part, 1.00 µs).")) << text;
}

TEST(Verdict, CountsWrongNumbers) {
  auto wrong = run_of("wang.os", StrategyKind::matmul, 6);
  wrong->numerics.allclose = false;
  EXPECT_NE(verdict({wrong}).find("1 of 1 run has wrong numbers"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::report_test
