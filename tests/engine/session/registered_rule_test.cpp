// SPDX-License-Identifier: Apache-2.0
// Registered operations that say how they are sharded and what they take.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/base/read_file.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/module_form.h"
#include "engine/program/registered.h"
#include "engine/run/local_cost.h"
#include "engine/session/gradient_check.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"

namespace shardscope::registered_rule_test {
namespace {

Program read(std::string text) {
  auto out = read_module_bytes(std::move(text), "operation.hlo");
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? std::move(out->program) : Program();
}

// Each row's sum times a weight a column, on top of the row: rows are for themselves, columns are not.
std::string rows(const std::string& says, const std::string& x = "{devices=[4,1]<=[4]}",
                 const std::string& w = "{devices=[4]<=[4]}") {
  return "HloModule m\n"
         "sum { q = f32[] parameter(0)\n r = f32[] parameter(1)\n ROOT u = f32[] add(q, r) }\n"
         "rowscale { x = f32[8,16] parameter(0)\n w = f32[16] parameter(1)\n z = f32[] constant(0)\n"
         " s = f32[8] reduce(x, z), dimensions={1}, to_apply=sum\n"
         " sb = f32[8,16] broadcast(s), dimensions={0}\n wb = f32[8,16] broadcast(w), dimensions={1}\n"
         " p = f32[8,16] multiply(sb, wb)\n ROOT y = f32[8,16] add(p, x), frontend_attributes={" +
         says +
         "} }\n"
         "ENTRY main { p0 = f32[8,16] parameter(0), sharding=" +
         x + "\n p1 = f32[16] parameter(1), sharding=" + w +
         "\n c = f32[8,16] custom-call(p0, p1), custom_call_target=\"rowscale\"\n"
         " ROOT r = f32[8,16] add(c, c) }\n";
}
const std::string kRule = R"(sdy.sharding_rule="([i, j], [j])->([i, j]) {i=8, j=16} need_replication={j}")";
const std::string kCost = R"(flops="512",bytes="1088")";

Result<Partitioned> partitioned(const Program& module, Results results = Results::free) {
  PartitionOptions options;
  options.propagate = true;
  options.results = results;
  return partition(module, options);
}

const Instruction* operation_in(const Program& program) {
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (is_operation(i)) return &i;
  return nullptr;
}

int64_t count(const Program& program, Opcode opcode) {
  int64_t out = 0;
  for (const Computation& c : program.computations)
    out += std::ranges::count(c.instructions, opcode, &Instruction::opcode);
  return out;
}

bool is_proved(const Program& module, const Partitioned& made) {
  const Workers workers;
  const auto proof = prove(made, *module_arguments(module, 3, workers), workers, {});
  EXPECT_TRUE(proof.ok()) << (proof.ok() ? "" : proof.error().text());
  return proof.ok() && proof->bit_equal;
}

TEST(RegisteredRule, TheCallStaysOneKernelOnShards) {
  const Program module = read(rows(kRule + "," + kCost));
  const auto made = partitioned(module);
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Instruction* fusion = operation_in(*made->program);
  ASSERT_NE(fusion, nullptr);
  EXPECT_EQ(fusion->shape.dims, (std::vector<int64_t>{2, 16})) << "rows are sharded by the rule";
  EXPECT_EQ(operation_cost(*fusion).flops, 128) << "a device has a fourth of the flops";
  EXPECT_EQ(operation_cost(*fusion).bytes, 2 * 16 * 4 * 2 + 16 * 4) << "and of the bytes what it touches";
  EXPECT_EQ(count(*made->program, Opcode::all_gather), 1) << "w, whose columns need replication";
  EXPECT_EQ(count(*made->program, Opcode::all_reduce), 0);
  EXPECT_TRUE(is_proved(module, *made));
}

TEST(RegisteredRule, ItIsTimedByWhatItSays) {
  const auto made = partitioned(read(rows(kRule + ",flops=\"4e12\",bytes=\"4e9\"")));
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Instruction* fusion = operation_in(*made->program);
  ASSERT_NE(fusion, nullptr);
  Hardware chip;
  chip.compute.peak_flops_per_s[ElementType::f32] = 1e12;
  chip.memory.hbm_bytes_per_s = 1e12;
  const auto cost =
      local_cost(*made->program, made->program->entry_computation(), *fusion, chip, ModuleTiming()).value();
  EXPECT_EQ(cost.flops, 1e12);
  EXPECT_EQ(cost.cost.total(), to_picoseconds(1.0)) << "a fourth of the flops at the peak";
}

TEST(RegisteredRule, FactorsThatNeedReplicationAreGathered) {
  const Program module = read(rows(kRule, "{devices=[1,4]<=[4]}"));
  const auto made = partitioned(module);
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Instruction* fusion = operation_in(*made->program);
  ASSERT_NE(fusion, nullptr);
  EXPECT_EQ(fusion->shape.dims, (std::vector<int64_t>{8, 16}));
  EXPECT_EQ(count(*made->program, Opcode::all_gather), 2) << "x and w";
  EXPECT_TRUE(is_proved(module, *made));
}

TEST(RegisteredRule, UnevenShardsArePadded) {
  const Program module = read(rows(kRule, "{devices=[3,1]<=[3]}", "{replicated}"));
  const auto made = partitioned(module, Results::replicated);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(operation_in(*made->program)->shape.dims, (std::vector<int64_t>{3, 16}));
  EXPECT_TRUE(is_proved(module, *made));
}

TEST(RegisteredRule, OneThatLetsTooMuchBeShardedIsRefused) {
  const auto made = partitioned(
      read(rows(R"(sdy.sharding_rule="([i, j], [j])->([i, j]) {i=8, j=16}")", "{devices=[1,4]<=[4]}")));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(
      made.error().text(),
      "operation rowscale needs all-reduce between its shards, but its sharding rule lets j be sharded; "
      "computation rowscale; name the factor in need_replication={…} of the rule");
}

TEST(RegisteredRule, OneThatDoesNotFitIsRefused) {
  const auto made = partitioned(read(rows(R"(sdy.sharding_rule="([i], [j])->([i, j]) {i=8, j=16}")")));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().text().find("operation rowscale has the sharding rule ([i], [j])->([i, j]) {i=8, "
                                     "j=16}, which does not fit its call"),
            std::string::npos)
      << made.error().text();
}

TEST(RegisteredRule, WithoutARuleItIsWrittenOut) {
  const Program module = read(rows("other=\"x\""));
  const auto made = partitioned(module);
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(operation_in(*made->program), nullptr);
  EXPECT_EQ(count(*made->program, Opcode::reduce), 1);
  EXPECT_TRUE(is_proved(module, *made));
}

TEST(RegisteredRule, WithACostAloneItIsWholeOnEveryDevice) {
  const Program module = read(rows(kCost));
  const auto made = partitioned(module);
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Instruction* fusion = operation_in(*made->program);
  ASSERT_NE(fusion, nullptr);
  EXPECT_EQ(fusion->shape.dims, (std::vector<int64_t>{8, 16}));
  EXPECT_EQ(operation_cost(*fusion).flops, 512);
  EXPECT_TRUE(is_proved(module, *made));
}

TEST(RegisteredRule, ACostThatIsNoNumberIsRefused) {
  const auto read = read_module_bytes(rows("flops=\"many\""), "operation.hlo");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().text(),
            "operation rowscale says flops many, expected a number that is not negative; instruction c");
}

