// SPDX-License-Identifier: Apache-2.0
// Real runs for the tests of the record: a strategy's program on simulated hardware.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "engine/run/run.h"
#include "engine/schedule/schedule.h"
#include "tests/temporary_folder.h"

namespace shardscope {

inline std::shared_ptr<Run> sample_run(const std::string& strategy, const std::string& mesh) {
  auto run = std::make_shared<Run>();
  run->strategy = run->asked.strategy = strategy;
  run->mesh = Mesh::parse(mesh).value();
  run->problem = {512, 1024, 2048, ElementType::f32, ElementType::f32};
  const Strategy* found = find_strategy(strategy).value();
  run->kind = found->kind;
  run->hardware = find_hardware("tpu-v5e").value();
  run->program = found->plan(run->mesh, run->problem, {}).value();
  run->timeline = schedule(run->program, run->hardware, {}, {}).value();
  run->created = "2026-01-02T03:04:05Z";
  return run;
}

// The same in steps, of which the first is warm-up.
inline std::shared_ptr<Run> stepped_run(int64_t count) {
  auto run = sample_run("wang.os", "row=2,col=2");
  run->steps = RunSteps{"train", {"result{0}"}, {"result{1} becomes w"}, {"a note"}, {}};
  for (int64_t k = 0; k < count; ++k)
    run->steps->steps.push_back({k,
                                 k == 0,
                                 {k * run->timeline.total, (k + 1) * run->timeline.total},
                                 0.001 * static_cast<double>(k + 1),
                                 {1.0 / static_cast<double>(k + 1)}});
  return run;
}

// Field by field, so that a failure names the field.
inline void expect_equal_runs(const Run& a, const Run& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.strategy, b.strategy);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.asked, b.asked);
  EXPECT_EQ(a.experiment, b.experiment);
  EXPECT_EQ(a.mesh, b.mesh);
  EXPECT_EQ(a.problem, b.problem);
  EXPECT_EQ(a.overlap, b.overlap);
  EXPECT_EQ(a.collective, b.collective);
  EXPECT_EQ(a.ignored_options, b.ignored_options);
  EXPECT_EQ(a.hardware, b.hardware);
  EXPECT_TRUE(a.program == b.program);
  EXPECT_EQ(a.numerics, b.numerics);
  EXPECT_EQ(a.measured, b.measured);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.created, b.created);
  const Timeline &s = a.timeline, &t = b.timeline;
  EXPECT_EQ(s.devices, t.devices);
  EXPECT_EQ(s.total, t.total);
  EXPECT_EQ(s.lanes, t.lanes);
  ASSERT_EQ(s.events.size(), t.events.size());
  for (size_t i = 0; i < s.events.size(); ++i) ASSERT_TRUE(s.events[i] == t.events[i]) << "event " << i;
  EXPECT_EQ(s.event_count, t.event_count);
  EXPECT_EQ(s.totals, t.totals);
  EXPECT_EQ(s.critical_path, t.critical_path);
  EXPECT_EQ(s.memory, t.memory);
  EXPECT_EQ(s.buffers, t.buffers);
  EXPECT_EQ(s.contents, t.contents);
  EXPECT_EQ(s.collectives, t.collectives);
  EXPECT_EQ(s.assumptions, t.assumptions);
  EXPECT_EQ(s.mxu_utilisation, t.mxu_utilisation);
}

}  // namespace shardscope
