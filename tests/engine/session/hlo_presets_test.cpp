// SPDX-License-Identifier: Apache-2.0
// Every module in presets/hlo: read, printed and read again, its shardings spread, partitioned, and proved on
// the devices that it asks for.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "engine/base/read_file.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/hlo_run.h"
#include "engine/session/proof/prove.h"

namespace shardscope::hlo_presets_test {
namespace {

constexpr int64_t kProvedBytes = int64_t{1} << 20;  // bigger arguments are partitioned and not executed

std::vector<std::filesystem::path> preset_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo"))
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

HloText read(const std::filesystem::path& path) {
  const auto text = read_file(path.string());
  EXPECT_TRUE(text.ok());
  auto read = read_hlo(*text, path.filename().string());
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().text());
  return read.ok() ? *std::move(read) : HloText{};
}

bool is_cut(const std::filesystem::path& path) {
  return path.filename().string().starts_with("pjit_");
}
bool from_a_compiler(const std::filesystem::path& path) {
  return is_cut(path) || path.filename().string().starts_with("compiled_");
}

TEST(HloPresets, AreReadAndPrintedBack) {
  EXPECT_EQ(preset_files().size(), 19u);
  for (const auto& path : preset_files()) {
    const HloText t = read(path);
    EXPECT_EQ(t.cut.has_value(), is_cut(path)) << path;
    EXPECT_TRUE(verify(t.program).ok()) << path << ": " << verify(t.program).error().text();
    const auto again = parse_program(print_program(t.program));
    ASSERT_TRUE(again.ok()) << path << ": " << again.error().text();
    EXPECT_EQ(*again, t.program) << path;
  }
}

TEST(HloPresets, SpreadTheirShardings) {
  for (const auto& path : preset_files()) {
    const auto spread = propagate(read(path).program, {});
    ASSERT_TRUE(spread.ok()) << path << ": " << spread.error().text();
    EXPECT_TRUE(verify(*spread->program).ok()) << path;
    for (const PropagationStep& step : spread->steps) EXPECT_FALSE(reason_of(*spread, step).empty()) << path;
  }
}

TEST(HloPresets, ArePartitionedAndProved) {
  const Workers workers(2);
  for (const auto& path : preset_files()) {
    if (from_a_compiler(path)) continue;
    const Program module = read(path).program;
    const auto spread = propagate(module, {});
    ASSERT_TRUE(spread.ok()) << path;
    PartitionOptions options;
    options.devices = spread->devices;
    const auto partitioned = partition(shared_stage(*spread), options);
    ASSERT_TRUE(partitioned.ok()) << path << ": " << partitioned.error().text();
    int64_t bytes = 0;
    for (const Instruction& i : module.entry_computation().instructions)
      if (i.opcode == Opcode::parameter) bytes += i.shape.bytes();
    if (bytes > kProvedBytes) continue;
    const auto arguments = module_arguments(module, 1, workers);
    ASSERT_TRUE(arguments.ok()) << path << ": " << arguments.error().text();
    const auto proof = prove(*partitioned, *arguments, workers, {});
    ASSERT_TRUE(proof.ok()) << path << ": " << proof.error().text();
    EXPECT_TRUE(proof->bit_equal) << path;
  }
}

std::vector<std::string> collectives_of(const std::string& preset) {
  const auto spread =
      propagate(read(std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo/" + preset + ".hlo").program, {});
  EXPECT_TRUE(spread.ok());
  PartitionOptions options;
  options.devices = spread->devices;
  const auto partitioned = partition(shared_stage(*spread), options);
  EXPECT_TRUE(partitioned.ok());
  std::vector<std::string> out;
  for (const Instruction& i : partitioned->program->entry_computation().instructions)
    if (is_collective(i.opcode)) out.emplace_back(opcode_text(i.opcode));
  return out;
}

// Fusions, layouts and asynchronous pairs, as a compiler leaves them: executed on four devices, each
// collective timed once.
TEST(HloPresets, ACompiledModuleRunsAsItIs) {
  const Program module = read(std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo/compiled_layer.hlo").program;
  EXPECT_TRUE(is_partitioned(module));
  const auto ran = execute_module(module, {}, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_EQ(partitioned_stage(ran->stages), nullptr);
  EXPECT_EQ(ran->run->mesh.device_count(), 4);
  ASSERT_TRUE(ran->run->measured.has_value());
  std::map<std::string, int64_t> counts;
  for (const auto& c : ran->run->timeline.collectives) counts[c.opcode] += c.count;
  EXPECT_EQ(counts, (std::map<std::string, int64_t>{{"all-gather", 2}, {"reduce-scatter", 1}}));
  // Two products on each device: 8x64 by 64x32, 8x32 by 32x64.
  EXPECT_EQ(mean_per_device(ran->run->timeline).flops, 2.0 * 2 * 8 * 64 * 32);
}

TEST(HloPresets, HoldTheCollectivesThatTheirHeadersSay) {
  EXPECT_EQ(collectives_of("mlp"), (std::vector<std::string>{"all-reduce"}));
  EXPECT_EQ(collectives_of("attention_scores"), (std::vector<std::string>{}));
  EXPECT_EQ(collectives_of("batch_matmul"), (std::vector<std::string>{"all-to-all"}));
  EXPECT_EQ(collectives_of("fsdp_gather"), (std::vector<std::string>{"all-gather"}));
}

}  // namespace
}  // namespace shardscope::hlo_presets_test
