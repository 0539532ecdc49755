// SPDX-License-Identifier: Apache-2.0
// Slices of a dimension that is split: parts of one fused projection, as jnp.split takes them.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/mlir/module_text.h"

namespace shardscope::far_slices_test {
namespace {

std::vector<std::string> collectives_of(const std::vector<std::string>& row) {
  const auto module = read_stablehlo(
      fmt::format("module @m {{\n sdy.mesh @mesh = <[\"x\"={}]>\n func.func public @main(%a: tensor<{}xf32> "
                  "{{sdy.sharding = #sdy.sharding<@mesh, [{{\"x\"}}]>}}) -> tensor<{}xf32> {{\n"
                  "  %0 = stablehlo.slice %a [{}:{}] : (tensor<{}xf32>) -> tensor<{}xf32>\n  return %0 : "
                  "tensor<{}xf32>\n }}\n}}\n",
                  row[0], row[1], *parse_int(row[3]) - *parse_int(row[2]), row[2], row[3], row[1],
                  *parse_int(row[3]) - *parse_int(row[2]), *parse_int(row[3]) - *parse_int(row[2])));
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  PartitionOptions options;
  options.propagate = true;
  const auto made = partition(*module, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  std::vector<std::string> out;
  for (const Instruction& i : made->program->entry_computation().instructions) {
    if (!is_collective(i.opcode)) continue;
    std::string text = std::string(opcode_text(i.opcode)) + " " + i.shape.text_without_layout();
    std::vector<std::string> pairs;
    if (i.permutation)
      for (const SourceTarget& pair : i.permutation->pairs())
        pairs.push_back(fmt::format("{{{},{}}}", pair.source.value, pair.target.value));
    if (!pairs.empty()) text += " {" + join(pairs, ",") + "}";
    out.push_back(std::move(text));
  }
  std::ranges::sort(out);
  return out;
}

TEST(FarSlices, AreTakenFromWhoHasThemAsXlaDoes) {
  std::ifstream in(SHARDSCOPE_SOURCE_DIR "/tests/engine/partition/golden/xla_slices.txt");
  ASSERT_TRUE(in.good());
  int64_t rows = 0, equal = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> row = split(line, ';');
    std::vector<std::string> xla;
    for (const std::string& one : split(row[4], '|'))
      if (!trim(one).empty()) xla.emplace_back(trim(one));
    std::ranges::sort(xla);
    const auto ours = collectives_of(row);
    ++rows;
    equal += ours == xla ? 1 : 0;
    if (ours != xla && std::getenv("SHARDSCOPE_UPDATE") != nullptr)
      fmt::print("{}\n   ours {}\n", line, join(ours, " | "));
  }
  fmt::print("{} of {} slices as XLA's\n", equal, rows);
  EXPECT_GE(equal, 147);
}

}  // namespace
}  // namespace shardscope::far_slices_test
