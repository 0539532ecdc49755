// SPDX-License-Identifier: Apache-2.0
// Annotations that do without collectives: each was tried.
#include "engine/session/modules/fixes.h"

#include <gtest/gtest.h>

#include "engine/hardware/hardware.h"
#include "engine/partition/entry/partition.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/atlas/program_costs.h"
#include "engine/session/hlo_presets.h"

namespace shardscope::fixes_test {
namespace {

constexpr FixLimits kEnough{200, std::chrono::minutes(10)};

Hardware chip() {
  return *find_hardware("tpu-v5e");
}

Program parsed(const std::string& text) {
  auto out = parse_program(text);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? *std::move(out) : Program();
}

PartitionOptions spreading() {
  PartitionOptions out;
  out.propagate = true;
  return out;
}

Fixes fixes_of_text(const std::string& text, const FixLimits& limits = kEnough) {
  const auto made = partition(parsed(text), spreading());
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  if (!made.ok()) return {};
  const auto out = fixes_of(*made, spreading(), chip(), limits);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? *out : Fixes();
}

// Rows, then columns by an annotation in between, then rows again.
constexpr const char* kThereAndBack = R"(HloModule m
ENTRY e {
  p = f32[512,512] parameter(0), sharding={devices=[4,1]<=[4]}
  t = f32[512,512] tanh(p)
  between = f32[512,512] custom-call(t), custom_call_target="Sharding", sharding={devices=[1,4]<=[4]}
  n = f32[512,512] negate(between)
  ROOT r = f32[512,512] custom-call(n), custom_call_target="Sharding", sharding={devices=[4,1]<=[4]}
}
)";

TEST(Fixes, SayWhichAnnotationDoesWithoutACollective) {
  const Fixes out = fixes_of_text(kThereAndBack);
  ASSERT_FALSE(out.fixes.empty());
  const Fix& best = out.fixes.front();
  EXPECT_LT(best.then.collectives, best.now.collectives);
  EXPECT_LT(best.then.time, best.now.time);
  EXPECT_FALSE(best.removes.empty());
  EXPECT_NE(best.words().find(best.removes.front()), std::string::npos) << best.words();
  EXPECT_EQ(best.edit.instruction, "between") << best.words();  // which is where the user said it
  EXPECT_EQ(best.place, FixPlace::annotation);
  EXPECT_EQ(best.then.collectives, 0);
}

// What is said of it is what the module costs with it.
TEST(Fixes, CostWhatTheModuleCostsWithThem) {
  for (const HloPreset& preset : hlo_presets()) {
    const auto read = parse_program(preset.text);
    if (!read.ok()) continue;
    const auto made = partition(*read, spreading());
    if (!made.ok()) continue;
    const auto found = fixes_of(*made, spreading(), chip(), {16, std::chrono::minutes(10)});
    ASSERT_TRUE(found.ok()) << preset.name << found.error().text();
    for (const Fix& fix : found->fixes) {
      PartitionOptions how = spreading();
      how.devices = made->program->mesh.device_count();
      const auto with = partition(with_edit(*read, fix.edit), how);
      ASSERT_TRUE(with.ok()) << preset.name << " " << fix.words();
      const auto cost = ProgramCosts(with->program->mesh, chip()).of(*with->program, {});
      ASSERT_TRUE(cost.ok());
      EXPECT_EQ(cost->time, fix.then.time) << preset.name << " " << fix.words();
      EXPECT_LE(fix.then.time, fix.now.time) << preset.name;
      EXPECT_LE(fix.then.bytes_sent, fix.now.bytes_sent) << preset.name;
      EXPECT_TRUE(fix.then.time < fix.now.time || fix.then.bytes_sent < fix.now.bytes_sent) << preset.name;
    }
  }
}

// A weight that is gathered before it is used: every device could hold it whole, which is no fix.
TEST(Fixes, LeaveArgumentsAsManyShardsAsTheyHave) {
  const Fixes out = fixes_of_text(R"(HloModule m
ENTRY e {
  x = f32[1024,512] parameter(0), sharding={devices=[4,1]<=[4]}
  w = f32[512,512] parameter(1), sharding={devices=[4,1]<=[4]}
  ROOT y = f32[1024,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[4,1]<=[4]}
}
)");
  for (const Fix& fix : out.fixes) EXPECT_NE(fix.edit.sharding, "{replicated}") << fix.words();
}

TEST(Fixes, OfAModuleWithoutCollectivesAreNone) {
  const Fixes out = fixes_of_text(R"(HloModule m
ENTRY e {
  x = f32[1024,512] parameter(0), sharding={devices=[4,1]<=[4]}
  ROOT y = f32[1024,512] tanh(x), sharding={devices=[4,1]<=[4]}
}
)");
  EXPECT_TRUE(out.fixes.empty());
  EXPECT_EQ(out.tried + out.left, 0);
}

// What the partitioner warns of has an annotation on the way that was tried.
TEST(Fixes, OfAFullCopyAreTriedUnasked) {
  const std::string text = R"(HloModule m
ENTRY e {
  x = f32[1200,1200] parameter(0), sharding={devices=[2,3]<=[6]}
  t = f32[1200,1200] tanh(x), sharding={devices=[2,3]<=[6]}
  ROOT y = f32[1200,1200] copy(t), sharding={devices=[3,2]<=[6]}
}
)";
  const auto made = partition(parsed(text), spreading());
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->rematerializations.size(), 1U);
  const auto out = fixes_of(*made, spreading(), chip(), unasked_fix_limits(parsed(text)));
  ASSERT_TRUE(out.ok());
  ASSERT_FALSE(out->fixes.empty());
  EXPECT_EQ(out->fixes.front().edit.reader, "y") << out->fixes.front().words();
  EXPECT_EQ(out->fixes.front().place, FixPlace::constraint);
}

TEST(Fixes, KeepTheirLimitsAndSayWhatTheyLeftOut) {
  const Fixes out = fixes_of_text(kThereAndBack, {1, std::chrono::minutes(10)});
  EXPECT_EQ(out.tried, 1);
  EXPECT_GT(out.left, 0);
  EXPECT_EQ(fixes_of_text(kThereAndBack, {200, std::chrono::milliseconds(0)}).tried, 0);
}

TEST(Fixes, StopWhenAsked) {
  const auto made = partition(parsed(kThereAndBack), spreading());
  ASSERT_TRUE(made.ok());
  std::stop_source stop;
  stop.request_stop();
  PartitionOptions how = spreading();
  how.stop = stop.get_token();
  const auto out = fixes_of(*made, how, chip(), kEnough);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace shardscope::fixes_test
