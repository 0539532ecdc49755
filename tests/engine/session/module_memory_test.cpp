// SPDX-License-Identifier: Apache-2.0
// One number for a module's memory at every door, and what a scheduled module's collectives hide.
#include <gtest/gtest.h>

#include "engine/base/read_file.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/mlir/module_text.h"
#include "engine/session/hlo_explain.h"
#include "engine/session/hlo_run.h"
#include "engine/session/modules/compiled_memory.h"

namespace shardscope::module_memory_test {
namespace {

Program module_of(const std::string& file) {
  const auto text = read_file(std::string(SHARDSCOPE_SOURCE_DIR) + "/" + file);
  EXPECT_TRUE(text.ok()) << file;
  auto read = read_hlo_or_mlir(*text, file);
  EXPECT_TRUE(read.ok()) << read.error().text();
  return read->program;
}

ModuleRun run_of(const Program& module, const char* compile_as = nullptr,
                 const std::string& hardware = "h200") {
  ModuleRunOptions how;
  how.check = CheckMode::off;
  how.partition.propagate = true;
  how.asked["hardware"] = hardware;
  if (compile_as != nullptr) how.asked["compile-as"] = compile_as;
  auto run = execute_module(module, how, {});
  EXPECT_TRUE(run.ok()) << run.error().text();
  return *std::move(run);
}

void expect_one_number(const std::string& hardware) {
  const Hardware chip = find_hardware(hardware).value();
  for (const char* file : {"tests/python/programs/step.mlir", "tests/python/programs/layers.mlir",
                           "presets/hlo/mlp.mlir", "presets/hlo/compiled_layer.hlo"}) {
    const Program module = module_of(file);
    const ModuleRun run = run_of(module, nullptr, hardware);
    ASSERT_TRUE(run.memory) << file;
    const double peak = max_per_device(run.run->timeline).peak_bytes;
    EXPECT_EQ(static_cast<double>(run.memory->bytes()), peak) << file;
    ExplainOptions options;
    options.asked["hardware"] = hardware;
    options.partition.propagate = true;
    const std::string text = read_file(std::string(SHARDSCOPE_SOURCE_DIR) + "/" + file).value();
    const auto explained = explain_module(text, file, options, {});
    ASSERT_TRUE(explained.ok()) << explained.error().text();
    EXPECT_EQ(static_cast<double>(explained->peak_bytes), peak) << file;
    if (is_partitioned(module)) continue;
    PartitionOptions how;
    how.propagate = true;
    const auto made = partition(module, how);
    ASSERT_TRUE(made.ok()) << made.error().text();
    EXPECT_EQ(static_cast<double>(compiled_memory(*made->program, chip, {}, {})->bytes()), peak) << file;
  }
}

TEST(ModuleMemory, IsOneNumberWhereverItIsAsked) {
  for (const char* hardware : {"h200", "tpu-v5e", "cpu-host"}) expect_one_number(hardware);
}

// XLA's compiler for CPUs converts bf16 to f32, with arrays of its own; a TPU's multiplies it as it is.
TEST(ModuleMemory, CpusConvertWhatTheyMultiply) {
  const auto program = parse_program(
      "HloModule m\nENTRY e {\nx = bf16[64,64] parameter(0)\n"
      "ROOT y = bf16[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  ASSERT_TRUE(program.ok());
  const auto temporaries = [&](const char* chip, std::optional<CompileAs> as) {
    return compiled_memory(*program, find_hardware(chip).value(), as, {})->temporaries;
  };
  EXPECT_EQ(temporaries("tpu-v5e", {}), 0);
  EXPECT_EQ(temporaries("cpu-host", {}), 2 * 64 * 64 * 4);
  EXPECT_EQ(temporaries("tpu-v5e", CompileAs::xla_cpu), 2 * 64 * 64 * 4);
}

TEST(ModuleMemory, OwnersAddUpToItAndHaveTheUsersNames) {
  const ModuleRun run = run_of(module_of("tests/python/programs/step.mlir"));
  int64_t sum = run.memory->between;
  for (const MemoryOwner& owner : run.memory->owners) sum += owner.bytes;
  EXPECT_EQ(sum, run.memory->bytes());
  ASSERT_FALSE(run.memory->owners.empty());
  EXPECT_EQ(run.memory->owners[0].kind, "argument");
  EXPECT_FALSE(run.memory->owners[0].name.empty());
  EXPECT_FALSE(run.memory->moment.name.empty());
}

// y = x·x takes as long as the sum over devices; nothing in the text ties one to the other.
std::string beside(const std::string& head) {
  return "HloModule m, num_partitions=4" + head +
         "\nadd { a = bf16[] parameter(0)\nb = bf16[] parameter(1)\nROOT s = bf16[] add(a, b) }\n"
         "ENTRY e {\nx = bf16[4096,4096] parameter(0)\nz = bf16[4096,4096] parameter(1)\n"
         "r = bf16[4096,4096] all-reduce(z), replica_groups={{0,1,2,3}}, to_apply=add, channel_id=1, "
         "use_global_device_ids=true\n"
         "y = bf16[4096,4096] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
         "ROOT t = (bf16[4096,4096], bf16[4096,4096]) tuple(r, y)\n}\n";
}

TEST(ScheduledModules, ASynchronousCollectiveHidesNothing) {
  const auto timeline = [](const std::string& head) {
    return run_of(read_hlo_or_mlir(beside(head), "m.hlo")->program).run->timeline;
  };
  const Timeline free = timeline(""), scheduled = timeline(", is_scheduled=true");
  EXPECT_GT(free.totals[0].comm, free.totals[0].exposed);
  EXPECT_EQ(scheduled.totals[0].comm, scheduled.totals[0].exposed);
  EXPECT_GT(scheduled.total, free.total);
}

}  // namespace
}  // namespace shardscope::module_memory_test
