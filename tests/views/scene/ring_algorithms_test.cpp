// SPDX-License-Identifier: Apache-2.0
// The ring view of collectives that go by other ways than round a ring.
#include <algorithm>

#include "golden_scene.h"
#include "sample_run.h"
#include "scene_claims.h"
#include "views/scene/story/held_items.h"
#include "views/scene/story/travels.h"

namespace shardscope::ring_algorithms_test {
namespace {

using Algorithm = CollectiveAlgorithm;

int32_t beats_of(const SampleRun& run) {
  return static_cast<int32_t>(run.story().beats().size());
}

Scene ring_at(const SampleRun& run, int32_t beat, float width = 1400, float height = 700) {
  Selection selection;
  selection.time = run.story().moment_of(std::min(beat, beats_of(run) - 1));
  return layout_ring(run.input(), {}, selection, canvas(width, height));
}

// The first beat in which something travels.
int32_t first_transfers(const SampleRun& run) {
  int32_t beat = 0;
  while (beat + 1 < beats_of(run) && transfers_of(run.story(), beat).empty()) ++beat;
  return beat;
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
    int64_t seen = 0;
    for (int32_t b = 0; b < beats_of(run); ++b) {
      for (const int32_t e : transfers_of(run.story(), b)) {
        const std::string label = name_of_transfer(run.story(), e);
        EXPECT_TRUE(label[0] == 'a' || label[0] == 'w' || label[0] == 'y')
            << way.strategy << ' ' << name(way.algorithm) << ' ' << label;
        ++seen;
      }
    }
    EXPECT_GT(seen, 0) << way.strategy << ' ' << name(way.algorithm);
  }
}

TEST(RingOfAnyAlgorithm, DevicesHoldWholeResultsInTheEnd) {
  for (const Way& way : kWays) {
    const SampleRun run(way.strategy, way.mesh, way.algorithm);
    for (int32_t d = 0; d < run.story().timeline().devices; ++d) {
      const std::vector<HeldItem> held =
          held_items(held_names(run.story(), run.story().held(d, run.story().timeline().total)));
      EXPECT_TRUE(std::any_of(held.begin(), held.end(),
                              [](const HeldItem& one) { return one.name[0] == 'y' && one.terms.empty(); }))
          << way.strategy << ' ' << name(way.algorithm) << " device " << d;
    }
  }
}

TEST(RingOfAnyAlgorithm, SumsAreCountedAsTheyArrive) {
  const SampleRun doubling("psum", "row=1,col=8", Algorithm::doubling);
  const int32_t first = first_transfers(doubling);
  EXPECT_TRUE(shows(ring_at(doubling, first - 1), "(1 of 8)"));
  EXPECT_TRUE(shows(ring_at(doubling, first), "(2 of 8)"));
  EXPECT_TRUE(shows(ring_at(doubling, first + 1), "(4 of 8)"));
}

TEST(RingOfAnyAlgorithm, TheTableSaysWhereMessagesGoWhenNotToNeighbours) {
  const auto table_says = [](Algorithm algorithm, const std::string& part) {
    const SampleRun run("collective.os", "row=1,col=8", algorithm);
    return shows(ring_at(run, first_transfers(run)), part);
  };
  EXPECT_FALSE(table_says(Algorithm::ring, "→"));
  EXPECT_TRUE(table_says(Algorithm::direct, "→×7"));
  const SampleRun bruck("collective.os", "row=1,col=8", Algorithm::bruck);
  EXPECT_TRUE(shows(ring_at(bruck, first_transfers(bruck) + 2), "→"));
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
