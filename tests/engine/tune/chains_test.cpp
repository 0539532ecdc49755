// SPDX-License-Identifier: Apache-2.0
// Which chains of a mesh's choices need not be looked for.
#include "engine/tune/chains.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/tune/candidates.h"

namespace shardscope::chains_test {
namespace {

TuneModel model() {
  TuneModel out;
  out.name = "three";
  out.sequence = 256;
  out.batch = 4;
  out.layers = {{"a", 512, 2048, ""}, {"b", 2048, 256, ""}, {"c", 256, 512, ""}};
  return out;
}

// A mesh on which nothing is timed yet, and its chains, each with less memory in a product than the last.
struct Chains {
  TuneModel model = chains_test::model();
  ModelStep step;
  Hardware hardware;
  MeshKnowledge knowledge;
  ChainSearch search;

  Chains(const char* chip, const char* shape, TuneStep of)
      : step(model_step(model, of, 8)),
        hardware(*find_hardware(chip)),
        knowledge(*Mesh::parse(shape), hardware,
                  options_on(*Mesh::parse(shape), step.products, hardware, Workers(1), {}), step.arrays),
        search(model, step, knowledge) {}

  std::optional<ChainSearch::Chain> next(const ChainLimits& limits) {
    FastestAlgorithms fastest;
    for (;;) {
      const std::vector<TuneQuestion> open = search.open(limits);
      if (open.empty()) return search.chain();
      for (const TuneQuestion& question : open)
        knowledge.learn(question, knowledge.answer(question, knowledge.plan(question, {}), fastest, {}));
    }
  }
  std::vector<ChainSearch::Chain> all() {
    std::vector<ChainSearch::Chain> out;
    for (ChainLimits limits; out.size() < 12;) {
      const auto chain = next(limits);
      if (!chain) break;
      limits.product_bytes = chain->product_bytes - 1;
      out.push_back(*chain);
    }
    return out;
  }
};

void for_several(const auto& expect) {
  for (const char* chip : {"tpu-v3", "h200", "tpu-v5e"}) {
    for (const char* shape : {"row=2,col=4", "row=8,col=1"}) {
      for (const TuneStep step : {TuneStep::training, TuneStep::inference}) {
        SCOPED_TRACE(std::string(chip) + " " + shape + " " + std::string(name(step)));
        expect(chip, shape, step);
      }
    }
  }
}

// What a chain holds is room enough for it: before anything is timed, and when all of it is.
TEST(Chains, ABoundIsBelowEachChainThatHoldsNoMore) {
  size_t seen = 0;
  for_several([&](const char* chip, const char* shape, TuneStep step) {
    Chains timed(chip, shape, step), untimed(chip, shape, step);
    const std::vector<ChainSearch::Chain> all = timed.all();
    ASSERT_FALSE(all.empty());
    int64_t smallest = std::numeric_limits<int64_t>::max();
    for (const auto& [candidate, product_bytes] : all) {
      ChainLimits limits;
      limits.whole_bytes = candidate.peak_bytes;
      limits.product_bytes = product_bytes;
      EXPECT_LE(untimed.search.least_within(limits), candidate.total_s * (1 + 1e-12));
      EXPECT_LE(timed.search.least_within(limits), candidate.total_s * (1 + 1e-12));
      smallest = std::min(smallest, candidate.peak_bytes);
      ++seen;
    }
    ChainLimits none;
    none.whole_bytes = smallest / 2;
    EXPECT_EQ(timed.search.least_within(none), std::numeric_limits<double>::infinity());
  });
  EXPECT_GT(seen, 40U);
}

TEST(Chains, ThoseThatAreFasterAndSmallerBeatAll) {
  for_several([](const char* chip, const char* shape, TuneStep step) {
    Chains of(chip, shape, step);
    const std::vector<ChainSearch::Chain> all = of.all();
    TuneCandidate faster = all.front().candidate;
    const auto smallest = std::ranges::min_element(
        all, {}, [](const ChainSearch::Chain& chain) { return chain.candidate.peak_bytes; });
    EXPECT_FALSE(all_are_beaten(of.search, {}, {}));
    EXPECT_FALSE(all_are_beaten(of.search, {}, {&faster}));  // it is the fastest of these itself
    faster.total_s /= 2;
    faster.peak_bytes = smallest->candidate.peak_bytes / 2;
    EXPECT_TRUE(all_are_beaten(of.search, {}, {&faster}));
    ChainLimits soon;
    soon.seconds = all.front().candidate.total_s / 2;
    EXPECT_TRUE(all_are_beaten(of.search, soon, {}));
  });
}

}  // namespace
}  // namespace shardscope::chains_test
