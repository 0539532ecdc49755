// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: rank 0 tests, the other ranks serve it.
#include <cstdio>
#include <gtest/gtest.h>

#include "tests/cluster/joined.h"

namespace shardscope::testing {
namespace {

std::unique_ptr<Cluster> cluster;

}  // namespace

Cluster& joined() {
  return *cluster;
}

}  // namespace shardscope::testing

int main(int argc, char** argv) {
  std::unique_ptr<shardscope::Cluster>& cluster = shardscope::testing::cluster;
  auto joined = shardscope::Cluster::join({"test", 1});
  if (!joined.ok()) {
    std::fprintf(stderr, "%s\n", joined.error().text().c_str());
    return 1;
  }
  cluster = *std::move(joined);
  if (!cluster->leads()) {
    cluster->serve({});
    cluster = nullptr;
    return 0;
  }
  ::testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  cluster->leave(failed);
  cluster = nullptr;
  return failed;
}
