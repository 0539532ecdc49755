// SPDX-License-Identifier: Apache-2.0
// What custom-calls say of their dimensions.
#include "engine/partition/types/batched_call.h"

#include <gtest/gtest.h>

namespace shardscope::batched_call_test {
namespace {

TEST(ShardingRuleText, IsReadAsShardyPrintsIt) {
  const auto rule = parse_sharding_rule(
      "#sdy.op_sharding_rule<([i, jk], [z_1, i])->([j, i, k], []) {i=8, j=2, k=4, z_1=3} reduction={z_1} "
      "need_replication={k}, custom>");
  ASSERT_TRUE(rule);
  using Array = ShardingRuleText::Array;
  EXPECT_EQ(rule->operands, (std::vector<Array>{{{0}, {1, 2}}, {{3}, {0}}}));
  EXPECT_EQ(rule->results, (std::vector<Array>{{{1}, {0}, {2}}, {}}));
  ASSERT_EQ(rule->factors.size(), 4U);
  EXPECT_EQ(rule->factors[2].size, 4);
  EXPECT_EQ(rule->factors[3].name, "z_1");
  EXPECT_EQ(rule->factors[3].kind, ShardingRuleText::Kind::reduction);
  EXPECT_EQ(rule->factors[2].kind, ShardingRuleText::Kind::need_replication);
}

TEST(ShardingRuleText, WhatIsNoRuleIsNone) {
  for (const char* text : {"", "#sdy.op_sharding_rule<", "([i])->([j]", "([i])->([j]) {i=8, k=2}",
                           "([i])->([i]) {i=0}", "([i])->([i]) {i=99999999999999999999}", "([i j])->([i])",
                           "([I])->([I]) {I=2}", "([i])->([i]) {i=8} reduction={q}", "([])([])"})
    EXPECT_FALSE(parse_sharding_rule(text)) << text;
}

std::optional<BatchedCall> call(const std::string& rule, const std::string& result = "f32[8,4]") {
  const auto module = parse_program(
      "HloModule m\nENTRY e { x = f32[8,4] parameter(0)\n ROOT r = " + result +
      " custom-call(x), custom_call_target=\"mine\", frontend_attributes={xla.sdy.sharding_rule=\"" + rule +
      "\"} }\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  const Computation& entry = module->computations.back();
  return batched_call(entry, entry.root_instruction());
}

TEST(BatchedCall, WhatPassesThroughIsABatch) {
  const auto rows = call("#sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=4, k=4} need_replication={j, k}>");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->count, 1U);
  EXPECT_EQ(rows->operands, (std::vector<std::vector<int64_t>>{{0, -1}}));
  EXPECT_EQ(rows->results, (std::vector<std::vector<int64_t>>{{0, -1}}));
  // A result that has not all of them would be another one on every device.
  const auto turned = call("#sdy.op_sharding_rule<([i, j])->([j]) {i=8, j=4}>", "f32[4]");
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->results, (std::vector<std::vector<int64_t>>{{0}}));
  EXPECT_EQ(turned->operands, (std::vector<std::vector<int64_t>>{{-1, 0}}));
}

TEST(BatchedCall, ARuleThatDoesNotFitSaysNothing) {
  EXPECT_FALSE(call("#sdy.op_sharding_rule<([i, j])->([i, k]) {i=9, j=4, k=4}>"));         // another size
  EXPECT_FALSE(call("#sdy.op_sharding_rule<([i])->([i]) {i=8}>"));                         // another rank
  EXPECT_FALSE(call("#sdy.op_sharding_rule<([i, j], [i])->([i, j]) {i=8, j=4}>"));         // more operands
  EXPECT_FALSE(call("#sdy.op_sharding_rule<([i, i])->([i, j]) {i=8, j=4}>", "f32[8,8]"));  // twice
}

}  // namespace
}  // namespace shardscope::batched_call_test
