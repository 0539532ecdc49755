// SPDX-License-Identifier: Apache-2.0
// A strategy planned, timed and followed: what every view test looks at.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>

#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"
#include "views/scene/core/layouts.h"

namespace shardscope {

class SampleRun {
 public:
  explicit SampleRun(const std::string& strategy = "wang.os", const std::string& mesh = "row=2,col=4",
                     CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic,
                     const std::string& hardware = "tpu-v5e")
      : SampleRun(strategy, mesh, *find_hardware(hardware), algorithm) {}
  SampleRun(const std::string& strategy, const std::string& mesh, const MatmulProblem& problem)
      : SampleRun(strategy, mesh, *find_hardware("tpu-v5e"), CollectiveAlgorithm::automatic, problem) {}
  SampleRun(const std::string& strategy, const std::string& mesh, const Hardware& hardware,
            CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic,
            const MatmulProblem& problem = {512, 1024, 2048, ElementType::f32, ElementType::f32}) {
    run_ = std::make_shared<Run>();
    run_->strategy = strategy;
    run_->mesh = *Mesh::parse(mesh);
    run_->problem = problem;
    run_->hardware = hardware;
    if (!run_->hardware.link.latency_s) run_->hardware.link.latency_s = 1e-6;  // where none is published
    const Strategy* found = *find_strategy(strategy);
    run_->program =
        *resolve_collectives(*found->plan(run_->mesh, run_->problem, {}), run_->hardware, algorithm);
    run_->timeline = *schedule(run_->program, run_->hardware, {}, {});
    trace_ = memory_trace(run_);
    if (auto told = tell(run_->program, run_->timeline); told.ok()) story_ = *std::move(told);
  }
  ViewInput input() const { return {*run_, *trace_, story_ ? &*story_ : nullptr}; }
  const Story& story() const { return *story_; }
  const TraceSource& trace() const { return *trace_; }
  // At a part of the way into a step of the trace.
  Selection at(int32_t step, double part = 1) const {
    const auto steps = *trace_->steps();
    const TimeRange range = steps[std::min(static_cast<size_t>(step), steps.size() - 1)].range;
    Selection selection;
    selection.time = range.start + static_cast<Picoseconds>(part * static_cast<double>(range.length()));
    return selection;
  }

 private:
  std::shared_ptr<Run> run_;
  std::unique_ptr<TraceSource> trace_;
  std::optional<Story> story_;
};

inline Canvas canvas(float width, float height, Theme theme = light_theme()) {
  Canvas c;
  c.width = width;
  c.height = height;
  c.theme = theme;
  return c;
}

}  // namespace shardscope
