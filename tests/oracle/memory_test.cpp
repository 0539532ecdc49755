// SPDX-License-Identifier: Apache-2.0
// What a module needs of a device's memory against XLA's memory_analysis() of the same program, from the text
// that XLA compiled (for CPUs) and from the module before that, which we partition and compile as for a CPU.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/read_file.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/memory/module_memory.h"
#include "engine/program/mlir/module_text.h"
#include "engine/session/modules/compiled_memory.h"
#include "tests/oracle/golden.h"

namespace shardscope::oracle {
namespace {

// "": there is no such file.
std::string golden_text(const std::string& name, const char* file) {
  const auto text =
      read_file(fmt::format("{}/tests/oracle/goldens/{}/{}", SHARDSCOPE_SOURCE_DIR, name, file));
  return text.ok() ? *text : "";
}

int64_t xlas_sum(const nlohmann::json& said) {
  return said.at("arguments").get<int64_t>() + said.at("results").get<int64_t>() +
         said.at("temporaries").get<int64_t>() - said.at("aliased").get<int64_t>();
}

// Bytes that XLA says; none: the golden has none.
std::optional<int64_t> bytes_of_xla(const std::string& name) {
  const std::string text = golden_text(name, "memory.json");
  if (text.empty()) return std::nullopt;
  return xlas_sum(nlohmann::json::parse(text));
}

// As for a host's processors, whose compiler says the bytes.
Result<int64_t> bytes_from_source(const std::string& text, const Hardware& chip) {
  TRY(const Program module, read_stablehlo(text));
  PartitionOptions how;
  how.propagate = true;
  TRY(const Partitioned made, partition(module, how));
  TRY(const MemoryUse memory, compiled_memory(*made.program, chip, {}, {}));
  return memory.bytes();
}

struct Share {
  int within = 0, of = 0;
  std::string beyond;
  void add(const std::string& name, int64_t ours, int64_t theirs, double most) {
    ++of;
    const double off = static_cast<double>(ours) / static_cast<double>(theirs) - 1;
    if (std::fabs(off) <= most)
      ++within;
    else
      beyond += fmt::format("  {} {:+.2f}: {} for {}\n", name, off, ours, theirs);
  }
  double share() const { return static_cast<double>(within) / of; }
};

TEST(Memory, OfWhatXlaCompiledIsXlasWithinATenth) {
  Share share;
  for (const std::string& name : golden_names()) {
    const std::string text = golden_text(name, "compiled.txt");
    const auto theirs = bytes_of_xla(name);
    if (text.empty() || !theirs) continue;
    const auto program = parse_program(text);
    ASSERT_TRUE(program.ok()) << name << ": " << program.error().text();
    share.add(name, module_memory(*program, LaidOutFor::cpu, {})->bytes(), *theirs, 0.1);
  }
  EXPECT_GE(share.of, 140);
  EXPECT_GE(share.share(), 0.95) << share.beyond;
}

TEST(Memory, OfWhatXlaCompiledForGpusIsXlasWithinATenth) {
  Share share;
  int64_t exact = 0;
  for (const std::string& name : golden_names()) {
    const std::string text = golden_text(name, "compiled.h200.txt");
    const std::string said = golden_text(name, "memory.h200.json");
    const auto program = text.empty() || said.empty() ? Result<Program>(Error{}) : parse_program(text);
    if (!program.ok()) continue;
    const auto memory = module_memory(*program, LaidOutFor::gpu, {});
    const int64_t theirs = xlas_sum(nlohmann::json::parse(said));
    share.add(name, memory->bytes(), theirs, 0.1);
    if (memory->bytes() == theirs) ++exact;
  }
  EXPECT_GE(share.of, 80);
  EXPECT_GE(share.share(), 0.95) << share.beyond;
  EXPECT_GE(exact, 70);
}

TEST(Memory, FromSourceIsXlasWithinAFifthForMostPrograms) {
  const Hardware chip = find_hardware("cpu-host").value();
  Share share;
  for (const std::string& name : golden_names()) {
    const auto theirs = bytes_of_xla(name);
    const auto ours = bytes_from_source(golden_text(name, "module.mlir"), chip);
    if (theirs && ours.ok()) share.add(name, *ours, *theirs, 0.2);
  }
  EXPECT_GE(share.of, 150);
  EXPECT_GE(share.share(), 0.9) << share.beyond;
}

// Programs of other kinds (memory_programs.py): transformer blocks in f32, bf16 and f16, convolutions,
// recurrence, pooling, running sums, random numbers, Fourier transforms.
TEST(Memory, OfFurtherProgramsIsXlasWithinAFifth) {
  const std::string folder = std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/oracle/memory/";
  const auto said = nlohmann::json::parse(read_file(folder + "bytes.json").value());
  const Hardware chip = find_hardware("cpu-host").value();
  Share share;
  for (const auto& [name, bytes] : said.items()) {
    const auto ours = bytes_from_source(read_file(folder + name + ".mlir").value(), chip);
    ASSERT_TRUE(ours.ok()) << name << ": " << ours.error().text();
    share.add(name, *ours, xlas_sum(bytes), 0.2);
  }
  EXPECT_GE(share.of, 23);
  EXPECT_GE(share.share(), 0.95) << share.beyond;
}

}  // namespace
}  // namespace shardscope::oracle
