// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/permutation.h"

#include <gtest/gtest.h>

namespace shardscope::permutation_test {
namespace {

SourceTarget pair(int64_t source, int64_t target) {
  return {DeviceId(source), DeviceId(target)};
}

TEST(Permutation, a_shift_sends_round_every_ring) {
  const Mesh mesh = *Mesh::parse("row=2,col=3");
  const Permutation up = Permutation::shift(mesh, 1, 1);
  EXPECT_EQ(up.target_of(DeviceId(2)), DeviceId(0));
  EXPECT_EQ(up.target_of(DeviceId(4)), DeviceId(5));
  EXPECT_EQ(up.source_of(DeviceId(0)), DeviceId(2));
  EXPECT_EQ(up, Permutation::shift(mesh, 1, -2));
  EXPECT_EQ(up, Permutation::shift(mesh, 1, 4));
  EXPECT_EQ(up.cycles(), (std::vector<std::vector<DeviceId>>{{DeviceId(0), DeviceId(1), DeviceId(2)},
                                                             {DeviceId(3), DeviceId(4), DeviceId(5)}}));
  EXPECT_TRUE(Permutation::shift(mesh, 1, 0).cycles().empty());
}

TEST(Permutation, an_open_chain_is_no_cycle) {
  const Permutation chain = *Permutation::make({pair(0, 1), pair(1, 2)}, 4);
  EXPECT_TRUE(chain.cycles().empty());
  EXPECT_FALSE(chain.source_of(DeviceId(0)).valid());
  EXPECT_FALSE(chain.target_of(DeviceId(3)).valid());
}

TEST(Permutation, doubled_and_unknown_devices_are_refused) {
  EXPECT_EQ(Permutation::make({pair(0, 1), pair(0, 2)}, 4).error().what, "device 0 is a source twice");
  EXPECT_EQ(Permutation::make({pair(0, 1), pair(2, 1)}, 4).error().what, "device 1 is a target twice");
  EXPECT_EQ(Permutation::make({pair(0, 4)}, 4).error().what,
            "device 4 in source_target_pairs, expected 0 to 3");
  EXPECT_FALSE(Permutation::make({pair(-1, 0)}, 4).ok());
}

TEST(Hops, the_shortest_way_wraps_where_the_axis_wraps) {
  const Mesh torus = *Mesh::parse("row=4,col=8");
  const Mesh open = *with_wrap(torus, "none");
  const DeviceId origin = torus.device_at({0, 0});
  EXPECT_EQ(hop_count(torus, origin, torus.device_at({3, 7})), 2);
  EXPECT_EQ(hop_count(open, origin, open.device_at({3, 7})), 10);
  EXPECT_EQ(hop_count(torus, origin, torus.device_at({2, 4})), 6);
  EXPECT_EQ(hop_count(torus, origin, origin), 0);
}

TEST(Hops, are_counted_between_chips_not_between_ids) {
  const Mesh mesh = *Mesh::make({{"x", 4, false}}, {0, 2, 1, 3});
  EXPECT_EQ(hop_count(mesh, DeviceId(0), DeviceId(1)), 2);
  EXPECT_EQ(hop_count(mesh, DeviceId(0), DeviceId(2)), 1);
}

}  // namespace
}  // namespace shardscope::permutation_test
