// SPDX-License-Identifier: Apache-2.0
// The tuner that times every choice with the scheduler.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/schedule/schedule.h"
#include "engine/session/session.h"
#include "engine/strategies/strategy.h"
#include "engine/tune/bound.h"
#include "engine/tune/chains.h"
#include "engine/tune/choices.h"
#include "engine/tune/model_file.h"
#include "engine/tune/resharding.h"
#include "engine/tune/tune.h"

namespace shardscope::simulate_test {
namespace {

TuneRequest small(int64_t chips = 8) {
  TuneRequest request;
  request.model = *parse_model("name = \"small\"\nhidden = 1024\nsequence = 256\nbatch = 8\n", "small.toml");
  request.chips = chips;
  return request;
}

TuneResult tuned(const TuneRequest& request, const TuneExecution& execution = {}) {
  const auto result = tune(request, execution, {});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return *result;
}

const TuneCandidate& best_of(const TuneResult& result) {
  return result.candidates[static_cast<size_t>(result.best)];
}

TEST(Tune, AChoiceTakesTheTimeThatItsScheduleSays) {
  const TuneResult result = tuned(small());
  const Hardware hardware = *find_hardware(result.hardware);
  for (const TuneCandidate& candidate : result.candidates) {
    for (size_t l = 0; l < candidate.layers.size(); ++l) {
      const Experiment e = experiment_of(result, candidate, l);
      const Strategy* strategy = *find_strategy(e.runs[0].strategy);
      const auto program = resolve_collectives(*strategy->plan(e.mesh, e.problem, e.runs[0].options),
                                               hardware, CollectiveAlgorithm::automatic);
      const auto timeline = schedule(*program, hardware, {}, {});
      ASSERT_TRUE(timeline.ok());
      EXPECT_DOUBLE_EQ(candidate.layers[l].total_s, to_seconds(timeline->total)) << e.title;
    }
  }
}

TEST(Tune, ACandidateIsTheSumOfItsParts) {
  for (const TuneCandidate& c : tuned(small()).candidates) {
    double total = 0;
    for (const TuneLayerChoice& layer : c.layers) total += layer.total_s + layer.reshard_s;
    EXPECT_NEAR(c.total_s, total, 1e-12);
    EXPECT_NEAR(c.total_s, c.traffic_s + c.latency_s + c.pipeline_s, 1e-9) << c.mesh.text();
    EXPECT_GE(c.peak_bytes, c.layers[0].peak_bytes);
  }
}

TEST(Tune, NoMeshShapeIsLeftOut) {
  const TuneResult result = tuned(small());
  std::vector<std::string> meshes;
  for (const TuneCandidate& c : result.candidates) meshes.push_back(c.mesh.text());
  for (const char* wanted : {"row=1,col=8", "row=2,col=4", "row=4,col=2", "row=8,col=1", "row=8"})
    EXPECT_NE(std::find(meshes.begin(), meshes.end(), wanted), meshes.end()) << wanted;
}

TEST(Tune, TheBestIsTheFastestThatFits) {
  const TuneResult result = tuned(small());
  EXPECT_TRUE(best_of(result).fits);
  EXPECT_TRUE(best_of(result).front);
  for (const TuneCandidate& c : result.candidates)
    EXPECT_TRUE(!c.fits || c.total_s >= best_of(result).total_s) << c.mesh.text();
}

TEST(Tune, TheSameOnAnyNumberOfThreads) {
  TuneExecution one;
  one.threads = 1;
  TuneExecution four;
  four.threads = 4;
  EXPECT_EQ(tuned(small(), one), tuned(small(), four));
}

TEST(Tune, PartialResultsComeMeshByMeshAndProgressNeverGoesBack) {
  TuneExecution execution;
  double last = 0;
  size_t most = 0;
  execution.progress = [&](const std::string& what, double fraction) {
    EXPECT_GE(fraction, last - 1e-12) << what;
    last = fraction;
  };
  execution.partial = [&](const TuneResult& so_far) {
    EXPECT_GT(so_far.candidates.size(), most);
    most = so_far.candidates.size();
  };
  const TuneResult result = tuned(small(), execution);
  EXPECT_EQ(most, result.candidates.size());
  EXPECT_DOUBLE_EQ(last, 1);
}

TEST(Tune, CancelKeepsTheMeshesThatWereDone) {
  std::stop_source stop;
  TuneExecution execution;
  execution.partial = [&](const TuneResult&) { stop.request_stop(); };
  const auto result = tune(small(), execution, stop.get_token());
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->complete);
  EXPECT_FALSE(result->candidates.empty());
  EXPECT_LT(result->candidates.size(), tuned(small()).candidates.size());
}

TEST(Tune, WhatIsNotTimedCouldNotHaveWon) {
  const TuneResult result = tuned(small());
  EXPECT_GT(result.timed, 0);
  EXPECT_GT(result.pruned, 0);
  const Hardware hardware = *find_hardware(result.hardware);
  for (const Mesh& mesh : mesh_shapes(8, hardware)) {
    for (const TuneLayerChoice& layer : best_of(result).layers) {
      const LayerOptions options = layer_options(mesh, layer.problem, hardware, {});
      for (const LayerOption& option : options.options) {
        const auto program = resolve_collectives(*option.strategy->plan(mesh, layer.problem, option.options),
                                                 hardware, CollectiveAlgorithm::automatic);
        ASSERT_TRUE(program.ok()) << option.strategy->id;
        const auto timeline = schedule(*program, hardware, {}, {});
        if (!timeline.ok()) continue;
        EXPECT_LE(option.bound_s, to_seconds(timeline->total) * (1 + 1e-9))
            << option.strategy->id << " on " << mesh.text();
      }
    }
  }
}

// Rows of measured collectives may be faster than the links say, or slower.
TEST(Tune, TheBoundHoldsOnAChipWhoseCollectivesWereMeasured) {
  Hardware hardware = *find_hardware("tpu-v5e");
  hardware.compute.tile = {64, 64, 32};
  hardware.compute.units = 7;
  hardware.overlap.sync_s = 1e-6;
  for (const char* kind : {"all-gather", "reduce-scatter", "all-reduce", "collective-permute"}) {
    LinkOp op;
    op.kind = kind;
    op.step_s = 1e-8;
    op.bytes_per_s = 400e9;
    hardware.link.ops.push_back(op);
    op.group = 4;
    op.bytes_per_s = 2e9;
    op.ramp = LinkOp::Ramp{1e-9, 0.5};
    op.in_switch = op.kind == "all-reduce";
    hardware.link.ops.push_back(op);
  }
  const MatmulProblem problem{2048, 2048, 4096, ElementType::bf16, ElementType::bf16};
  int64_t seen = 0;
  for (const char* text : {"row=2,col=4", "row=8,col=2"}) {
    const Mesh mesh = *Mesh::parse(text);
    for (const LayerOption& option : layer_options(mesh, problem, hardware, {}).options) {
      const auto program = resolve_collectives(*option.strategy->plan(mesh, problem, option.options),
                                               hardware, CollectiveAlgorithm::automatic);
      ASSERT_TRUE(program.ok()) << option.strategy->id;
      const auto timeline = schedule(*program, hardware, {}, {});
      if (!timeline.ok()) continue;
      EXPECT_LE(option.bound_s, to_seconds(timeline->total) * (1 + 1e-9))
          << option.strategy->id << " on " << text;
      ++seen;
    }
  }
  EXPECT_GT(seen, 10);
}

// The bound once left out what a product reads and writes: one time of a product.
TEST(Tune, TheBoundOfADotIsItsTime) {
  Experiment experiment;
  experiment.mesh = *Mesh::parse("row=1,col=1");
  for (const int64_t k : {64, 4096}) {  // the second reads more than it multiplies
    experiment.problem = {.m = k == 64 ? 4096 : 8, .k = k, .n = 4096};
    ExecutionOptions options;
    options.numerics = false;
    RunRequest request;
    request.strategy = "collective.os";
    const RunPtr run = *execute(experiment, request, options, {});
    EXPECT_EQ(lower_bound_s(run->program, run->hardware), to_seconds(run->timeline.total)) << k;
  }
}

TEST(Tune, BadRequestsAreRefused) {
  EXPECT_FALSE(tune(small(0), {}, {}).ok());
  EXPECT_FALSE(tune(small(-4), {}, {}).ok());
  EXPECT_FALSE(tune(small(int64_t{1} << 40), {}, {}).ok());
  TuneRequest other = small();
  other.hardware = "tpu-v99";
  EXPECT_FALSE(tune(other, {}, {}).ok());
}

const Shape kShape = Shape::array(ElementType::bf16, {64, 64});

TEST(Resharding, CountsWhatTheBusiestDeviceLacks) {
  const Mesh mesh = *Mesh::parse("row=2,col=4");
  const Hardware hardware = *find_hardware("tpu-v5e");
  const StoredArray blocks{P("row", "col"), false};
  EXPECT_EQ(resharding(mesh, hardware, blocks, blocks, kShape).bytes, 0);
  // A device has 32 × 16 of the 32 × 64 that it wants: 3 of 4 parts are elsewhere.
  EXPECT_EQ(resharding(mesh, hardware, blocks, {P("row"), false}, kShape).bytes, 2.0 * 32 * 48);
  // What it needs is in what it has.
  EXPECT_EQ(resharding(mesh, hardware, {P("row"), false}, blocks, kShape).bytes, 0);
  // Three shards come in from both sides of the columns' ring of four: whole ones, then halves of the last.
  const Resharding there = resharding(mesh, hardware, blocks, {P("row"), false}, kShape);
  const double shard = 2.0 * 32 * 16 / (*hardware.link.bytes_per_s * hardware.link.efficiency);
  EXPECT_NEAR(there.seconds, 2 * *hardware.link.latency_s + 1.5 * shard, 4e-12);
}

TEST(Resharding, StoredTransposesAreComparedAsTheSameArray) {
  const Mesh mesh = *Mesh::parse("row=2,col=2");
  const Hardware hardware = *find_hardware("tpu-v5e");
  const StoredArray plain{P("row", "col"), false};
  const StoredArray same_blocks{P("col", "row"), true};
  EXPECT_EQ(resharding(mesh, hardware, plain, same_blocks, kShape).bytes, 0);
  EXPECT_GT(resharding(mesh, hardware, plain, same_blocks, kShape).seconds, 0);  // transposed in place
  EXPECT_GT(resharding(mesh, hardware, plain, {P("row", "col"), true}, kShape).bytes, 0);
}

TEST(MarkFront, KeepsWhatNothingBeatsInBoth) {
  std::vector<TuneCandidate> candidates(4);
  const double times[] = {3, 2, 1, 2};
  const int64_t bytes[] = {10, 20, 40, 30};
  for (size_t i = 0; i < 4; ++i) {
    candidates[i].total_s = times[i];
    candidates[i].peak_bytes = bytes[i];
  }
  candidates[2].fits = false;
  EXPECT_EQ(mark_front(candidates), 1);
  EXPECT_TRUE(candidates[0].front);
  EXPECT_TRUE(candidates[1].front);
  EXPECT_TRUE(candidates[2].front);
  EXPECT_FALSE(candidates[3].front);
}

}  // namespace
}  // namespace shardscope::simulate_test
