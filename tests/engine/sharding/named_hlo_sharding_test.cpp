// SPDX-License-Identifier: Apache-2.0
// XLA's shardings on named axes (V3) are the same values as their V2 forms.
#include <gtest/gtest.h>

#include "engine/sharding/hlo_sharding.h"

namespace shardscope::named_hlo_sharding_test {
namespace {

std::string canonical(std::string_view text) {
  const auto sharding = HloSharding::parse(text);
  return sharding.ok() ? sharding->text() : sharding.error().text();
}

TEST(NamedHloSharding, IsTheV2FormOfItsAxes) {
  EXPECT_EQ(canonical("{mesh['a'=4,'b'=2], [{'a'}, {'b'}]}"), "{devices=[4,2]<=[8]}");
  EXPECT_EQ(canonical("{mesh['a'=4,'b'=2], [{'b'}, {'a'}]}"), "{devices=[2,4]<=[4,2]T(1,0)}");
  EXPECT_EQ(canonical("{mesh['a'=4,'b'=2], [{'a'}, {}]}"), "{devices=[4,1,2]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(canonical("{mesh['a'=4,'b'=2], [{'b','a'}, {?}]}"), "{devices=[8,1]<=[4,2]T(1,0)}");
  EXPECT_EQ(canonical("{mesh['a'=2,'b'=4], [{'a', ?}, {'b':(2)2}]}"),
            "{devices=[2,2,2]<=[2,2,2]T(0,2,1) last_tile_dim_replicate}");
  EXPECT_EQ(canonical("{mesh['a'=2,'b'=2], [{'a'}], manual={'b'}}"),
            "{devices=[2,2]<=[4] last_tile_dims={manual}}");
  EXPECT_EQ(canonical("{mesh['a'=2,'b'=2], [{'a'}], unreduced=max{'b'}, metadata={{op_name=\"x\"}}}"),
            "{devices=[2,2]<=[4] last_tile_dims={unreduced}}");
}

TEST(NamedHloSharding, ReadsDeviceOrders) {
  EXPECT_EQ(canonical("{mesh['a'=2,'b'=2, device_ids=(0,2,1,3)], [{'a'}, {'b'}]}"),
            "{devices=[2,2]<=[2,2]T(1,0)}");
  EXPECT_EQ(canonical("{mesh['a'=4], device_ids=([2,2]T(1,0)), [{'a'}]}"), "{devices=[4]<=[2,2]T(1,0)}");
}

TEST(NamedHloSharding, ReadsPlainKinds) {
  EXPECT_EQ(canonical("{mesh['a'=2], replicated}"), "{replicated}");
  EXPECT_EQ(canonical("{mesh[], replicated}"), "{replicated}");
  EXPECT_EQ(canonical("{mesh['a'=2], manual}"), "{manual}");
  EXPECT_EQ(canonical("{maximal_mesh[device_id=5]}"), "{maximal device=5}");
}

TEST(NamedHloSharding, StandsBesideV2InATuple) {
  const auto leaves = HloSharding::parse_tuple("{{mesh['a'=2], [{'a'}]}, {replicated}, {devices=[2]<=[2]}}");
  ASSERT_TRUE(leaves.ok()) << leaves.error().text();
  ASSERT_EQ(leaves->size(), 3u);
  EXPECT_EQ((*leaves)[0], (*leaves)[2]);
}

TEST(NamedHloSharding, SaysWhatIsWrong) {
  EXPECT_EQ(canonical("{mesh['a'=2], [{'b'}]}"), "axis 'b' is not in the mesh; sharding column 17");
  EXPECT_EQ(canonical("{mesh['a'=2,'a'=2], [{'a'}]}"), "axis 'a' is there twice; sharding column 13");
  EXPECT_NE(canonical("{mesh['a'=2], [{'a'},{'a'}]}").find("axis 'a' is used twice"), std::string::npos);
  EXPECT_NE(canonical("{mesh['a'=6], [{'a':(4)2}]}").find("does not divide"), std::string::npos);
  EXPECT_NE(canonical("{mesh['a'=0], [{}]}").find("axis size 0"), std::string::npos);
  EXPECT_NE(canonical("{mesh['a'=2, device_ids=(0,0)], [{}]}").find("each device"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::named_hlo_sharding_test
