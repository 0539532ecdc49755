// SPDX-License-Identifier: Apache-2.0
// The log that XLA of June 2022 printed for a PyTorch/XLA matmul on four TPU cores, prefix removed.
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "engine/partition/entry/partition.h"
#include "tests/engine/partition/seed_modules.h"

namespace shardscope::seed_log_test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

Partitioned partitioned(const std::string& text, const PartitionOptions& options) {
  const Result<Program> module = parse_program(text);
  EXPECT_TRUE(module.ok()) << module.error().text();
  auto result = partition(*module, options);
  EXPECT_TRUE(result.ok()) << result.error().text();
  return *std::move(result);
}

TEST(SpmdLog, TheMemoryReportsAndReshardingsOfTheMatmulAreByteForByteXlas) {
  std::ostringstream golden;
  golden
      << std::ifstream(SHARDSCOPE_SOURCE_DIR "/tests/engine/partition/golden/sharded_matmul_log.txt").rdbuf();
  const auto want = lines_of(golden.str());
  for (const bool propagate : {false, true}) {
    PartitionOptions options;
    options.dialect = SpmdDialect::tpu2022;
    options.propagate = propagate;
    const auto got = lines_of(partitioned(testing::sharded_matmul(), options).log.text());
    for (size_t i = 0; i < std::max(got.size(), want.size()); ++i) {
      EXPECT_EQ(i < got.size() ? got[i] : "<nothing>", i < want.size() ? want[i] : "<nothing>")
          << "line " << i + 1 << (propagate ? ", shardings spread first" : "");
    }
  }
}

TEST(SpmdLog, TheMatmulTakesThreeAllGathersInBothDialects) {
  for (const SpmdDialect dialect : {SpmdDialect::tpu2022, SpmdDialect::current}) {
    const Partitioned p =
        partitioned(testing::sharded_matmul(), {std::nullopt, dialect, std::nullopt, false});
    EXPECT_EQ(p.program->mesh.device_count(), 4);
    for (const CollectiveOrigin& c : p.collectives) {
      EXPECT_EQ(c.name.substr(0, 10), "all-gather");
      EXPECT_FALSE(c.rule.empty());
    }
    // The last one gathers two dimensions: at once in 2022, one after the other today.
    EXPECT_EQ(p.collectives.size(), dialect == SpmdDialect::tpu2022 ? 3U : 4U);
    EXPECT_EQ(p.parameters.size(), 2U);
    EXPECT_EQ(p.parameters[0].text(), "{devices=[2,2]<=[4]}");
    EXPECT_EQ(p.results.front().text(), "{replicated}");
  }
}

}  // namespace
}  // namespace shardscope::seed_log_test
