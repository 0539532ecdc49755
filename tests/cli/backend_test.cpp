// SPDX-License-Identifier: Apache-2.0
// `shardscope hlo partition --compile-as`: what a compiler's backend makes of a module, as a user asks for
// it.
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/temporary_folder.h"

namespace shardscope::backend_test {
namespace {

using nlohmann::json;

const std::string kModule = SHARDSCOPE_SOURCE_DIR "/presets/hlo/mlp.mlir";

std::vector<std::string> partition(const std::vector<std::string>& more) {
  std::vector<std::string> out{"hlo", "partition", kModule, "--quiet"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

json answer(const std::vector<std::string>& more) {
  std::vector<std::string> words = partition(more);
  words.emplace_back("--json");
  const ProcessOutcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

std::vector<std::string> stages(const json& out) {
  std::vector<std::string> names;
  for (const json& stage : out["stages"]) names.push_back(stage["name"]);
  return names;
}

TEST(BackendCommand, PassesAreStagesThatCanBePrinted) {
  const json out = answer({"--compile-as", "xla-gpu", "--hardware", "h200"});
  EXPECT_TRUE(out["numerics"]["allclose"]);
  const std::vector<std::string> names = stages(out);
  EXPECT_EQ(names.front(), "module");
  EXPECT_EQ(names.back(), "convert-async-collectives-to-sync");
  EXPECT_EQ(std::ranges::count(names, "reduce-scatter-creator"), 1);
  for (const json& each : out["collectives"]) EXPECT_FALSE(each["overlap"]["sentence"].empty());
  for (const std::string& name : names) {
    const ProcessOutcome printed =
        run_program(partition({"--compile-as", "xla-gpu", "--check", "off", "--stage", name}));
    EXPECT_EQ(printed.exit_code, 0) << printed.err;
    EXPECT_TRUE(printed.out.starts_with("HloModule")) << name;
    const json also = answer({"--compile-as", "xla-gpu", "--check", "off", "--stage", name});
    EXPECT_EQ(also["module"], printed.out) << name;
  }
  const ProcessOutcome unknown =
      run_program(partition({"--compile-as", "xla-gpu", "--check", "off", "--stage", "reduce-scatter"}));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("reduce-scatter-creator"), std::string::npos) << unknown.err;
}

TEST(BackendCommand, FlagsAreThoseOfXlaAndOfNobodyElse) {
  const json out = answer({"--compile-as", "xla-gpu", "--check", "off", "--xla-flag",
                           "xla_gpu_enable_latency_hiding_scheduler=true", "--xla-flag",
                           "xla_gpu_enable_pipelined_all_gather=true"});
  const std::vector<std::string> names = stages(out);
  EXPECT_EQ(std::ranges::count(names, "latency-hiding-scheduler"), 1);
  EXPECT_EQ(std::ranges::count(names, "collective-pipeliner-all-gather"), 1);
  const ProcessOutcome unknown =
      run_program(partition({"--compile-as", "xla-gpu", "--xla-flag", "xla_gpu_go_faster=true"}));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("xla_gpu_enable_latency_hiding_scheduler"), std::string::npos) << unknown.err;
  const ProcessOutcome nobody =
      run_program(partition({"--xla-flag", "xla_gpu_enable_latency_hiding_scheduler=true"}));
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_NE(nobody.err.find("--compile-as xla-gpu"), std::string::npos) << nobody.err;
}

TEST(BackendCommand, ATpuSaysWhatIsNotKnownAndNoneChangesNothing) {
  const json tpu = answer({"--compile-as", "xla-tpu"});
  EXPECT_TRUE(tpu["numerics"]["allclose"]);
  EXPECT_NE(tpu["notes"].dump().find("the TPU's compiler is not open"), std::string::npos);
  const json none = answer({"--compile-as", "none", "--check", "off"}), unsaid = answer({"--check", "off"});
  EXPECT_EQ(stages(none), stages(unsaid));
  EXPECT_EQ(none["collectives"], unsaid["collectives"]);
  // Said in so many words, the module is not fused for its memory either.
  EXPECT_GE(none["memory"]["temporaries"], unsaid["memory"]["temporaries"]);
}

// XLA computes divisions of bf16 in f32 and rounds the result: that is no rounding which the module does not
// have.
TEST(BackendCommand, FunctionsOfBf16AreComputedInF32) {
  const TemporaryFolder folder;
  const std::string file = folder.file("divide.hlo");
  write_text(file,
             "HloModule m, num_partitions=2\nENTRY e {\n"
             " x = bf16[8,16] parameter(0), sharding={devices=[2,1]<=[2]}\n"
             " y = bf16[8,16] parameter(1), sharding={devices=[2,1]<=[2]}\n"
             " ROOT q = bf16[8,16] divide(x, y)\n}\n");
  const ProcessOutcome outcome =
      run_program({"hlo", "partition", file, "--compile-as", "xla-gpu", "--hardware", "h200"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("f32[4,16]{1,0} divide("), std::string::npos) << outcome.out;
}

TEST(BackendCommand, MemoryIsOneNumberWhicheverPassesArePrinted) {
  const auto bytes = [&](const char* command) {
    const ProcessOutcome outcome =
        run_program({"hlo", command, SHARDSCOPE_SOURCE_DIR "/presets/hlo/moe_dispatch.mlir", "--hardware",
                     "h200", "--compile-as", "xla-gpu", "--check", "off", "--quiet", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["memory"]["peak_bytes"];
  };
  EXPECT_EQ(bytes("partition"), bytes("run"));
}

}  // namespace
}  // namespace shardscope::backend_test
