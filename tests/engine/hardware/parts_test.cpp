// SPDX-License-Identifier: Apache-2.0
// What chips say of NCCL: the parts that a permute is sent in, and the generation that its model goes by.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "engine/hardware/cost.h"
#include "engine/hardware/hardware.h"

namespace shardscope::parts_test {
namespace {

TEST(HardwareFile, refuses_parts_and_generations_that_are_none) {
  const std::string head = "name = 'chip'\ntopology = 'switch'\n";
  const std::string permute = head + "[[link.op]]\nkind = 'collective-permute'\n";
  const std::string parts = "parts = { channels = 32, bytes = 1e6, bytes_per_s = 2e9";
  const auto error_of = [](const std::string& toml) {
    const auto read = parse_hardware(toml, "chip.toml");
    return read.ok() ? std::string("none") : read.error().text();
  };
  EXPECT_EQ(error_of(permute + parts + " }\n"),
            "'parts' goes with the bytes_per_s of a collective-permute or an all-to-all; chip.toml:5:9");
  EXPECT_EQ(error_of(head + "[[link.op]]\nkind = 'all-gather'\nbytes_per_s = 1e9\n" + parts + " }\n"),
            "'parts' goes with the bytes_per_s of a collective-permute or an all-to-all; chip.toml:6:9");
  EXPECT_EQ(error_of(permute + "bytes_per_s = 3e11\n" + parts + ", small_bytes = 1 }\n"),
            "'parts' has no small_bytes_per_s; chip.toml:6:9; write it as { channels = 32, bytes = 16777216, "
            "bytes_per_s = 20e9 }");
  EXPECT_EQ(error_of(head + "[nccl]\ngeneration = 'kepler'\n"),
            "'generation' must be one of ampere, hopper, blackwell, got 'kepler'; chip.toml:4:14");
}

TEST(HardwareFile, parts_of_permutes_and_the_generation_of_nccl_are_read) {
  const Hardware h = find_hardware("h100").value();
  ASSERT_TRUE(h.nccl);
  EXPECT_EQ(*h.nccl, (Hardware::Nccl{"hopper", "intel"}));
  const LinkOp* permute = link_op(h, "collective-permute", 8);
  ASSERT_TRUE(permute != nullptr && permute->parts);
  EXPECT_EQ(permute->parts->channels, 32);
  EXPECT_EQ(permute->parts->bytes, 16 << 20);
  EXPECT_GT(*permute->parts->one_peer_bytes_per_s, permute->parts->bytes_per_s);
}

TEST(HardwareFile, rows_of_an_axis_and_the_efficiency_of_a_network_are_written_as_they_are_read) {
  const std::string head =
      "name = 'chip'\ntopology = 'switch'\n[node]\ndevices = 8\n[network]\nbytes_per_s = 5e10\n"
      "efficiency = 0.83\n";
  const std::string row = "[[link.op]]\nkind = 'all-gather'\naxis = 1\nbytes_per_s = 8e10\n";
  const auto read = parse_hardware(head + row, "chip.toml");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(*read->network_efficiency, 0.83);
  EXPECT_EQ(parse_hardware(hardware_toml(*read), "again.toml").value(), *read);
  EXPECT_EQ(link_op(*read, "all-gather", 4), nullptr) << "only what says its axis goes by it";
  ASSERT_NE(link_op(*read, "all-gather", 4, 1), nullptr);
  EXPECT_EQ(link_op(*read, "all-gather", 4, 0), nullptr);
  EXPECT_EQ(key_of(*link_op(*read, "all-gather", 4, 1)), "link.op.all-gather.axis1");
  EXPECT_NE(parse_hardware(head + row + row, "chip.toml").error().text().find("stands twice"),
            std::string::npos);
  EXPECT_NE(parse_hardware(head + "[[link.op]]\nkind = 'all-gather'\naxis = -1\n", "chip.toml")
                .error()
                .text()
                .find("an axis is 0 or more, got -1"),
            std::string::npos);
}

// Of 8 ranks each has 4 of 32 channels, then 8 and 16 of them, until no part is larger than 16 MiB.
TEST(Parts, are_channels_that_double_with_the_message) {
  LinkOp op{"collective-permute", std::nullopt, 10e-6, 0, 300e9, std::nullopt, false};
  op.parts = LinkOp::Parts{32, 16 << 20, 20e9, 30e9, 5e-6, 512 << 10, 4e9};
  const auto time = [&](double bytes, bool one_peer = false) {
    return collective_s(Hardware(), op, {8, 1, bytes, bytes, one_peer}).value();
  };
  const double mib = 1 << 20;
  EXPECT_DOUBLE_EQ(time(mib / 2), 10e-6 + mib / 2 / 16e9) << "another protocol";
  EXPECT_DOUBLE_EQ(time(mib), 15e-6 + mib / 80e9);
  EXPECT_DOUBLE_EQ(time(64 * mib), 15e-6 + 64 * mib / 80e9);
  EXPECT_DOUBLE_EQ(time(65 * mib), 15e-6 + 65 * mib / 160e9) << "twice as many";
  EXPECT_DOUBLE_EQ(time(64 * mib, true), 15e-6 + 64 * mib / 120e9) << "one peer";
  EXPECT_DOUBLE_EQ(time(1024 * mib), 15e-6 + 1024 * mib / 300e9) << "no faster than all together";
}

// Each of 64 ranks sends to all others at once: two peers wait for a channel.
TEST(Parts, of_an_exchange_share_the_channels_and_begin_beside_the_launch) {
  LinkOp op{"all-to-all", 64, 50e-6, 0, 600e9, std::nullopt, false};
  op.parts = LinkOp::Parts{32, 16 << 20, 20e9, std::nullopt, 10e-6, 512 << 10, 5e9, 30e-6};
  const auto time = [&](double message) {
    return collective_s(Hardware(), op, {64, 1, 64 * message, 63 * message}).value();
  };
  const double kib = 1 << 10;
  EXPECT_NEAR(time(kib), 50e-6, 2e-9) << "hidden";
  EXPECT_DOUBLE_EQ(time(256 * kib), 20e-6 + 2 * 256 * kib / 5e9);
  EXPECT_DOUBLE_EQ(time(1024 * kib), 30e-6 + std::max(2 * 1024 * kib / 20e9, 63 * 1024 * kib / 600e9));
}

}  // namespace
}  // namespace shardscope::parts_test
