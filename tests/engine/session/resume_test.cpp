// SPDX-License-Identifier: Apache-2.0
// A sweep that was interrupted goes on from its record.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "engine/session/session.h"

namespace shardscope::resume_test {
namespace {

const std::vector<std::string> kStrategies = {"collective.os", "wang.os", "summa.os"};

Experiment asked() {
  Experiment e;
  e.title = "resumed";
  e.mesh = *Mesh::parse("row=2,col=4");
  e.problem = {32, 64, 96, ElementType::f32, ElementType::f32};
  for (const std::string& strategy : kStrategies) e.runs.push_back({.strategy = strategy});
  return e;
}

// What a sweep did itself: strategies, in the words of its progress.
struct Done {
  std::set<std::string> timed, proved;
  Result<Comparison> comparison = invalid("not run");
};

// `until` is asked after each run that has its time, and after each that has all.
Done sweep_into(const std::shared_ptr<Workspace>& workspace, bool resume,
                const Experiment& experiment = asked(),
                const std::function<bool(const shardscope::Run&)>& until = {}) {
  Done out;
  std::stop_source stop;
  ExecutionOptions options;
  options.workspace = workspace;
  options.resume = resume;
  options.threads = 1;
  const auto look = [&](const RunPtr& run) {
    if (until && until(*run)) stop.request_stop();
  };
  options.timed = options.finished = look;
  options.progress = [&](const Progress& p) {
    // A run that is timed says how far it is; one that is found does not.
    if (p.what.starts_with("timing ")) out.timed.insert(p.what.substr(7));
    if (p.what.starts_with("proving ")) out.proved.insert(p.what.substr(8, p.what.find(',') - 8));
  };
  out.comparison = sweep(experiment, options, stop.get_token());
  EXPECT_TRUE(workspace->wait().ok());
  return out;
}

std::vector<RunSummary> runs_in(const Workspace& workspace) {
  auto rows = *workspace.runs();
  for (RunSummary& row : rows) row.created.clear();
  return rows;
}

TEST(Resume, WhatWasTimedBeforeIsNotTimedAgain) {
  const auto workspace = *Workspace::in_memory();
  int known = 0;
  const Done first =
      sweep_into(workspace, false, asked(), [&](const shardscope::Run&) { return ++known == 2; });
  ASSERT_FALSE(first.comparison.ok());
  EXPECT_EQ(first.comparison.error().kind, ErrorKind::cancelled);
  ASSERT_EQ(runs_in(*workspace).size(), 2U);

  const Done second = sweep_into(workspace, true);
  ASSERT_TRUE(second.comparison.ok()) << second.comparison.error().text();
  EXPECT_EQ(second.timed, (std::set<std::string>{"summa.os"}));
  EXPECT_EQ(second.proved, (std::set<std::string>{"collective.os", "wang.os", "summa.os"}));
  EXPECT_EQ(runs_in(*workspace).size(), 3U);
  for (const RunSummary& row : runs_in(*workspace))
    EXPECT_TRUE(row.numerics_checked() && !row.numerics_differ()) << row.strategy;
}

TEST(Resume, WhatWasProvedBeforeIsNotProvedAgain) {
  const auto workspace = *Workspace::in_memory();
  std::string proved;
  sweep_into(workspace, false, asked(), [&](const shardscope::Run& run) {
    if (run.numerics.checked) proved = run.strategy;
    return run.numerics.checked;
  });
  ASSERT_FALSE(proved.empty());
  ASSERT_EQ(runs_in(*workspace).size(), 3U);

  const Done second = sweep_into(workspace, true);
  ASSERT_TRUE(second.comparison.ok()) << second.comparison.error().text();
  EXPECT_EQ(second.timed, std::set<std::string>{});
  EXPECT_EQ(second.proved.size(), 2U);
  EXPECT_FALSE(second.proved.contains(proved));

  // Nothing tells it from one that nobody interrupted.
  const auto other = *Workspace::in_memory();
  const Done whole = sweep_into(other, false);
  ASSERT_TRUE(whole.comparison.ok());
  auto resumed = runs_in(*workspace), uninterrupted = runs_in(*other);
  for (auto* rows : {&resumed, &uninterrupted})
    for (RunSummary& row : *rows)
      for (const Metric& m : run_metrics())
        if (m.group == MetricGroup::measured) row.numbers[m.id].reset();
  EXPECT_EQ(resumed, uninterrupted);
  ASSERT_EQ(second.comparison->runs.size(), whole.comparison->runs.size());
  for (size_t i = 0; i < whole.comparison->runs.size(); ++i) {
    EXPECT_EQ(second.comparison->runs[i]->strategy, whole.comparison->runs[i]->strategy);
    EXPECT_EQ(second.comparison->runs[i]->timeline.total, whole.comparison->runs[i]->timeline.total);
  }
}

TEST(Resume, ARunOfAnotherRequestIsNoEarlierOne) {
  const auto workspace = *Workspace::in_memory();
  ASSERT_TRUE(sweep_into(workspace, false).comparison.ok());
  Experiment other = asked();
  other.seed = 7;
  EXPECT_EQ(sweep_into(workspace, true, other).timed.size(), kStrategies.size());
  other = asked();
  other.hardware = "a100";
  EXPECT_EQ(sweep_into(workspace, true, other).timed.size(), kStrategies.size());
  EXPECT_EQ(runs_in(*workspace).size(), 3 * kStrategies.size());
  // More strategies beside the same ones are no other request.
  Experiment more = asked();
  more.runs.push_back({.strategy = "cannon.os", .label = "another"});
  more.mesh = asked().mesh;
  EXPECT_LE(sweep_into(workspace, true, more).timed.size(), 1U);
}

// Without being told to, a sweep of the same again is a second one.
TEST(Resume, IsAskedFor) {
  const auto workspace = *Workspace::in_memory();
  ASSERT_TRUE(sweep_into(workspace, false).comparison.ok());
  EXPECT_EQ(sweep_into(workspace, false).timed.size(), kStrategies.size());
  EXPECT_EQ(runs_in(*workspace).size(), 2 * kStrategies.size());
}

}  // namespace
}  // namespace shardscope::resume_test