TEST(RegisteredRule, AnOperationOfScalarsTakesItsCostForEachElement) {
  const Program module = read(
      "HloModule m\n"
      "scale { w = f32[] parameter(0)\n k = f32[] parameter(1)\n ROOT y = f32[] multiply(w, k), "
      "frontend_attributes={flops=\"3\"} }\n"
      "ENTRY main { a = f32[8,4] parameter(0), sharding={devices=[2,2]<=[4]}\n b = f32[] parameter(1)\n"
      " ROOT c = f32[8,4] custom-call(a, b), custom_call_target=\"scale\" }\n");
  const auto made = partitioned(module);
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Instruction* fusion = operation_in(*made->program);
  ASSERT_NE(fusion, nullptr);
  EXPECT_EQ(fusion->shape.dims, (std::vector<int64_t>{4, 2})) << "each element is for itself";
  EXPECT_EQ(operation_cost(*fusion).flops, 3 * 4 * 2);
  EXPECT_TRUE(is_proved(module, *made));
}

// The backward of an operation is one that says its own rule.
TEST(RegisteredRule, ItIsDifferentiatedByItsBackward) {
  const std::string text =
      "HloModule m\n"
      "sum { q = f32[] parameter(0)\n r = f32[] parameter(1)\n ROOT u = f32[] add(q, r) }\n"
      "twice { x = f32[8,4] parameter(0)\n ROOT y = f32[8,4] add(x, x), frontend_attributes={"
      "sdy.sharding_rule=\"([i, j])->([i, j]) {i=8, j=4}\"} }\n"
      "twice.backward { x1 = f32[8,4] parameter(0)\n g = f32[8,4] parameter(1)\n ROOT d = f32[8,4] add(g, "
      "g), "
      "frontend_attributes={sdy.sharding_rule=\"([i, j], [i, j])->([i, j]) {i=8, j=4}\"} }\n"
      "ENTRY main { a = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}\n"
      " s = f32[8,4] custom-call(a), custom_call_target=\"twice\"\n t = f32[8,4] multiply(s, s)\n"
      " z = f32[] constant(0)\n ROOT l = f32[] reduce(t, z), dimensions={0,1}, to_apply=sum }\n";
  const Program module = read(text);
  const GradRequest request{"l", {"a"}};
  const auto checks = check_backwards(module, request, 0, Workers()).value();
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].other, 0) << checks[0].text();
  const Program gradient_module = gradient(module, request).value();
  const auto made = partitioned(gradient_module);
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Instruction* fusion = operation_in(*made->program);
  ASSERT_NE(fusion, nullptr);
  EXPECT_EQ(fusion->shape.dims, (std::vector<int64_t>{2, 4}));
  EXPECT_TRUE(is_proved(gradient_module, *made));
}

}  // namespace
}  // namespace shardscope::registered_rule_test
