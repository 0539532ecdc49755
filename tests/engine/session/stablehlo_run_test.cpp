// SPDX-License-Identifier: Apache-2.0
// StableHLO modules: read, partitioned, and proved on the devices that they ask for.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/base/read_file.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/program/memory/module_memory.h"
#include "engine/program/mlir/module_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/module_check.h"
#include "engine/session/proof/prove.h"

namespace shardscope::stablehlo_run_test {
namespace {

Result<Program> module_of(const std::string& name) {
  TRY(const std::string text,
      read_file(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/engine/session/mlir/" + name + ".mlir"));
  return read_stablehlo(text, name);
}

// Its collectives after partitioning, "all-gather f32[8,4]".
std::vector<std::string> proved(const std::string& name) {
  const auto module = module_of(name);
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
  const auto proof = prove(*made, *arguments, workers, {});
  EXPECT_TRUE(proof.ok()) << (proof.ok() ? "" : proof.error().text());
  if (!proof.ok()) return {};
  EXPECT_TRUE(proof->report.allclose) << print_program(*made->program);
  std::vector<std::string> out;
  for (const Computation& c : made->program->computations)
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode))
        out.push_back(std::string(opcode_text(i.opcode)) + " " +
                      Shape::array(i.shape.type, i.shape.dims).text());
  return out;
}

TEST(StablehloModules, AnMlpOnTwoAxesRuns) {
  EXPECT_FALSE(proved("mlp").empty());
}

// Its result is whole on every device, because nobody says otherwise.
TEST(StablehloModules, AttentionByBatchGathersItsResultAlone) {
  const auto collectives = proved("attention");
  ASSERT_EQ(collectives.size(), 1U);
  EXPECT_TRUE(collectives.front().starts_with("all-gather "));
}

TEST(StablehloModules, AScanOverLayersRuns) {
  EXPECT_EQ(proved("scan"), (std::vector<std::string>{}));
}

TEST(StablehloModules, AShardMapWithASumRuns) {
  const auto collectives = proved("shard_map");
  EXPECT_EQ(
      std::ranges::count_if(collectives, [](const std::string& c) { return c.starts_with("all-reduce "); }),
      1);
}

TEST(StablehloModules, AMixtureOfExpertsRuns) {
  (void)proved("moe_dispatch");
}

struct Righted {
  const char* name;
  std::vector<std::string> collectives;  // XLA's
};

// Modules that were refused, wrong or moved more than they need to.
TEST(StablehloModules, ThatWereWrongOnceMoveWhatXlaMoves) {
  const Righted cases[] = {
      {"cumulative_sum_along_a_whole_dimension", {}},
      {"product_with_a_whole_result", {"all-gather f32[32,64]", "all-gather f32[64,64]"}},
      {"product_with_a_transposed_result",
       {"collective-permute f32[8,64]", "all-gather f32[16,64]", "collective-permute f32[64,8]"}},
      {"gradient_of_an_embedding", {"all-reduce f32[64,16]"}},
      {"axes_in_another_order",
       {"all-to-all f32[8,16,2,1]", "collective-permute f32[16,16,1]", "all-to-all f32[16,8,2,1]",
        "collective-permute f32[16,2,8]"}},
      {"mesh_with_attributes", {"all-to-all f32[16,4,8]"}},
      {"padding_of_partly_replicated_rows",
       {"all-reduce f32[48]", "all-reduce f32[48]", "collective-permute f32[28]",
        "collective-permute f32[12]"}},
      {"unreduced_to_split", {"all-reduce f32[16,8]"}},
      {"cross_entropy_of_labels", {}},
      {"weights_of_four_bits", {}},
  };
  for (const Righted& c : cases) EXPECT_EQ(proved(c.name), c.collectives) << c.name;
}

// Nobody has the memory to run it twice, and nobody needs it for the answer.
TEST(StablehloModules, AnArrayOfManyGigabytesIsNamedWithoutBeingMade) {
  const auto module = module_of("logits_of_many_gigabytes");
  ASSERT_TRUE(module.ok()) << module.error().text();
  PartitionOptions how;
  how.propagate = true;
  const auto made = partition(*module, how);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_GT(module_memory(*made->program, LaidOutFor::gpu, {})->bytes(), int64_t{20} << 30);
  const std::optional<Error> whole;
  const auto numbers = check_read_module({shared_stage(*made), whole, how}, {}, {});
  ASSERT_TRUE(numbers.ok()) << numbers.error().text();
  EXPECT_EQ(numbers->report.check, ProofSize::shrunk);
  EXPECT_LT(numbers->report.scale, 0.01);
  EXPECT_TRUE(numbers->report.allclose);
}

}  // namespace
}  // namespace shardscope::stablehlo_run_test
