// SPDX-License-Identifier: Apache-2.0
// Which node devices are on, and how many of a group each has.
#include "engine/hardware/nodes.h"

#include <gtest/gtest.h>

namespace shardscope::nodes_test {
namespace {

Fabric fabric(int64_t chips) {
  const Hardware chip =
      parse_hardware(
          "name = 'c'\ntopology = 'switch'\n[link]\nbytes_per_s = 1e9\nlatency_s = 1e-6\n[node]\n"
          "devices = 4\n[network]\nbytes_per_s = 1e8\nlatency_s = 1e-5\n",
          "c.toml")
          .value();
  return Fabric::make(Mesh::make({{"x", chips}}).value(), chip).value();
}

TEST(Nodes, HaveTheirChipsOneAfterTheOther) {
  const Fabric of = fabric(12);
  EXPECT_EQ(node_of(of, 3), 0);
  EXPECT_EQ(node_of(of, 4), 1);
  EXPECT_TRUE(on_one_node(of, {4, 7, 5}));
  EXPECT_FALSE(on_one_node(of, {3, 4}));
  EXPECT_TRUE(on_one_node(of, {}));
  EXPECT_TRUE(on_one_node(fabric(4), {0, 3})) << "one level";
}

TEST(Nodes, AGroupHasMembersPerNodeWhereTheyComeInOrderAndAsManyOfEach) {
  const Fabric of = fabric(12);
  EXPECT_EQ(members_per_node(of, {0, 1, 4, 5, 8, 9}), 2);
  EXPECT_EQ(members_per_node(of, {0, 4, 8}), 1);
  EXPECT_EQ(members_per_node(of, {0, 1, 2, 3}), 0) << "all on one node";
  EXPECT_EQ(members_per_node(of, {0, 1, 4}), 0) << "not as many of each";
  EXPECT_EQ(members_per_node(of, {0, 1, 4, 0}), 0);
  EXPECT_EQ(members_per_node(of, {}), 0);
  EXPECT_EQ(members_per_node(fabric(4), {0, 1}), 0) << "one level";
}

}  // namespace
}  // namespace shardscope::nodes_test
