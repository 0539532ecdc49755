// SPDX-License-Identifier: Apache-2.0
#include "engine/run/timeline.h"

#include <gtest/gtest.h>
#include <string>

#include "engine/run/run.h"

namespace shardscope::timeline_test {
namespace {

Timeline two_devices() {
  Timeline t;
  t.devices = 2;
  t.total = 1000;
  t.totals.resize(2);
  t.totals[0] = {600, 500, 200, 200, 10, 20, 8, 4, 2, 100};
  t.totals[1] = {600, 400, 300, 100, 30, 40, 16, 8, 0, 300};
  t.critical_path = {{}, 100, 200, 50, 600, 50};
  return t;
}

TEST(Summary, IsOfTheDeviceWithTheMostExposedCommunication) {
  const SimulatedSummary s = summarise(two_devices());
  EXPECT_EQ(s.device, 1);
  EXPECT_DOUBLE_EQ(s.total_s, 1000e-12);
  EXPECT_DOUBLE_EQ(s.comm_s, 400e-12);
  EXPECT_DOUBLE_EQ(s.exposed_comm_s, 300e-12);
  EXPECT_DOUBLE_EQ(s.idle_s, 100e-12);
  ASSERT_TRUE(s.overlap.has_value());
  EXPECT_DOUBLE_EQ(*s.overlap, 0.25);
  EXPECT_EQ(s.bound, "bandwidth");
}

TEST(Summary, TakesTheLowestDeviceOfEquals) {
  Timeline t = two_devices();
  t.totals[0].exposed = 300;
  EXPECT_EQ(summarise(t).device, 0);
}

TEST(Summary, HasNoOverlapWithoutCommunication) {
  Timeline t = two_devices();
  for (DeviceTotals& d : t.totals) d.comm = d.exposed = 0;
  EXPECT_FALSE(summarise(t).overlap.has_value());
  EXPECT_EQ(summarise(Timeline()).total_s, 0);
}

TEST(Summary, MeansAndWorstOverDevices) {
  const PerDevice mean = mean_per_device(two_devices());
  EXPECT_EQ(mean.flops, 20);
  EXPECT_EQ(mean.bytes_sent, 12);
  EXPECT_EQ(mean.bytes_received, 6);
  EXPECT_EQ(mean.bytes_relayed, 1);
  EXPECT_EQ(mean.peak_bytes, 200);
  const PerDevice most = max_per_device(two_devices());
  EXPECT_EQ(most.flops, 30);
  EXPECT_EQ(most.bytes_relayed, 2);
  EXPECT_EQ(most.peak_bytes, 300);
}

TEST(Names, AreTheWordsOfTheCommandLine) {
  EXPECT_EQ(std::string(name(Fill::arange)), "arange");
  EXPECT_EQ(std::string(name(RunStatus::cancelled)), "cancelled");
}

}  // namespace
}  // namespace shardscope::timeline_test
