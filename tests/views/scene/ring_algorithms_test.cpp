// SPDX-License-Identifier: Apache-2.0
// The ring view of collectives that go by other ways than round a ring.
#include <algorithm>
#include <cctype>

#include "golden_scene.h"
#include "sample_run.h"
#include "views/scene/story/collective_chunks.h"
#include "views/scene/story/step_transfers.h"

namespace shardscope::ring_algorithms_test {
namespace {

using Algorithm = CollectiveAlgorithm;

int32_t steps_of(const SampleRun& run) {
  return static_cast<int32_t>(run.trace().steps()->size());
}

Scene ring_at(const SampleRun& run, int32_t step, float width = 1400, float height = 700) {
  return layout_ring(run.input(), {}, run.at(step, 0.5), canvas(width, height));
}

// The first step in which something travels.
int32_t first_transfers(const SampleRun& run) {
  for (int32_t s = 0; s < steps_of(run); ++s) {
    if (!step_transfers(run.input(), s)->transfers.empty()) return s;
  }
  return 0;
}

bool any_text(const Scene& scene, const std::string& part) {
  return std::any_of(scene.texts().begin(), scene.texts().end(),
                     [&](const TextItem& t) { return t.text.find(part) != std::string::npos; });
}

bool any_narration(const SampleRun& run, const std::string& part) {
  for (int32_t s = 0; s < steps_of(run); ++s) {
    if (narrate(run.input(), s).find(part) != std::string::npos) return true;
  }
  return false;
}

struct Way {
  const char* strategy;
  const char* mesh;
  Algorithm algorithm;
};

const std::vector<Way> kWays = {
    {"collective.os", "row=1,col=8", Algorithm::doubling},
    {"collective.os", "row=1,col=8", Algorithm::halving_doubling},
    {"collective.os", "row=1,col=8", Algorithm::bruck},
    {"collective.os", "row=1,col=8", Algorithm::direct},
    {"collective.os", "row=1,col=8", Algorithm::shift},
    {"collective.os", "row=1,col=4", Algorithm::bidirectional_whole},
    {"psum", "row=1,col=8", Algorithm::doubling},
    {"psum", "row=1,col=8", Algorithm::halving_doubling},
    {"psum", "row=1,col=8", Algorithm::bruck},
    {"psum", "row=1,col=8", Algorithm::direct},
    {"psum", "row=1,col=8", Algorithm::tree},
    {"psum", "row=1,col=8", Algorithm::binomial},
    {"summa.os", "row=2,col=4", Algorithm::chain},
    {"summa.os", "row=2,col=4", Algorithm::binomial},
    {"summa.os", "row=2,col=4", Algorithm::tree},
};

TEST(RingOfAnyAlgorithm, EveryTransferIsCalledByItsBlocks) {
  for (const Way& way : kWays) {
    const SampleRun run(way.strategy, way.mesh, way.algorithm);
    const ViewInput input = run.input();
    CarriedBlocks carried(input);
    int64_t seen = 0;
    for (int32_t s = 0; s < steps_of(run); ++s) {
      const StepTransfers step = *step_transfers(input, s);
      for (const Event& e : step.transfers) {
        const CarriedWords block = carried.of(e);
        EXPECT_FALSE(std::isdigit(static_cast<unsigned char>(block.label[0])))
            << way.strategy << ' ' << name(way.algorithm) << ' ' << block.label;
        ++seen;
      }
    }
    EXPECT_GT(seen, 0) << way.strategy << ' ' << name(way.algorithm);
  }
}

TEST(RingOfAnyAlgorithm, DevicesHoldEverythingInTheEnd) {
  for (const Way& way : kWays) {
    const SampleRun run(way.strategy, way.mesh, way.algorithm);
    EXPECT_TRUE(narrate(run.input(), steps_of(run) - 1).ends_with("Y is complete"))
        << way.strategy << ' ' << name(way.algorithm) << ": " << narrate(run.input(), steps_of(run) - 1);
  }
}

TEST(RingOfAnyAlgorithm, SumsAreCountedAsTheyArrive) {
  const SampleRun doubling("psum", "row=1,col=8", Algorithm::doubling);
  EXPECT_TRUE(any_narration(doubling, "Y: 2 of 8 partial sums"));
  EXPECT_TRUE(any_narration(doubling, "Y: 4 of 8 partial sums"));
  const SampleRun tree("psum", "row=1,col=8", Algorithm::tree);
  EXPECT_TRUE(any_narration(tree, "which adds its own"));
  EXPECT_TRUE(any_narration(tree, "passes the finished sum of "));
}

TEST(RingOfAnyAlgorithm, TheTableSaysWhereMessagesGoWhenNotToNeighbours) {
  const auto table_says = [](Algorithm algorithm, const std::string& part) {
    const SampleRun run("collective.os", "row=1,col=8", algorithm);
    return any_text(ring_at(run, first_transfers(run)), part);
  };
  EXPECT_FALSE(table_says(Algorithm::ring, "→"));
  EXPECT_TRUE(table_says(Algorithm::direct, "→×7"));
  const SampleRun bruck("collective.os", "row=1,col=8", Algorithm::bruck);
  EXPECT_TRUE(any_text(ring_at(bruck, first_transfers(bruck) + 2), "→"));
}

TEST(RingOfAnyAlgorithm, APortsLinesLeadToAllItSendsTo) {
  const SampleRun run("collective.os", "row=1,col=8", Algorithm::direct, "a100");
  const Scene scene = ring_at(run, first_transfers(run));
  const auto lines = std::count_if(scene.accessible().begin(), scene.accessible().end(),
                                   [](const AccessibleItem& a) { return a.name.starts_with("link "); });
  EXPECT_EQ(lines, 8 * 7);
}

TEST(RingOfAnyAlgorithm, DrawsAsItDid) {
  expect_golden("ring_bruck",
                ring_at(SampleRun("collective.os", "row=1,col=8", Algorithm::bruck), 1, 1000, 520));
  expect_golden("ring_tree", ring_at(SampleRun("psum", "row=1,col=8", Algorithm::tree), 2, 1000, 520));
  expect_golden("ring_broadcast",
                ring_at(SampleRun("summa.os", "row=2,col=4", Algorithm::binomial), 1, 1000, 520));
}

}  // namespace
}  // namespace shardscope::ring_algorithms_test
