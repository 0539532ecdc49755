// SPDX-License-Identifier: Apache-2.0
// Against NCCL itself: nccl.csv is what its own search, tuning and choice (2.30 at 5067397c, src/graph and
// src/enqueue.cc, compiled beside) take on machines and collectives drawn by chance.
#include "engine/collectives/nccl_model.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>

#include "engine/base/text.h"
#include "engine/collectives/nccl_symmetric.h"

namespace shardscope::nccl_model_test {
namespace {

struct Known {
  std::string line;
  NcclMachine machine;
  NcclCollective collective;
  std::string algorithm, protocol;
  double seconds = 0;
  int32_t channels = 0;
};

const std::map<std::string, NcclGeneration> kGenerations{{"ampere", NcclGeneration::ampere},
                                                         {"hopper", NcclGeneration::hopper},
                                                         {"blackwell", NcclGeneration::blackwell}};

std::vector<Known> known() {
  const std::map<std::string, NcclCpu> cpus{
      {"intel", NcclCpu::intel}, {"amd", NcclCpu::amd}, {"arm", NcclCpu::arm}};
  std::ifstream file(SHARDSCOPE_SOURCE_DIR "/tests/engine/collectives/nccl.csv");
  std::vector<Known> out;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line, ',');
    Known one{line, {kGenerations.at(cells[0]), cpus.at(cells[1]), 0, 0}, {}, cells[7], cells[8]};
    one.machine.nodes = std::stoi(cells[2]);
    one.machine.per_node = std::stoi(cells[3]);
    one.collective = {*collective_kind(cells[4]), std::stoll(cells[5]), *parse_element_type(cells[6])};
    one.seconds = std::stod(cells[9]) * 1e-6;
    one.channels = std::stoi(cells[10]);
    out.push_back(std::move(one));
  }
  return out;
}

TEST(NcclModel, chooses_what_nccl_chooses_and_by_the_same_times) {
  const std::vector<Known> points = known();
  ASSERT_EQ(points.size(), 600U);
  for (const Known& point : points) {
    const std::vector<NcclTime> times = nccl_times(point.machine, point.collective);
    ASSERT_FALSE(times.empty()) << point.line;
    EXPECT_EQ(name(times[0].algorithm), point.algorithm) << point.line;
    EXPECT_EQ(name(times[0].protocol), point.protocol) << point.line;
    EXPECT_EQ(times[0].channels, point.channels) << point.line;
    EXPECT_NEAR(times[0].seconds / point.seconds, 1, 1e-6) << point.line;
  }
}

TEST(NcclModel, by_hand_on_eight_hopper_chips) {
  const NcclMachine node{NcclGeneration::hopper, NcclCpu::intel, 1, 8};
  // Ring LL: 6.6 + 14 hops of 0.6 us; 141 GB/s of bus, 8/14 of it for the array.
  const auto small = nccl_times(node, {CollectiveKind::all_reduce, 1 << 20, ElementType::bf16});
  EXPECT_EQ(small[0].algorithm, NcclAlgorithm::ring);
  EXPECT_EQ(small[0].protocol, NcclProtocol::ll);
  EXPECT_NEAR(small[0].seconds, (6.6 + 14 * 0.6) * 1e-6 + (1 << 20) / (141e9 * 8 / 14), 1e-12);
  // NVLS: 8 heads of 40 GB/s, 85 % of them, twice as fast for a sum, 7/8 of it.
  const auto large = nccl_times(node, {CollectiveKind::all_reduce, int64_t{1} << 30, ElementType::bf16});
  EXPECT_EQ(large[0].algorithm, NcclAlgorithm::nvls);
  EXPECT_EQ(large[0].channels, 16);
  EXPECT_NEAR(large[0].seconds, 25e-6 + (1 << 30) / (8 * 40e9 * .85 * 2 * 7 / 8 * 8 / 14), 1e-9);
  EXPECT_EQ(words_of(large),
            "NCCL 2.30 takes NVLS Simple with 16 channels, 3.97 ms by its model, against 5.28 ms by ring "
            "Simple");
}

// nccl_symmetric.csv: likewise, of src/sym_kernels.cc.
TEST(NcclSymmetric, takes_the_kernel_that_nccl_takes_for_symmetric_memory) {
  std::ifstream file(SHARDSCOPE_SOURCE_DIR "/tests/engine/collectives/nccl_symmetric.csv");
  std::string line;
  std::getline(file, line);
  int points = 0, kernels = 0;
  for (; std::getline(file, line); ++points) {
    const std::vector<std::string> cells = split(line, ',');
    const auto taken =
        nccl_symmetric({kGenerations.at(cells[0]), NcclCpu::intel, 1, std::stoi(cells[1])},
                       {*collective_kind(cells[2]), std::stoll(cells[3]), *parse_element_type(cells[4])});
    ASSERT_EQ(taken.has_value(), !cells[5].empty()) << line;
    if (!taken) continue;
    ++kernels;
    EXPECT_EQ(taken->kernel, cells[5]) << line;
    EXPECT_NEAR(taken->seconds * 1e6 / std::stod(cells[6]), 1, 1e-6) << line;
    EXPECT_EQ(taken->blocks, std::stoi(cells[7])) << line;
  }
  EXPECT_EQ(points, 240);
  EXPECT_GT(kernels, 180);
  EXPECT_FALSE(nccl_symmetric({NcclGeneration::hopper, NcclCpu::intel, 2, 8},
                              {CollectiveKind::all_reduce, 1 << 20, ElementType::bf16}));
}

TEST(NcclModel, nothing_to_choose_is_said_by_nothing) {
  const NcclMachine node{NcclGeneration::hopper, NcclCpu::intel, 1, 8};
  EXPECT_TRUE(nccl_times(node, {CollectiveKind::all_to_all, 1 << 20, ElementType::bf16}).empty());
  EXPECT_TRUE(nccl_times(node, {CollectiveKind::all_gather, 0, ElementType::bf16}).empty());
  EXPECT_TRUE(nccl_times({NcclGeneration::hopper, NcclCpu::intel, 1, 1},
                         {CollectiveKind::all_gather, 1 << 20, ElementType::bf16})
                  .empty());
}

}  // namespace
}  // namespace shardscope::nccl_model_test
