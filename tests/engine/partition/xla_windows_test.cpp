// SPDX-License-Identifier: Apache-2.0
// Instructions over windows on dimensions that are cut: slices, pads, reversals, windows that are reduced.
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

#include "engine/base/text.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::xla_windows_test {
namespace {

enum Column {
  dims,
  given,
  cut,
  opcode,
  attributes,
  second,
  reducer,
  result,
  out,
  read,
  root,
  collectives,
  columns
};

std::string module_of(const std::vector<std::string>& row) {
  const std::string reduce = row[reducer].empty() ? "" : ", to_apply=reduced";
  return fmt::format(
      "HloModule m\n{}ENTRY main {{\n  v = f32[{}] parameter(0), sharding={}\n  x = f32[{}] "
      "copy(v), sharding={}\n{}  r = f32[{}] {}(x{}), {}{}, sharding={}\n  y = f32[{}] negate(r), "
      "sharding={}\n  ROOT out = f32[{}] copy(y), sharding={}\n}}\n",
      row[reducer].empty() ? ""
                           : fmt::format("reduced {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  "
                                         "ROOT c = f32[] {}(a, b)\n}}\n",
                                         row[reducer]),
      row[dims], row[given], row[dims], row[cut],
      row[second].empty() ? "" : fmt::format("  s = f32[] constant({})\n", row[second]), row[result],
      row[opcode], row[second].empty() ? "" : ", s", row[attributes], reduce, row[out], row[result],
      row[read], row[result], row[root]);
}

std::string collectives_of(const std::string& text) {
  const auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text()) << text;
  if (!module.ok()) return "";
  const auto made = partition(*module, {});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text()) << text;
  if (!made.ok()) return "";
  std::map<std::string, int64_t> found;
  for (const Instruction& i : made->program->entry_computation().instructions)
    if (is_collective(i.opcode))
      ++found[fmt::format("{} {}", opcode_text(i.opcode), i.shape.element_count())];
  std::vector<std::string> out;
  for (const auto& [what, times] : found) out.push_back(fmt::format("{} x{}", what, times));
  return join(out, "|");
}

TEST(XlaWindows, MakeTheCollectivesOfXla) {
  std::ifstream in(SHARDSCOPE_SOURCE_DIR "/tests/engine/partition/golden/xla_windows.txt");
  ASSERT_TRUE(in.good());
  int64_t rows = 0, equal = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> row = split(line, ';');
    ASSERT_EQ(row.size(), static_cast<size_t>(columns)) << line;
    const std::string ours = collectives_of(module_of(row));
    ++rows;
    equal += ours == row[collectives] ? 1 : 0;
    if (ours != row[collectives]) fmt::print("{}\n   ours {}\n", line, ours);
  }
  fmt::print("{} of {} windows as XLA's\n", equal, rows);
  EXPECT_GE(equal, rows);
}

}  // namespace
}  // namespace shardscope::xla_windows_test
