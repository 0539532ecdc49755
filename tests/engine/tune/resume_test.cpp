// SPDX-License-Identifier: Apache-2.0
// A tuning that was interrupted goes on from what a workspace holds of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/tune/model_file.h"
#include "engine/tune/timed_before.h"
#include "engine/tune/tune.h"

namespace shardscope::resume_test {
namespace {

TuneRequest small(TuneStep step) {
  TuneRequest request;
  request.model = *parse_model("name = \"small\"\nhidden = 512\nsequence = 128\nbatch = 8\n", "small.toml");
  request.chips = 8;
  request.step = step;
  return request;
}

TuneResult tuned(const TuneRequest& request, std::shared_ptr<TimedBefore> before = nullptr) {
  TuneExecution execution;
  execution.before = std::move(before);
  return *tune(request, execution, {});
}

std::shared_ptr<TimedBefore> of(const std::shared_ptr<Workspace>& workspace, const TuneRequest& request,
                                bool resume) {
  EXPECT_TRUE(workspace->wait().ok());
  return *TimedBefore::in(workspace, request, resume);
}

// Stopped as its first mesh is known, or its third, gone on with twice.
TEST(TuneResume, GivesWhatAnUninterruptedTuningGives) {
  for (const TuneStep step : {TuneStep::inference, TuneStep::training}) {
    const TuneRequest request = small(step);
    const TuneResult whole = tuned(request);
    const std::shared_ptr<Workspace> workspace = *Workspace::in_memory();
    int64_t held = 0;
    for (const int meshes : {1, 3}) {
      const auto before = of(workspace, request, true);
      EXPECT_EQ(before->answers(), held);
      std::stop_source stop;
      TuneExecution execution;
      execution.before = before;
      execution.partial = [&, left = meshes](const TuneResult&) mutable {
        if (--left == 0) stop.request_stop();
      };
      EXPECT_FALSE(tune(request, execution, stop.get_token())->complete);
      EXPECT_GT(before->answers(), held);
      held = before->answers();
    }
    const auto before = of(workspace, request, true);
    EXPECT_EQ(before->answers(), held);
    EXPECT_EQ(tuned(request, before), whole);
    EXPECT_GT(before->answers(), held);
    // Of a tuning that came to its end nothing is timed again.
    const auto all = of(workspace, request, true);
    const int64_t answers = all->answers();
    EXPECT_EQ(answers, before->answers());
    EXPECT_EQ(tuned(request, all), whole);
    EXPECT_EQ(all->answers(), answers);
  }
}

// It is read, not only written: with another answer in its place the result is another.
TEST(TuneResume, TakesWhatTheWorkspaceHolds) {
  const TuneRequest request = small(TuneStep::inference);
  const std::shared_ptr<Workspace> workspace = *Workspace::in_memory();
  const TuneResult whole = tuned(request, of(workspace, request, false));
  ASSERT_TRUE(workspace->wait().ok());
  const std::string name = "tune small 8 inference tpu-v5e";
  std::string text = workspace->kept(name)->value();
  const TuneCandidate& best = whole.candidates[static_cast<size_t>(whole.best)];
  const TuneLayerChoice& choice = best.layers[0];
  const MatmulProblem& p = choice.problem;
  const size_t question =
      text.find(fmt::format("\"{}: {}x{}x{} {} slices", best.mesh.text(), p.m, p.k, p.n, choice.strategy));
  ASSERT_NE(question, std::string::npos);
  const size_t end = text.find(']', question);
  text.insert(end, "0");  // its memory, ten times over
  ASSERT_TRUE(workspace->keep(name, text).ok());
  EXPECT_NE(tuned(request, of(workspace, request, true)), whole);
}

TEST(TuneResume, IsOfTheSameRequestAlone) {
  const TuneRequest request = small(TuneStep::inference);
  const std::shared_ptr<Workspace> workspace = *Workspace::in_memory();
  tuned(request, of(workspace, request, false));
  TuneRequest longer = request;
  longer.model.sequence = 256;
  EXPECT_EQ(of(workspace, longer, true)->answers(), 0);
  EXPECT_EQ(of(workspace, small(TuneStep::training), true)->answers(), 0);
  EXPECT_GT(of(workspace, request, true)->answers(), 0);
  EXPECT_EQ(of(workspace, request, false)->answers(), 0);
}

TEST(TuneResume, WhatDoesNotReadIsAsIfItWereNotThere) {
  const TuneRequest request = small(TuneStep::inference);
  const std::shared_ptr<Workspace> workspace = *Workspace::in_memory();
  const TuneResult whole = tuned(request, of(workspace, request, false));
  ASSERT_TRUE(workspace->wait().ok());
  const std::string name = "tune small 8 inference tpu-v5e", text = workspace->kept(name)->value();
  for (const std::string& broken : {std::string(), text.substr(0, text.size() / 2), std::string("[1,2]"),
                                    std::string("{\"asked\":1,\"answers\":{\"x\":[1]}}")}) {
    ASSERT_TRUE(workspace->keep(name, broken).ok());
    const auto before = of(workspace, request, true);
    EXPECT_EQ(before->answers(), 0) << broken;
    EXPECT_EQ(tuned(request, before), whole);
  }
}

}  // namespace
}  // namespace shardscope::resume_test
