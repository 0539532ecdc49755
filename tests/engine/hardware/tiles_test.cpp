// SPDX-License-Identifier: Apache-2.0
// Products by the tiles of a library, and rates of other work: what a file says of them, and what they take.
#include <gtest/gtest.h>

#include "engine/hardware/cost.h"

namespace shardscope::tiles_test {
namespace {

const std::string kChip =
    "name = \"c\"\ntopology = \"switch\"\n[compute]\npeak_flops_per_s = { bf16 = 1e12, f32 = 1e11 }\n"
    "[memory]\nhbm_bytes_per_s = 1e12\nhbm_efficiency = 0.5\n";
const std::string kTiles =
    "[[product]]\ntypes = [\"bf16\"]\ntiles = [\"100x100x10\", \"50x50x10\"]\nshares = [1.0, 0.5]\nunits = "
    "4\n"
    "efficiency = 0.8\nhbm_efficiency = 0.4\nlaunch_s = 2e-6\nwave_s = 1e-7\nsplit_s = 3e-6\n";

Hardware chip(const std::string& more) {
  const auto read = parse_hardware(kChip + more, "c.toml");
  EXPECT_TRUE(read.ok()) << read.error().text();
  return read.ok() ? *read : Hardware();
}

TEST(ProductTiles, AreReadPrintedAndReadBackEqual) {
  const Hardware hw = chip(kTiles + "[[work]]\nkind = \"softmax\"\nlaunch_s = 1e-6\nhbm_efficiency = 0.3\n");
  ASSERT_EQ(hw.products.size(), 1u);
  EXPECT_EQ(hw.products[0].tiles[1].size, (std::array<int64_t, 3>{50, 50, 10}));
  EXPECT_EQ(hw.products[0].tiles[1].share, 0.5);
  const auto again = parse_hardware(hardware_toml(hw), "again.toml");
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(*again, hw);
}

TEST(ProductTiles, MistakesNameTheirPlace) {
  const auto error = [](const std::string& more) {
    const auto read = parse_hardware(kChip + more, "c.toml");
    return read.ok() ? std::string() : read.error().text();
  };
  EXPECT_NE(error("[[product]]\ntypes = [\"bf16\"]\ntiles = [\"100x100\"]\n").find("'100x100' is no tile"),
            std::string::npos);
  EXPECT_NE(error("[[product]]\ntypes = [\"bf16\"]\n").find("'tiles' is missing"), std::string::npos);
  EXPECT_NE(error("[[product]]\ntiles = [\"8x8x8\"]\n").find("'types' is missing"), std::string::npos);
  EXPECT_NE(error(kTiles + kTiles).find("bf16 stands in two"), std::string::npos);
  EXPECT_NE(
      error("[[product]]\ntypes = [\"bf16\"]\ntiles = [\"8x8x8\"]\nshares = [1, 1]\n").find("2 shares of 1"),
      std::string::npos);
  EXPECT_NE(error("[[work]]\nkind = \"sofmax\"\n").find("did you mean 'softmax'"), std::string::npos);
  EXPECT_NE(error("[[work]]\nkind = \"add\"\n[[work]]\nkind = \"add\"\n").find("'add' stands twice"),
            std::string::npos);
}

// 200×200 in tiles of 100×100 on 4 units: one wave of 2·100·100·400 flops at 0.2e12 a unit, and what a wave
// takes more.
TEST(ProductTiles, AWaveTakesAsLongAsItsTiles) {
  const Hardware hw = chip(kTiles);
  const Peak peak = peak_for(hw, ElementType::bf16).value();
  const TileChoice one = fastest_tiles(hw, hw.products[0], peak, {1, 200, 400, 200}, 0);
  EXPECT_EQ(one.waves, 1);
  EXPECT_EQ(one.parts, 1);
  EXPECT_EQ(one.tile[0], 100);
  EXPECT_NEAR(one.compute_s, 8e6 / 0.2e12 + 1e-7, 1e-12);
  // A row more: 2 × 3 tiles are two waves, of which the second is half empty.
  const TileChoice two = fastest_tiles(hw, hw.products[0], peak, {1, 200, 400, 201}, 0);
  EXPECT_EQ(two.waves, 2);
  EXPECT_GT(two.compute_s, 1.9 * one.compute_s);
}

TEST(ProductTiles, ADeepProductOfFewTilesDealsItsKToo) {
  const Hardware hw = chip(kTiles);
  const Peak peak = peak_for(hw, ElementType::bf16).value();
  const TileChoice deep = fastest_tiles(hw, hw.products[0], peak, {1, 100, 40000, 100}, 0);
  EXPECT_EQ(deep.parts, 4);
  EXPECT_LT(deep.compute_s, 0.3 * 2.0 * 100 * 100 * 40000 / 0.2e12);
}

// Each wave ends with 4 tiles of 100×100 of 2 bytes; their sides, 200·400 of 2 bytes a tile, and the result
// come through the cache.
TEST(ProductTiles, ResultsAreWrittenAtAWavesEndAndSidesComeThroughTheCache) {
  const std::string row =
      "[[product]]\ntypes = [\"bf16\"]\ntiles = [\"100x100x10\"]\nunits = 4\nunaligned_share = 0.25\n"
      "write_bytes_per_s = 1e9\ncache_bytes_per_s = 1e9\n";
  const Hardware hw = chip(row);
  EXPECT_EQ(*parse_hardware(hardware_toml(hw), "again.toml"), hw);
  const Peak peak = peak_for(hw, ElementType::bf16).value();
  const TileChoice one = fastest_tiles(hw, hw.products[0], peak, {1, 200, 400, 200}, 0);
  EXPECT_NEAR(one.compute_s, 8e6 / 0.25e12 + 8e4 / 1e9, 1e-12);
  EXPECT_NEAR(one.memory_s, (4 * 200 * 400 * 2 + 200 * 200 * 2) / 1e9, 1e-12);
  // Rows of 401 elements of 2 bytes are no multiple of 16 bytes; k is padded to 410.
  const TileChoice odd = fastest_tiles(hw, hw.products[0], peak, {1, 200, 401, 200}, 0);
  EXPECT_NEAR(odd.compute_s, 4 * 8.2e6 / 0.25e12 + 8e4 / 1e9, 1e-12);
}

// 800×400 in tiles of 100×100 on 4 units are 8 waves; each tile takes 40 steps through k. Where a unit holds
// 4 tiles at once, they fill, empty and step together.
TEST(ProductTiles, TilesOnAUnitWaitTogether) {
  const std::string row =
      "[[product]]\ntypes = [\"bf16\"]\ntiles = [\"100x100x10\"]\nunits = 4\nwave_s = 1e-6\nstep_s = 1e-7\n";
  const auto seconds = [&](const std::string& more) {
    const Hardware hw = chip(row + more);
    EXPECT_EQ(*parse_hardware(hardware_toml(hw), "again.toml"), hw);
    return fastest_tiles(hw, hw.products[0], peak_for(hw, ElementType::bf16).value(), {1, 800, 400, 400}, 0)
        .compute_s;
  };
  const double arithmetic = 8 * 8e6 / 0.25e12, waits = 1e-6 + 40 * 1e-7;
  EXPECT_NEAR(seconds(""), arithmetic + 8 * waits, 1e-12);
  EXPECT_NEAR(seconds("unit_elements = 45000\n"), arithmetic + 2 * waits, 1e-12);
  EXPECT_NEAR(seconds("unit_elements = 1000000\n"), arithmetic + 2 * waits, 1e-12) << "4 at most";
}

TEST(ProductTiles, WhatTheShorterDoesNotHideComesOnTop) {
  const std::string row =
      "[[product]]\ntypes = [\"bf16\"]\ntiles = [\"100x100x10\"]\nunits = 4\nmixing = 2\n";
  const Hardware hw = chip(row);
  EXPECT_EQ(*parse_hardware(hardware_toml(hw), "again.toml"), hw);
  const Peak peak = peak_for(hw, ElementType::bf16).value();
  // 32 µs of arithmetic and 24 µs of traffic.
  const TileChoice tiles = fastest_tiles(hw, hw.products[0], peak, {1, 200, 400, 200}, 24'000'000);
  EXPECT_NEAR(tiles.compute_s, 40e-6, 1e-12);
  EXPECT_NEAR(tiles.memory_s, 24e-6, 1e-12);
  EXPECT_EQ(product_cost(hw, peak, {1, 200, 400, 200}, 24'000'000)->total(), 40'000'000);
  EXPECT_NE(
      parse_hardware(kChip + "[[product]]\ntypes = [\"bf16\"]\ntiles = [\"8x8x8\"]\nmixing = 0.5\n", "c.toml")
          .error()
          .text()
          .find("'mixing' must be at least 1, got 0.5"),
      std::string::npos);
}

// By a kernel for vectors: at the memory's own rate, not that of products by tiles.
TEST(ProductTiles, AProductOfOneRowReadsItsMatrixOnce) {
  const Hardware hw = chip(kTiles);
  const Peak peak = peak_for(hw, ElementType::bf16).value();
  for (const ProductSize& size : {ProductSize{1, 1, 1000, 1000}, ProductSize{1, 1000, 1000, 1}}) {
    const Cost cost = product_cost(hw, peak, size, 2'004'000).value();
    EXPECT_EQ(cost.memory, to_picoseconds(2.004e6 / 0.5e12));
    EXPECT_EQ(cost.compute, 0);
  }
}

TEST(ProductTiles, TheLongerOfTilesAndBytesCountsAndTheLaunch) {
  const Hardware hw = chip(kTiles);
  const Peak peak = peak_for(hw, ElementType::bf16).value();
  const Cost cost = product_cost(hw, peak, {1, 10, 10, 10}, 4'000'000).value();
  EXPECT_EQ(cost.memory, to_picoseconds(4e6 / 0.4e12));
  EXPECT_EQ(cost.compute, 0);
  EXPECT_EQ(cost.overhead, to_picoseconds(2e-6));
  // f32 has no tiles: by the peak.
  const Cost plain = product_cost(hw, peak_for(hw, ElementType::f32).value(), {1, 100, 100, 100}, 8).value();
  EXPECT_EQ(plain.compute, to_picoseconds(2e6 / 1e11));
}

TEST(WorkRates, AreThoseOfTheirKindAndTheMemorysOfOthers) {
  const Hardware hw = chip("[[work]]\nkind = \"softmax\"\nlaunch_s = 1e-6\nhbm_efficiency = 0.25\n");
  EXPECT_EQ(work_cost(hw, "softmax", 1'000'000)->total(), to_picoseconds(4e-6) + to_picoseconds(1e-6));
  EXPECT_EQ(work_cost(hw, "gelu", 1'000'000)->total(), to_picoseconds(2e-6));
}

// From half of the time on, down to 0.8 of the speed where nothing else runs.
TEST(Programs, ProductsSlowDownAsFarAsTheyFillTheTime) {
  const Hardware hw =
      chip("[program]\nalone_launch_s = 3e-6\nscratch_s = 4e-6\nsustained = 0.8\nsustained_from = 0.5\n");
  EXPECT_EQ(*parse_hardware(hardware_toml(hw), "again.toml"), hw);
  EXPECT_EQ(sustained_slowdown(hw, 0.5), 1);
  EXPECT_DOUBLE_EQ(sustained_slowdown(hw, 0.75), 1.125);
  EXPECT_DOUBLE_EQ(sustained_slowdown(hw, 1), 1.25);
  EXPECT_EQ(sustained_slowdown(chip(""), 1), 1);
  EXPECT_NE(parse_hardware(kChip + "[program]\nsustained_from = 1\n", "c.toml")
                .error()
                .text()
                .find("'sustained_from' must be less than 1, got 1; c.toml:9:18"),
            std::string::npos);
}

}  // namespace
}  // namespace shardscope::tiles_test
