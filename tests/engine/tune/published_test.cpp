// SPDX-License-Identifier: Apache-2.0
// MeshSlice's published tuner: its choices for its own models, and its formulas written out.
#include "engine/tune/published.h"

#include <gtest/gtest.h>

#include "engine/strategies/strategy.h"
#include "engine/tune/meshslice_cost.h"
#include "engine/tune/model_file.h"

namespace shardscope::published_test {
namespace {

TuneResult tuned(const char* model, int64_t chips) {
  const auto result = tune_published(*find_model(model), chips);
  EXPECT_TRUE(result.ok()) << result.error().text();
  return *result;
}

std::string dataflows(const TuneCandidate& candidate) {
  std::string out;
  for (const TuneLayerChoice& layer : candidate.layers) out += layer.dataflow + " ";
  return out;
}

TEST(Published, Gpt3On64ChipsIsEightByEight) {
  const TuneResult result = tuned("gpt3", 64);
  struct Line {
    const char* mesh;
    double traffic_ms, latency_ms;
  };
  const std::vector<Line> published = {
      {"row=4,col=16", 123.541, 17.728}, {"row=8,col=8", 58.436, 10.880}, {"row=16,col=4", 84.485, 14.404}};
  ASSERT_EQ(result.candidates.size(), published.size());
  for (size_t i = 0; i < published.size(); ++i) {
    EXPECT_EQ(result.candidates[i].mesh.text(), published[i].mesh);
    EXPECT_NEAR(result.candidates[i].traffic_s * 1e3, published[i].traffic_ms, 5e-4);
    EXPECT_NEAR(result.candidates[i].latency_s * 1e3, published[i].latency_ms, 5e-4);
  }
  const TuneCandidate& best = result.candidates[static_cast<size_t>(result.best)];
  EXPECT_EQ(best.mesh.text(), "row=8,col=8");
  EXPECT_EQ(dataflows(best), "OS LS OS LS ");
  for (const TuneLayerChoice& layer : best.layers) {
    EXPECT_EQ(layer.slices, 16) << layer.layer;
    EXPECT_FALSE(layer.transpose) << layer.layer;
  }
}

TEST(Published, ChoicesForMoreChipsAndTheLargerModel) {
  const TuneResult gpt3 = tuned("gpt3", 256);
  EXPECT_EQ(gpt3.candidates[static_cast<size_t>(gpt3.best)].mesh.text(), "row=32,col=8");
  for (const TuneLayerChoice& layer : gpt3.candidates[static_cast<size_t>(gpt3.best)].layers)
    EXPECT_EQ(layer.slices, 8) << layer.layer;
  const TuneResult megatron = tuned("megatron", 32);
  EXPECT_EQ(megatron.candidates[static_cast<size_t>(megatron.best)].mesh.text(), "row=4,col=8");
  for (const TuneLayerChoice& layer : megatron.candidates[static_cast<size_t>(megatron.best)].layers)
    EXPECT_EQ(layer.slices, 20) << layer.layer;
}

TEST(Published, TheLargestOfXWAndYStays) {
  EXPECT_EQ(largest_stays(131072, 12288, 36864), Dataflow::os);
  EXPECT_EQ(largest_stays(131072, 12288, 12288), Dataflow::ls);
  EXPECT_EQ(largest_stays(131072, 49152, 12288), Dataflow::ls);
  EXPECT_EQ(largest_stays(1024, 12288, 36864), Dataflow::rs);
  EXPECT_EQ(largest_stays(1024, 36864, 12288), Dataflow::rs);
}

// One layer on 2 rows × 3 columns by hand: in = 2·B·I·2, w = 2·I·O·1, out = 2·B·O·2 bytes.
TEST(Published, OutputStationaryCostsByHand) {
  const PublishedLayer layer{Dataflow::os, false, 600, 300, 900};
  const double in = 2.0 * 600 * 300 * 2;
  const double w = 2.0 * 300 * 900 * 1;
  const double forward = std::max(in / 79.751e9, w / 27.472e9);
  const double data_gradient = std::max(in / 63.167e9, w / 27.472e9);
  const double weight_gradient = std::max(in / 79.751e9, w / 37.506e9);
  EXPECT_DOUBLE_EQ(traffic_s(layer, {2, 3}), (forward + data_gradient + weight_gradient) / 6);
  // Two hops along a row of three, one along a column of two.
  const double gather = 2 * 5e-6 + 13e-6;
  const double scatter_cols = 2 * 5e-6 + 26e-6;
  const double scatter_rows = 1 * 5e-6 + 26e-6;
  EXPECT_DOUBLE_EQ(latency_s(layer, {2, 3}, 4), 4 * (gather + scatter_cols + std::max(gather, scatter_rows)));
  const double bubble = forward + (in / 63.167e9 + w / 27.472e9) + (in / 79.751e9 + w / 37.506e9);
  EXPECT_DOUBLE_EQ(bubble_s(layer, {2, 3}, 4), bubble / (6 * 4));
}

TEST(Published, RightStationaryMovesItsOutputAlongTheRows) {
  const PublishedLayer layer{Dataflow::rs, false, 600, 300, 900};
  const double in = 2.0 * 600 * 300 * 2;
  const double out = 2.0 * 600 * 900 * 1;
  EXPECT_DOUBLE_EQ(traffic_s(layer, {2, 3}),
                   (std::max(in / 27.472e9, out / 63.167e9) + std::max(in / 37.506e9, out / 79.751e9) +
                    std::max(in / 27.472e9, out / 79.751e9)) /
                       6);
}

TEST(Published, ATransposedLayerSwapsRowsAndColumns) {
  for (const Dataflow dataflow : {Dataflow::os, Dataflow::ls, Dataflow::rs}) {
    const PublishedLayer plain{dataflow, false, 4096, 1024, 2048};
    const PublishedLayer transposed{dataflow, true, 4096, 1024, 2048};
    EXPECT_DOUBLE_EQ(traffic_s(plain, {4, 8}), traffic_s(transposed, {8, 4}));
    EXPECT_DOUBLE_EQ(latency_s(plain, {4, 8}, 2), latency_s(transposed, {8, 4}, 2));
    EXPECT_DOUBLE_EQ(bubble_s(plain, {4, 8}, 2), bubble_s(transposed, {8, 4}, 2));
  }
}

TEST(Published, SliceMenuComesFromTheBlocksOfTheSlicedExtent) {
  // 12288 / lcm(8,8) / 8 = 192 blocks: divisible by 48.
  EXPECT_EQ(slice_menu({Dataflow::os, false, 131072, 12288, 36864}, {8, 8}),
            (std::vector<int64_t>{3, 4, 6, 8, 12, 16, 24}));
  // 20480 / 8 / 8 = 320: by 40.
  EXPECT_EQ(slice_menu({Dataflow::ls, false, 65536, 81920, 20480}, {4, 8}),
            (std::vector<int64_t>{4, 5, 8, 10, 20}));
  // 56 / 1 / 8 = 7: by none of them; and too short to slice at all.
  EXPECT_EQ(slice_menu({Dataflow::os, false, 64, 56, 64}, {1, 1}), (std::vector<int64_t>{7}));
  EXPECT_EQ(slice_menu({Dataflow::os, false, 64, 56, 64}, {4, 4}), (std::vector<int64_t>{1}));
}

TEST(Published, TransposedResultsAreFollowedAndSumsAgree) {
  const auto model = parse_model(R"(
name = "wide"
sequence = 64
batch = 1
[[layer]]
name = "a"
inputs = 4096
outputs = 8192
[[layer]]
name = "b"
inputs = 8192
outputs = 128
residual = "input"
)",
                                 "wide.toml");
  ASSERT_TRUE(model.ok()) << model.error().text();
  const auto result = tune_published(*model, 16);
  ASSERT_TRUE(result.ok());
  const std::vector<TuneLayerChoice>& layers = result->candidates[0].layers;
  EXPECT_EQ(layers[0].dataflow, "RS");
  EXPECT_FALSE(layers[0].transpose);
  EXPECT_EQ(layers[1].dataflow, "RS");
  EXPECT_TRUE(layers[1].transpose);  // reads what RS wrote; its own result is the right way round again
  EXPECT_EQ(result->assumptions.size(), 1U);
}

TEST(Published, AChoiceOpensAsARunThatPlans) {
  const TuneResult result = tuned("gpt3", 64);
  const TuneCandidate& best = result.candidates[static_cast<size_t>(result.best)];
  for (size_t layer = 0; layer < best.layers.size(); ++layer) {
    const Experiment e = experiment_of(result, best, layer);
    ASSERT_EQ(e.runs.size(), 1U);
    const auto program = (*find_strategy(e.runs[0].strategy))->plan(e.mesh, e.problem, e.runs[0].options);
    EXPECT_TRUE(program.ok()) << program.error().text();
  }
}

TEST(Published, ChipsWithoutAMeshAreRefused) {
  for (const int64_t chips : {0, 1, 8, 15, 18, 30}) {
    const auto result = tune_published(*find_model("gpt3"), chips);
    ASSERT_FALSE(result.ok()) << chips;
    EXPECT_EQ(result.error().kind, ErrorKind::invalid);
  }
}

}  // namespace
}  // namespace shardscope::published_test
