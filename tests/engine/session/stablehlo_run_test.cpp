// SPDX-License-Identifier: Apache-2.0
// StableHLO modules: read, partitioned, and proved on the devices that they ask for.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/base/read_file.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/program/mlir/module_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"

namespace shardscope::stablehlo_run_test {
namespace {

// Its collectives after partitioning.
std::vector<std::string> proved(const std::string& name) {
  const auto text =
      read_file(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/engine/session/mlir/" + name + ".mlir");
  EXPECT_TRUE(text.ok());
  if (!text.ok()) return {};
  const auto module = read_stablehlo(*text, name);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  EXPECT_TRUE(verify(*module).ok());
  const auto again = parse_program(print_program(*module));
  EXPECT_TRUE(again.ok() && *again == *module);
  PartitionOptions options;
  options.propagate = true;
  const auto made = partition(*module, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  if (!made.ok()) return {};
  const Workers workers(2);
  const auto arguments = module_arguments(*module, 1, workers);
  EXPECT_TRUE(arguments.ok()) << (arguments.ok() ? "" : arguments.error().text());
  if (!arguments.ok()) return {};
  const auto proof = prove(*module, *made, *arguments, workers, {});
  EXPECT_TRUE(proof.ok()) << (proof.ok() ? "" : proof.error().text());
  if (!proof.ok()) return {};
  EXPECT_TRUE(proof->report.allclose) << print_program(made->program);
  std::vector<std::string> out;
  for (const Computation& c : made->program.computations)
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode)) out.emplace_back(opcode_text(i.opcode));
  return out;
}

TEST(StablehloModules, AnMlpOnTwoAxesRuns) {
  EXPECT_FALSE(proved("mlp").empty());
}

// Its result is whole on every device, because nobody says otherwise.
TEST(StablehloModules, AttentionByBatchGathersItsResultAlone) {
  EXPECT_EQ(proved("attention"), (std::vector<std::string>{"all-gather"}));
}

TEST(StablehloModules, AScanOverLayersRuns) {
  EXPECT_EQ(proved("scan"), (std::vector<std::string>{}));
}

TEST(StablehloModules, AShardMapWithASumRuns) {
  const auto collectives = proved("shard_map");
  EXPECT_EQ(std::count(collectives.begin(), collectives.end(), "all-reduce"), 1);
}

TEST(StablehloModules, AMixtureOfExpertsRuns) {
  (void)proved("moe_dispatch");
}

}  // namespace
}  // namespace shardscope::stablehlo_run_test
