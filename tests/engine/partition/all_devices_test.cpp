// SPDX-License-Identifier: Apache-2.0
// Modules whose shardings are on some of the devices, or on an unknown number of them.
#include <gtest/gtest.h>

#include "engine/partition/entry/partition.h"

namespace shardscope::all_devices_test {
namespace {

// A partitioned module of these lines on so many devices.
Result<Partitioned> split_on(const std::string& lines, int64_t devices) {
  const auto module = parse_program("HloModule m\nENTRY e {\n" + lines + "\n}\n");
  if (!module.ok()) return module.error();
  PartitionOptions how;
  how.devices = devices;
  how.propagate = true;
  return partition(*module, how);
}

TEST(AllDevices, WhatAShardingLeavesOutHoldsCopies) {
  const auto made =
      split_on("p = f32[8,8] parameter(0), sharding={devices=[2,1]0,1}\nROOT n = f32[8,8] negate(p)", 4);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made->program->mesh.device_count(), 4);
  EXPECT_EQ(made->parameters.at(0).text(), "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(made->notes.back(),
            "sharding {devices=[2,1]<=[2]} is on devices 0, 1 of 4 only; the others hold copies, as "
            "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate} says");
}

TEST(AllDevices, ASubsetThatCannotBeSharedOutIsRefusedWithWhatToDo) {
  const auto made =
      split_on("p = f32[9,8] parameter(0), sharding={devices=[3,1]0,1,2}\nROOT n = f32[9,8] negate(p)", 4);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().what.find("names 3 devices, expected 0 to 3"), std::string::npos)
      << made.error().what;
  EXPECT_NE(made.error().fix.find("last_tile_dim_replicate"), std::string::npos) << made.error().fix;
}

TEST(AllDevices, AModuleThatSaysNothingIsReplicatedOnAsManyAsAsked) {
  const auto made = split_on("p = f32[8,8] parameter(0)\nROOT n = f32[8,8] negate(p)", 128);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made->program->mesh.device_count(), 128);
  EXPECT_EQ(made->parameters.at(0).text(), "{replicated}");
}

TEST(AllDevices, AnArrayOfOneDeviceIsOnAllOfThem) {
  const auto made = split_on(
      "p = f32[8,8] parameter(0), sharding={maximal device=1}\nq = f32[8,8] parameter(1), "
      "sharding={devices=[4,1]<=[4]}\nROOT n = f32[8,8] add(p, q)",
      4);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made->results.size(), 1u);
}

}  // namespace
}  // namespace shardscope::all_devices_test
