// SPDX-License-Identifier: Apache-2.0
#include "engine/session/mesh_limit.h"

#include <gtest/gtest.h>

namespace shardscope::mesh_limit_test {
namespace {

Mesh ring(int64_t devices) {
  return Mesh::make({{"row", devices, true}, {"col", 2, true}}).value();
}

TEST(MeshLimit, RefusalNamesTheSizeThatFits) {
  const double free = 4e9;
  ASSERT_TRUE(check_size_of(ring(64), free).ok());
  const auto refused = check_size_of(ring(100'000), free);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::too_big);
  const std::string text = refused.error().text();
  EXPECT_NE(text.find("200,000 devices"), std::string::npos) << text;
  constexpr std::string_view kBefore = "make row ";
  const size_t at = text.find(kBefore);
  ASSERT_NE(at, std::string::npos) << text;
  std::string size =
      text.substr(at + kBefore.size(), text.find(' ', at + kBefore.size()) - at - kBefore.size());
  std::erase(size, ',');
  const int64_t fits = std::stoll(size);
  EXPECT_TRUE(check_size_of(ring(fits), free).ok()) << text;
  EXPECT_FALSE(check_size_of(ring(fits + 1), free).ok()) << text;
}

TEST(MeshLimit, MoreDevicesWantMoreMemoryAndLongRingsMost) {
  const Mesh square = Mesh::make({{"row", 64, true}, {"col", 64, true}}).value();
  const Mesh line = Mesh::make({{"row", 4096, true}}).value();
  EXPECT_LT(bytes_for_runs_on(ring(16)), bytes_for_runs_on(ring(32)));
  EXPECT_LT(bytes_for_runs_on(square), bytes_for_runs_on(line)) << "of 4,096 devices both";
}

}  // namespace
}  // namespace shardscope::mesh_limit_test
