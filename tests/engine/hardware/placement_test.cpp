// SPDX-License-Identifier: Apache-2.0
// Axes that are put on nodes and on the network by name.
#include "engine/hardware/placement.h"

#include <gtest/gtest.h>

#include "engine/hardware/fabric.h"

namespace shardscope::placement_test {
namespace {

Hardware gpu() {
  Hardware out = find_hardware("h100").value();
  EXPECT_EQ(out.node_devices, 8);
  return out;
}

Result<PlacedMesh> place(const char* mesh, const char* places) {
  return placed(Mesh::parse(mesh).value(), gpu(), parse_placement(places).value());
}

// By device, the node that its chip is on.
std::vector<int64_t> nodes_of(const PlacedMesh& it) {
  std::vector<int64_t> out;
  for (int32_t d = 0; d < it.mesh.device_count(); ++d)
    out.push_back(it.mesh.chip_of(DeviceId(d)) / *it.hardware.node_devices);
  return out;
}

TEST(Placement, AnAxisOnTheNetworkLeavesItsNodeAtEachStepHoweverFewDevicesThereAre) {
  const auto by_node = place("node=2,gpu=4", "node=network");
  ASSERT_TRUE(by_node.ok()) << by_node.error().text();
  EXPECT_EQ(nodes_of(*by_node), (std::vector<int64_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(topology_of(by_node->hardware, 8), Topology::two_level);
  const auto by_gpu = place("node=2,gpu=4", "gpu=network");
  EXPECT_EQ(nodes_of(*by_gpu), (std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(words_of(axis_places(by_gpu->mesh, by_gpu->hardware)),
            "node stays within a node, gpu goes over the network");
}

TEST(Placement, AnAxisWithinANodeStaysThereWhereverItStands) {
  const auto it = place("tp=4,dp=16", "tp=node");
  ASSERT_TRUE(it.ok()) << it.error().text();
  EXPECT_EQ(it->hardware.node_devices, 8);
  const AxisPlaces places = axis_places(it->mesh, it->hardware);
  EXPECT_EQ(places.within, (std::vector<std::string>{"tp"}));
  EXPECT_EQ(places.leaving, (std::vector<std::string>{"dp"}));
}

// 12 chips that no axis on the network joins: two nodes of 6 of their 8.
TEST(Placement, NodesHaveOneSize) {
  const auto it = place("a=2,b=12", "a=network");
  EXPECT_EQ(it->hardware.node_devices, 6);
  EXPECT_EQ(axis_places(it->mesh, it->hardware).nodes, 4);
}

TEST(Placement, NothingSaidChangesNothing) {
  const auto it = place("a=2,b=12", "");
  EXPECT_EQ(it->mesh, Mesh::parse("a=2,b=12").value());
  EXPECT_EQ(it->hardware, gpu());
  const auto within = place("a=2,b=4", "a=node");
  EXPECT_EQ(within->hardware, gpu());
  EXPECT_EQ(axis_places(within->mesh, within->hardware).nodes, 0);
}

TEST(Placement, SaysWhatDoesNotFit) {
  const auto why = [](const char* mesh, const char* places) { return place(mesh, places).error().text(); };
  EXPECT_NE(why("a=2,b=16", "b=node").find("16 devices, a node of h100 has 8"), std::string::npos);
  EXPECT_NE(why("a=2,b=16", "c=node").find("unknown mesh axis 'c'"), std::string::npos);
  const Mesh turned = Mesh::make({{"a", 2, true}}, {1, 0}).value();
  EXPECT_NE(placed(turned, gpu(), parse_placement("a=network").value()).error().text().find("order"),
            std::string::npos);
  const Hardware tpu = find_hardware("tpu-v5e").value();
  const auto refused = placed(Mesh::parse("a=2").value(), tpu, parse_placement("a=network").value());
  EXPECT_NE(refused.error().text().find("the chips of tpu-v5e are a torus"), std::string::npos);
  EXPECT_NE(parse_placement("a=rack").error().text().find("got 'a=rack'"), std::string::npos);
  EXPECT_NE(parse_placement("a=node,a=node").error().text().find("there twice"), std::string::npos);
}

TEST(Placement, IsReadBackFromItsText) {
  const AxisPlacement it = parse_placement(" row = network, col=node").value();
  EXPECT_EQ(text(it), "col=node,row=network");
  EXPECT_EQ(parse_placement(text(it)).value(), it);
}

}  // namespace
}  // namespace shardscope::placement_test
