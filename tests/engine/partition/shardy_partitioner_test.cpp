// SPDX-License-Identifier: Apache-2.0
// Shardy's partitioner stage by stage, against what Shardy's own passes make.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/partition/entry/partition.h"
#include "engine/partition/types/fitted_module.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::shardy_partitioner_test {
namespace {

Result<std::shared_ptr<const Partitioned>> partitioned(const std::string& text) {
  TRY(const HloText read, read_hlo_or_mlir(text, "m.mlir"));
  PartitionOptions options;
  options.partitioner = Partitioner::shardy;
  TRY(Partitioned made, partition(read_stage(read.program), options));
  return shared_stage(std::move(made));
}

// The words of a stage's steps, in order.
std::vector<std::string> steps_of(const StagePtr& last) {
  const auto fitted = fitted_stage(last, StageKind::collectives);
  std::vector<std::string> out;
  for (const Instruction& i : fitted->program->entry_computation().instructions)
    if (const auto step = fitted->steps.find(i.name); step != fitted->steps.end())
      out.emplace_back(opcode_of(step->second.step.kind));
  return out;
}

std::vector<std::string> collectives_of(const Program& program) {
  std::vector<std::string> out;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode)) out.emplace_back(opcode_text(i.opcode));
  return out;
}

// "P('x', None)" as Shardy writes it.
std::string sdy(const std::string& spec) {
  std::vector<std::string> dims;
  const auto read = PartitionSpec::parse(spec);
  for (const auto& dim : read->dims) {
    std::vector<std::string> axes;
    for (const std::string& axis : dim) axes.push_back("\"" + axis + "\"");
    dims.push_back("{" + join(axes, ", ") + "}");
  }
  return "{sdy.sharding = #sdy.sharding<@mesh, [" + join(dims, ", ") + "]>}";
}

std::string product(const std::string& axes, const std::vector<std::string>& sizes,
                    const std::vector<std::string>& specs) {
  const std::string x = fmt::format("tensor<{}x{}xf32>", sizes[0], sizes[1]),
                    w = fmt::format("tensor<{}x{}xf32>", sizes[1], sizes[2]),
                    y = fmt::format("tensor<{}x{}xf32>", sizes[0], sizes[2]);
  return fmt::format(
      "module @m {{\n sdy.mesh @mesh = <[{}]>\n func.func public @main(%a: {} {}, %b: {} {}) -> ({} {}) {{\n "
      " "
      "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({}, {}) -> {}\n  return %0 : {}\n "
      "}}\n}}\n",
      axes, x, sdy(specs[0]), w, sdy(specs[1]), y, sdy(specs[2]), x, w, y, y);
}

TEST(ShardyPartitioner, MovesOfAProductWhatShardyMoves) {
  for (const char* file : {"shardy_dot_2x4.txt", "shardy_dot_4x2.txt"}) {
    std::ifstream in(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/engine/partition/golden/" + file);
    std::string line;
    std::vector<std::string> head;
    size_t rows = 0;
    while (std::getline(in, line)) {
      if (line.empty() || line[0] == '#') continue;
      const std::vector<std::string> cells = split(line, ';');
      if (head.empty()) {
        head = cells;
        continue;
      }
      std::vector<std::string> axes;
      for (const std::string& axis : split(head[0], ','))
        axes.push_back("\"" + axis.substr(0, 1) + "\"=" + axis.substr(2));
      const auto made =
          partitioned(product(join(axes, ", "), split(head[1], ','), {cells[0], cells[1], cells[2]}));
      ASSERT_TRUE(made.ok()) << line << "\n" << made.error().text();
      std::vector<std::string> own = steps_of(*made), want;
      std::erase(own, "dynamic-slice");
      if (cells.size() > 3 && !cells[3].empty()) want = split(cells[3], ' ');
      std::vector<std::string> written = collectives_of(*(*made)->program);
      for (auto* list : {&own, &want, &written}) std::ranges::sort(*list);
      EXPECT_EQ(own, want) << file << " " << line;
      // A collective along several dimensions is one each in HLO.
      EXPECT_GE(written.size(), own.size()) << file << " " << line;
      ++rows;
    }
    EXPECT_EQ(rows, 729U) << file;
  }
}

const std::string kMlp = R"(module @m {
 sdy.mesh @mesh = <["data"=2, "model"=4]>
 func.func public @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %v: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
 }
}
)";

TEST(ShardyPartitioner, EveryStageNamesTheOneBefore) {
  const auto made = partitioned(kMlp);
  ASSERT_TRUE(made.ok()) << made.error().text();
  std::vector<std::string> kinds;
  for (StagePtr stage = *made; stage != nullptr; stage = stage->before) kinds.emplace_back(name(stage->kind));
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"partitioned", "collectives", "resharded", "propagated", "module"}));
  EXPECT_EQ(steps_of(*made), (std::vector<std::string>{"reduce-scatter"}));
  EXPECT_EQ(collectives_of(*(*made)->program), (std::vector<std::string>{"reduce-scatter"}));
  const auto resharded = fitted_stage(*made, StageKind::resharded);
  EXPECT_EQ(resharded->moves.size(), 2U);  // the sum, and what is left of it
  // The collective is there for the product that leaves partial sums.
  ASSERT_EQ((*made)->collectives.size(), 1U);
  const CollectiveOrigin& row = (*made)->collectives.front();
  const auto sources = sources_in(first_stage(**made), **made, row.name);
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(first_stage(**made).program.find(sources[0])->opcode, Opcode::dot);
}

// With a second result, which `said` makes of the product and the function returns as `returned`.
std::string with_second_result(const std::string& said, const std::string& returned) {
  std::string text = kMlp;
  const std::string result =
      "(tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {\"model\"}]>})";
  const std::string second = "tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}]>}";
  text.replace(text.find(result), result.size(), result.substr(0, result.size() - 1) + ", " + second + ")");
  const std::string back = "  return %2 : tensor<8x16xf32>";
  text.replace(text.find(back), back.size(),
               said + "  return %2, " + returned + " : tensor<8x16xf32>, tensor<8x16xf32>");
  return text;
}

// What all readers slice alike is scattered; a sum that one of them reads whole is not.
TEST(ShardyPartitioner, ScattersASumThatNobodyReadsWhole) {
  const auto sliced = partitioned(with_second_result("", "%2"));
  ASSERT_TRUE(sliced.ok()) << sliced.error().text();
  EXPECT_EQ(steps_of(*sliced), (std::vector<std::string>{"reduce-scatter", "all-gather"}));
  const auto whole = partitioned(
      with_second_result("  %3 = sdy.sharding_constraint %2 <@mesh, [{\"data\"}, {}]> : tensor<8x16xf32>\n"
                         "  %4 = stablehlo.tanh %3 : tensor<8x16xf32>\n",
                         "%4"));
  ASSERT_TRUE(whole.ok()) << whole.error().text();
  EXPECT_EQ(steps_of(*whole), (std::vector<std::string>{"all-reduce", "dynamic-slice"}));
}

}  // namespace
}  // namespace shardscope::shardy_partitioner_test
