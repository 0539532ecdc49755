// SPDX-License-Identifier: Apache-2.0
// A built-in module that is there in two languages is one module: partitioned, both are the same program.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "engine/base/read_file.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/mlir/module_text.h"

namespace shardscope::preset_languages_test {
namespace {

namespace fs = std::filesystem;

Partitioned partitioned(const fs::path& path) {
  const auto text = read_file(path.string());
  EXPECT_TRUE(text.ok()) << path;
  const auto module = read_hlo_or_mlir(text.ok() ? *text : "", path.filename().string());
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  PartitionOptions how;
  how.propagate = true;
  auto out = partition(module->program, how);
  EXPECT_TRUE(out.ok()) << path << ": " << (out.ok() ? "" : out.error().text());
  return out.ok() ? *std::move(out) : Partitioned();
}

// What a device does, line by line: names by opcode and number, nothing of where it comes from.
std::vector<std::string> lines(const Program& program) {
  std::vector<std::string> out;
  for (const Computation& c : program.computations) {
    Computation renamed = c;
    std::map<Opcode, int64_t> numbers;
    for (Instruction& i : renamed.instructions) {
      // Where a parameter's line stands says nothing.
      const int64_t number = i.opcode == Opcode::parameter ? i.parameter_number : numbers[i.opcode]++;
      i.name = std::string(opcode_text(i.opcode)) + "." + std::to_string(number);
      i.provenance = {};
      i.verbatim = {};
      i.sharding_text = {};  // how it is written is not what it is
    }
    const size_t first = out.size();
    for (size_t k = 0; k < renamed.instructions.size(); ++k) {
      std::string line = print_instruction(program, renamed, InstructionId(static_cast<int64_t>(k)));
      for (const Computation& called : program.computations)
        for (size_t at = line.find("%" + called.name); at != std::string::npos;
             at = line.find("%" + called.name))
          line.replace(at, called.name.size() + 1, "@");
      out.push_back(line);
    }
    const auto is_parameter = [](const std::string& line) {
      return line.find(" parameter(") != std::string::npos;
    };
    const auto rest =
        std::stable_partition(out.begin() + static_cast<int64_t>(first), out.end(), is_parameter);
    std::sort(out.begin() + static_cast<int64_t>(first), rest);
  }
  return out;
}

std::vector<fs::path> stablehlo_presets() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo"))
    if (entry.path().extension() == ".mlir") out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

TEST(PresetLanguages, AreTheSameProgramOncePartitioned) {
  EXPECT_EQ(stablehlo_presets().size(), 13u);
  for (const fs::path& path : stablehlo_presets()) {
    const Partitioned mlir = partitioned(path);
    const Partitioned hlo = partitioned(fs::path(path).replace_extension(".hlo"));
    EXPECT_EQ(lines(*mlir.program), lines(*hlo.program)) << path;
    EXPECT_EQ(mlir.program->mesh.device_count(), hlo.program->mesh.device_count()) << path;
    EXPECT_EQ(mlir.parameters, hlo.parameters) << path;
    EXPECT_EQ(mlir.results, hlo.results) << path;
  }
}

// StableHLO has no word for what compilers make of a module: fusions, asynchronous pairs, tiled layouts,
// aliases. The modules without a pair are those that say such things.
TEST(PresetLanguages, OnlyWhatTheLanguageCannotSayHasNoPair) {
  std::vector<std::string> alone;
  for (const auto& entry : fs::directory_iterator(std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo")) {
    const fs::path& path = entry.path();
    if (path.extension() != ".hlo" || fs::exists(fs::path(path).replace_extension(".mlir"))) continue;
    alone.push_back(path.stem().string());
    const auto text = read_file(path.string());
    ASSERT_TRUE(text.ok()) << path;
    const auto module = read_hlo(*text);
    ASSERT_TRUE(module.ok()) << path << module.error().text();
    const auto compiled = [](const Instruction& i) {
      return i.opcode == Opcode::fusion || i.opcode == Opcode::async_start || i.opcode == Opcode::bitcast ||
             i.shape.text().find(":T(") != std::string::npos;
    };
    bool found = text->find("input_output_alias=") != std::string::npos;
    for (const Computation& c : module->program.computations)
      found = found || std::ranges::any_of(c.instructions, compiled);
    EXPECT_TRUE(found) << path << " could be said in StableHLO";
  }
  std::ranges::sort(alone);
  EXPECT_EQ(alone, (std::vector<std::string>{"compiled_layer", "pjit_case_1", "pjit_case_1b", "pjit_case_2",
                                             "pjit_full", "two_layers_step"}));
}

TEST(PresetLanguages, KeepTheUsersNamesOfAxes) {
  const std::string folder = std::string(SHARDSCOPE_SOURCE_DIR) + "/presets/hlo/";
  EXPECT_EQ(partitioned(folder + "attention_scores.mlir").program->mesh.text(), "data=2,model=2");
  EXPECT_EQ(partitioned(folder + "shard_map_ring.mlir").program->mesh.text(), "ring=4");
  EXPECT_EQ(partitioned(folder + "mlp.hlo").program->mesh.text(), "x=2,y=2");
}

}  // namespace
}  // namespace shardscope::preset_languages_test
