// SPDX-License-Identifier: Apache-2.0
// Shardings read as JAX writes them, and what is still to be added up says so.
#include "engine/sharding/sharding_text.h"

#include <gtest/gtest.h>

namespace shardscope::sharding_text_test {
namespace {

Mesh mesh() {
  return *Mesh::make({{"data", 2, true}, {"model", 2, true}});
}
HloSharding sharding(const char* text) {
  return *HloSharding::parse(text);
}

TEST(ShardingText, IsASpecWithEveryDimensionWrittenOut) {
  EXPECT_EQ(sharding_text(sharding("{devices=[2,1,2]<=[4] last_tile_dim_replicate}"), mesh(), 2),
            "P('data', None)");
  EXPECT_EQ(sharding_text(sharding("{devices=[4,1]<=[4]}"), mesh(), 2), "P(('data', 'model'), None)");
  EXPECT_EQ(sharding_text(sharding("{replicated}"), mesh(), 3), "P(None, None, None)");
}

TEST(ShardingText, IsXlasWhereNoAxesSayIt) {
  EXPECT_EQ(sharding_text(sharding("{devices=[4]0,3,1,2}"), mesh(), 1), "{devices=[4]0,3,1,2}");
  EXPECT_EQ(sharding_text(sharding("{devices=[8]<=[8]}"), mesh(), 1), "{devices=[8]<=[8]}");
}

TEST(ShardingText, PartialSumsNameTheirAxes) {
  const HloSharding partial = sharding("{devices=[2,1,2]<=[4] last_tile_dims={unreduced}}");
  EXPECT_EQ(sharding_text(partial, mesh(), 2), "P('data', None) with partial sums over model");
  EXPECT_EQ(spec_text(partial, mesh(), 2), "P('data', None, unreduced={'model'})");
}

}  // namespace
}  // namespace shardscope::sharding_text_test
