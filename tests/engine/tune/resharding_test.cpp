// SPDX-License-Identifier: Apache-2.0
// What it takes to hand an array on to who reads it otherwise.
#include <gtest/gtest.h>

#include "engine/tune/bound.h"
#include "engine/tune/timing.h"

namespace shardscope::resharding_test {
namespace {

struct Chip {
  const Hardware hardware;
  explicit Chip(const char* name = "tpu-v5e") : hardware(*find_hardware(name)) {}
  FastestAlgorithms fastest;
  const TimedOn on{hardware, fastest};
};

const Shape kShape = Shape::array(ElementType::bf16, {64, 64});

TEST(Resharding, CountsWhatTheBusiestDeviceLacks) {
  const Mesh mesh = *Mesh::parse("row=2,col=4");
  Chip chip("tpu-v4");  // whose gathers go by the links
  const StoredArray blocks{P("row", "col"), false};
  EXPECT_EQ(resharding(mesh, chip.on, blocks, blocks, kShape).bytes, 0);
  // A device has 32 × 16 of the 32 × 64 that it wants: 3 of 4 parts are elsewhere.
  EXPECT_EQ(resharding(mesh, chip.on, blocks, {P("row"), false}, kShape).bytes, 2.0 * 32 * 48);
  // What it needs is in what it has.
  EXPECT_EQ(resharding(mesh, chip.on, {P("row"), false}, blocks, kShape).bytes, 0);
  // Three shards come in from both sides of the columns' ring of four: whole ones, then halves of the last.
  const Resharding there = resharding(mesh, chip.on, blocks, {P("row"), false}, kShape);
  const double shard = 2.0 * 32 * 16 / (*chip.hardware.link.bytes_per_s * chip.hardware.link.efficiency);
  EXPECT_NEAR(there.seconds, 2 * *chip.hardware.link.latency_s + 1.5 * shard, 4e-12);
}

TEST(Resharding, StoredTransposesAreComparedAsTheSameArray) {
  const Mesh mesh = *Mesh::parse("row=2,col=2");
  Chip chip;
  const StoredArray plain{P("row", "col"), false};
  const StoredArray same_blocks{P("col", "row"), true};
  EXPECT_EQ(resharding(mesh, chip.on, plain, same_blocks, kShape).bytes, 0);
  EXPECT_GT(resharding(mesh, chip.on, plain, same_blocks, kShape).seconds, 0);  // transposed in place
  EXPECT_GT(resharding(mesh, chip.on, plain, {P("row", "col"), true}, kShape).bytes, 0);
}

// Of every two layouts; by links, by one port, measured, and by a link for each pair.
TEST(Resharding, NoProgramBeatsTheBound) {
  for (const char* name : {"tpu-v5e", "h200", "b200", "cpu-host"}) {
    Chip chip(name);
    for (const char* text : {"row=2,col=4", "row=4,col=4", "row=8"}) {
      const Mesh mesh = *Mesh::parse(text);
      std::vector<PartitionSpec> specs = {P("", ""), P("row", ""), P("", "row")};
      if (mesh.rank() == 2)
        specs.insert(specs.end(), {P("row", "col"), P("col", "row"), P("", "col"), {{{"row", "col"}, {}}}});
      std::vector<StoredArray> layouts;
      for (const PartitionSpec& spec : specs) {
        for (const bool transposed : {false, true}) layouts.push_back({spec, transposed});
      }
      const LeastResharding least(mesh, chip.hardware, layouts);
      for (const int64_t extent : {64, 4096}) {
        const Shape shape = Shape::array(ElementType::bf16, {extent, extent});
        int64_t positive = 0;
        for (size_t a = 0; a < layouts.size(); ++a) {
          for (size_t b = 0; b < layouts.size(); ++b) {
            const double bound = least.seconds(a, b, static_cast<double>(shape.bytes()));
            const Resharding moved = resharding(mesh, chip.on, layouts[a], layouts[b], shape);
            EXPECT_LE(bound, moved.seconds * (1 + 1e-9)) << name << " " << text << " " << a << " " << b;
            positive += bound > 0 ? 1 : 0;
          }
        }
        EXPECT_GT(positive, 0);
      }
    }
  }
}

}  // namespace
}  // namespace shardscope::resharding_test
