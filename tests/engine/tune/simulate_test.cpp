// SPDX-License-Identifier: Apache-2.0
// The tuner that times every choice with the scheduler.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "engine/report/tune_report.h"
#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"
#include "engine/tune/bound.h"
#include "engine/tune/chains.h"
#include "engine/tune/choices.h"
#include "engine/tune/model_file.h"
#include "engine/tune/timing.h"
#include "engine/tune/tune.h"

namespace shardscope::simulate_test {
namespace {

TuneRequest small(int64_t chips = 8) {
  TuneRequest request;
  request.model = *parse_model("name = \"small\"\nhidden = 512\nsequence = 128\nbatch = 8\n", "small.toml");
  request.chips = chips;
  return request;
}

TuneResult tuned(const TuneRequest& request, const TuneExecution& execution = {}) {
  const auto result = tune(request, execution, {});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return *result;
}

// What most claims are about, made once.
const TuneResult& small_tuned() {
  static const TuneResult result = tuned(small());
  return result;
}

const TuneCandidate& best_of(const TuneResult& result) {
  return result.candidates[static_cast<size_t>(result.best)];
}

TEST(Tune, AChoiceTakesTheTimeThatItsScheduleSays) {
  const TuneResult& result = small_tuned();
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

TEST(Tune, APlacementHoldsForEveryMesh) {
  TuneRequest request = small();
  request.hardware = "h100";
  const TuneResult within = tuned(request);
  request.place = parse_placement("col=network,row=network").value();
  const TuneResult apart = tuned(request);
  EXPECT_GE(best_of(apart).total_s, best_of(within).total_s);
  for (const TuneCandidate& candidate : within.candidates) EXPECT_EQ(candidate.places.nodes, 0);
  for (const TuneCandidate& candidate : apart.candidates) {
    EXPECT_EQ(candidate.places.nodes, 8) << candidate.mesh.text();
    const Experiment e = experiment_of(apart, candidate, 0);
    EXPECT_EQ(e.place, request.place);
    EXPECT_TRUE(e.mesh.device_order().empty());
  }
}

TEST(Tune, ACandidateIsTheSumOfItsParts) {
  for (const TuneCandidate& c : small_tuned().candidates) {
    double total = 0;
    for (const TuneLayerChoice& layer : c.layers) total += layer.total_s + layer.reshard_s;
    EXPECT_NEAR(c.total_s, total, 1e-12);
    EXPECT_NEAR(c.total_s, c.traffic_s + c.latency_s + c.pipeline_s, 1e-9) << c.mesh.text();
    EXPECT_GE(c.peak_bytes, c.layers[0].peak_bytes);
  }
}

TEST(Tune, NoMeshShapeIsLeftOut) {
  const TuneResult& result = small_tuned();
  std::vector<std::string> meshes;
  for (const TuneCandidate& c : result.candidates) meshes.push_back(c.mesh.text());
  for (const char* wanted : {"row=1,col=8", "row=2,col=4", "row=4,col=2", "row=8,col=1", "row=8"})
    EXPECT_NE(std::find(meshes.begin(), meshes.end(), wanted), meshes.end()) << wanted;
}

TEST(Tune, TheBestIsTheFastestThatFits) {
  const TuneResult& result = small_tuned();
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
  EXPECT_LT(result->candidates.size(), small_tuned().candidates.size());
}

// Of a schedule or a resharding that can be timed: the bounds are below what it takes.
bool expect_bounded(const LayerOption& option, const Mesh& mesh, const MatmulProblem& problem,
                    const Hardware& hardware) {
  const double forever = std::numeric_limits<double>::infinity();
  FastestAlgorithms fastest;
  const auto timed = time_option(option, mesh, problem, {hardware, fastest}, forever, {});
  if (!timed.ok()) return false;
  const OptionTime& time = timed->value();
  const std::string what = std::string(option.strategy->id) + " on " + mesh.text();
  EXPECT_LE(option.least.seconds, time.total_s * (1 + 1e-9)) << what;
  EXPECT_LE(option.least.peak_bytes, time.peak_bytes) << what;
  EXPECT_GT(option.least.peak_bytes, 0) << what;
  return true;
}

std::vector<LayerOption> options_of(const Mesh& mesh, const MatmulProblem& problem,
                                    const Hardware& hardware) {
  return options_on(mesh, {&problem, 1}, hardware, Workers(2), {}).front().options;
}

TEST(Tune, NoScheduleBeatsItsBounds) {
  const TuneResult& result = small_tuned();
  EXPECT_GT(result.timed, 0);
  EXPECT_GT(result.pruned, 0);
  int bounded = 0;
  std::vector<Hardware> chips;
  for (const char* chip : {"tpu-v5e", "tpu-v3", "h100", "h200", "a100", "b200", "cpu-host"})
    chips.push_back(*find_hardware(chip));
  for (const int64_t node : {2, 4}) {
    chips.push_back(*find_hardware("h100"));
    chips.back().node_devices = node;
  }
  for (const Hardware& hardware : chips) {
    for (const Mesh& mesh : mesh_shapes(8, hardware)) {
      for (const TuneLayerChoice& layer : best_of(result).layers) {
        for (const LayerOption& option : options_of(mesh, layer.problem, hardware))
          bounded += expect_bounded(option, mesh, layer.problem, hardware) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(bounded, 1000);
}

// What takes longer than anybody asks is given up; what does not is timed as ever.
TEST(Tune, ATimingEndsAtItsLimit) {
  const MatmulProblem problem{2048, 2048, 4096, ElementType::bf16, ElementType::f32};
  for (const char* chip : {"tpu-v5e", "tpu-v3", "h100", "h200"}) {
    const Hardware hardware = *find_hardware(chip);
    FastestAlgorithms fastest;
    const TimedOn on{hardware, fastest};
    for (const char* shape : {"row=2,col=4", "row=4,col=4"}) {
      const Mesh mesh = *Mesh::parse(shape);
      for (const LayerOption& option : options_of(mesh, problem, hardware)) {
        const double forever = std::numeric_limits<double>::infinity();
        const auto timed = time_option(option, mesh, problem, on, forever, {});
        if (!timed.ok()) continue;
        const double total = timed->value().total_s;
        const auto within = time_option(option, mesh, problem, on, total, {});
        ASSERT_TRUE(within.ok() && within->has_value()) << option.strategy->id << " on " << shape;
        EXPECT_EQ((*within)->total_s, total);
        for (const double part : {0.0, 0.5, 1 - 1e-6})
          EXPECT_FALSE(time_option(option, mesh, problem, on, total * part, {})->has_value());
      }
    }
  }
}

// The search times little; what it finds is what timing everything finds.
TEST(Tune, FindsWhatTimingEverythingFinds) {
  std::minstd_rand random(16);
  const auto pick = [&](std::vector<int64_t> of) { return of[random() % of.size()]; };
  const std::vector<std::string> chips = {"tpu-v5e", "tpu-v3", "h100", "h200", "cpu-host"};
  int64_t pruned = 0;
  for (int i = 0; i < 20; ++i) {
    TuneRequest request;
    request.model.name = "random";
    request.model.sequence = pick({64, 128, 256, 1024});
    request.model.batch = pick({2, 4, 8});
    for (int64_t l = pick({1, 2, 3}); l > 0; --l)
      request.model.layers.push_back(
          {"l" + std::to_string(l), pick({64, 256, 512, 2048}), pick({64, 256, 1024}), ""});
    request.chips = pick({2, 4, 6, 8});
    request.step = i % 2 == 0 ? TuneStep::training : TuneStep::inference;
    request.hardware = chips[static_cast<size_t>(i / 2) % chips.size()];
    const auto found = tune(request, {}, {});
    TuneExecution all;
    all.exhaustive = true;
    const auto exhaustive = tune(request, all, {});
    ASSERT_EQ(found.ok(), exhaustive.ok()) << *request.hardware;
    if (!found.ok()) continue;
    EXPECT_EQ(found->candidates, exhaustive->candidates) << tune_text(*found) << tune_text(*exhaustive);
    EXPECT_EQ(found->best, exhaustive->best);
    EXPECT_EQ(exhaustive->pruned, 0);
    pruned += found->pruned;
  }
  EXPECT_GT(pruned, 500);
}

// By hand: a layer of 256 tokens, 64 inputs and 128 outputs on one chip, where nothing is split or moved.
TEST(Tune, ATrainingStepHoldsThreeProductsAndTheMemoryOfAdam) {
  TuneRequest request;
  request.model = *parse_model(
      "name = \"one\"\nsequence = 256\nbatch = 1\n"
      "[[layer]]\nname = \"up\"\ninputs = 64\noutputs = 128\n",
      "one.toml");
  request.chips = 1;
  const TuneResult result = tuned(request);
  EXPECT_EQ(result.step, TuneStep::training);
  const TuneCandidate& best = best_of(result);
  ASSERT_EQ(best.layers.size(), 3U);
  const MatmulProblem forward{256, 64, 128, ElementType::bf16, ElementType::f32};
  EXPECT_EQ(best.layers[0].problem, forward);
  EXPECT_EQ(best.layers[1].problem, (MatmulProblem{256, 128, 64, ElementType::bf16, ElementType::f32}));
  EXPECT_EQ(best.layers[2].problem, (MatmulProblem{64, 256, 128, ElementType::bf16, ElementType::f32}));
  EXPECT_EQ(best.layers[0].pass, TunePass::forward);
  EXPECT_EQ(best.layers[1].pass, TunePass::data_gradient);
  EXPECT_EQ(best.layers[2].pass, TunePass::weight_gradient);
  const int64_t weights = 64 * 128;
  EXPECT_EQ(best.memory.weights, 2 * weights);
  EXPECT_EQ(best.memory.gradients, 2 * weights);
  EXPECT_EQ(best.memory.optimiser, (4 + 4 + 4) * weights);
  EXPECT_EQ(best.memory.activations, 2 * 256 * 64);
  // Y as it is summed up, in f32; the gradients' smaller results need less beside dY.
  EXPECT_EQ(best.memory.working, 4 * 256 * 128) << tune_text(result);
  EXPECT_EQ(best.peak_bytes, best.memory.sum());
  double products = 0;
  for (const TuneLayerChoice& choice : best.layers) {
    EXPECT_EQ(choice.reshard_s, 0) << tune_text(result);
    products += choice.total_s;
  }
  EXPECT_DOUBLE_EQ(best.total_s, products);
}

// What a layer's products hand to each other is there in the layouts that they ask for, and what it takes is
// what the programs of these moves take.
TEST(Tune, WhatIsMovedIsTimedAsPrograms) {
  const Hardware hardware = *find_hardware("tpu-v5e");
  FastestAlgorithms fastest;
  const TimedOn on{hardware, fastest};
  const TuneRequest request = small();
  const ModelStep step = model_step(request.model, TuneStep::training, request.chips);
  const TuneResult& result = small_tuned();
  const auto option_of = [&](const TuneCandidate& candidate, size_t place) {
    const TuneLayerChoice& choice = candidate.layers[place];
    return *plan_option({*find_strategy(choice.strategy), choice.options}, candidate.mesh, choice.problem,
                        hardware, {});
  };
  const auto turned = [](StoredArray array) {
    array.transposed = !array.transposed;
    return array;
  };
  const size_t layers = request.model.layers.size();
  double moved = 0;
  for (const TuneCandidate& candidate : result.candidates) {
    ASSERT_EQ(candidate.layers.size(), 3 * layers);
    // Forward l stands at l; the gradients come from the last layer to the first.
    const auto data_at = [&](size_t l) { return layers + 2 * (layers - 1 - l); };
    for (size_t l = 0; l < layers; ++l) {
      const size_t before = (l + layers - 1) % layers, after = (l + 1) % layers;
      const LayerOption forward = option_of(candidate, l), data = option_of(candidate, data_at(l)),
                        weight = option_of(candidate, data_at(l) + 1);
      const auto move = [&](size_t array, const StoredArray& from, const StoredArray& to) {
        return resharding(candidate.mesh, on, from, to, step.arrays[array]).seconds;
      };
      const ModelStep::Layer& arrays = step.layers[l];
      const double forward_s = move(arrays.x, option_of(candidate, before).out.stored, forward.lhs.stored);
      const double data_s = move(arrays.y, option_of(candidate, data_at(after)).out.stored, data.lhs.stored) +
                            move(arrays.w, forward.rhs.stored, turned(data.rhs.stored));
      const double weight_s = move(arrays.x, forward.lhs.stored, turned(weight.lhs.stored)) +
                              move(arrays.y, data.lhs.stored, weight.rhs.stored) +
                              move(arrays.w, weight.out.stored, forward.rhs.stored);
      EXPECT_NEAR(candidate.layers[l].reshard_s, forward_s, 1e-15);
      EXPECT_NEAR(candidate.layers[data_at(l)].reshard_s, data_s, 1e-15);
      EXPECT_NEAR(candidate.layers[data_at(l) + 1].reshard_s, weight_s, 1e-15);
      moved += forward_s + data_s + weight_s;
    }
  }
  EXPECT_GT(moved, 0);
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
    for (const LayerOption& option : options_of(mesh, problem, hardware)) {
      seen += expect_bounded(option, mesh, problem, hardware) ? 1 : 0;
    }
  }
  EXPECT_GT(seen, 10);
}

TEST(Tune, BadRequestsAreRefused) {
  EXPECT_FALSE(tune(small(0), {}, {}).ok());
  EXPECT_FALSE(tune(small(-4), {}, {}).ok());
  EXPECT_FALSE(tune(small(int64_t{1} << 40), {}, {}).ok());
  TuneRequest other = small();
  other.hardware = "tpu-v99";
  EXPECT_FALSE(tune(other, {}, {}).ok());
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
