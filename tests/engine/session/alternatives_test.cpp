// SPDX-License-Identifier: Apache-2.0
// What a module would cost without one of its collectives.
#include "engine/session/modules/alternatives.h"

#include <gtest/gtest.h>

#include "engine/session/hlo_presets.h"

namespace shardscope::alternatives_test {
namespace {

std::string preset(const std::string& name) {
  for (const HloPreset& p : hlo_presets())
    if (p.name == name) return p.text;
  ADD_FAILURE() << "no preset " << name;
  return "";
}

ExplainOptions spreading() {
  ExplainOptions out;
  out.partition.propagate = true;
  return out;
}

ExplainedModule explained(const std::string& text) {
  auto out = explain_module(text, "m.hlo", spreading(), {});
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? *std::move(out) : ExplainedModule{};
}

// The module's text with the sharding written into the line that makes the array.
std::string edited(std::string text, const ShardingEdit& edit) {
  const size_t line = text.find("%" + edit.instruction + " = ");
  size_t end = text.find('\n', line);
  const size_t has = text.find(", sharding={", line);
  if (has < end) {
    const size_t close = text.find('}', has);
    text.erase(has, close + 1 - has);
    end = text.find('\n', line);
  }
  text.insert(end, ", sharding=" + edit.sharding);
  return text;
}

TEST(Alternatives, AreWhatTheModuleWouldCostWithThatShardingWrittenIntoItsText) {
  const std::string text = preset("mlp");
  const ExplainedModule m = explained(text);
  ASSERT_EQ(m.collectives.size(), 1U);
  const auto found = alternative_to(m, spreading(), 0, {});
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->now.total, m.timed->timeline.total);
  const ExplainedModule then = explained(edited(text, found->edit));
  ASSERT_TRUE(then.timed);
  EXPECT_EQ(found->then.total, then.timed->timeline.total);
  EXPECT_EQ(found->then.bytes_sent, then.bytes_sent());
  EXPECT_EQ(found->then.peak_bytes, then.peak_bytes);
  EXPECT_EQ(found->then.collectives, static_cast<int64_t>(then.collectives.size()));
  for (const ModuleCollective& c : then.collectives)
    EXPECT_FALSE(c.origin.instruction == m.collectives[0].origin.instruction &&
                 c.origin.operand == m.collectives[0].origin.operand);
  EXPECT_NE(found->words().find(found->edit.instruction + " as " + found->edit.spec), std::string::npos)
      << found->words();
}

TEST(Alternatives, EveryCollectiveOfEveryPresetHasOneOrAReason) {
  for (const HloPreset& p : hlo_presets()) {
    const ExplainedModule m = explained(p.text);
    for (size_t k = 0; k < m.collectives.size(); ++k) {
      const auto found = alternative_to(m, spreading(), k, {});
      if (found.ok())
        EXPECT_NE(found->edit.sharding, "") << p.name;
      else
        EXPECT_FALSE(found.error().what.empty()) << p.name;
    }
  }
}

TEST(Alternatives, AModuleThatCamePartitionedHasNoneAndSaysWhy) {
  const ExplainedModule m = explained(preset("compiled_layer"));
  ASSERT_FALSE(m.collectives.empty());
  const auto found = alternative_to(m, spreading(), 0, {});
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().what.find("already partitioned"), std::string::npos);
}

TEST(Alternatives, SharesOfTheCriticalPathAreThoseOfTheRun) {
  for (const HloPreset& p : hlo_presets()) {
    const ExplainedModule m = explained(p.text);
    double sum = 0;
    for (const ModuleCollective& c : m.collectives) {
      EXPECT_EQ(c.critical_share.has_value(), m.timed != nullptr) << p.name;
      sum += c.critical_share.value_or(0);
    }
    EXPECT_LE(sum, 1.0) << p.name;
    if (m.collectives.size() == 1 && m.timed) {
      EXPECT_GT(sum, 0) << p.name;
    }
  }
}

// The collective is on the path alone, so without it the run is as much shorter as its share says.
TEST(Alternatives, WithoutItsTimeARunIsShorterByItsShare) {
  const ExplainedModule m = explained(preset("mlp"));
  const auto without = time_without(m, 0, {});
  ASSERT_TRUE(without.ok()) << without.error().text();
  const auto total = static_cast<double>(m.timed->timeline.total);
  EXPECT_NEAR(static_cast<double>(*without), total * (1 - *m.collectives[0].critical_share), 1.0);
}

TEST(Alternatives, StopWhenAsked) {
  std::stop_source stop;
  const ExplainedModule m = explained(preset("mlp"));
  stop.request_stop();
  const auto found = alternative_to(m, spreading(), 0, stop.get_token());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace shardscope::alternatives_test
