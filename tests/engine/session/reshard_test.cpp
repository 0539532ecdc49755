// SPDX-License-Identifier: Apache-2.0
// The ways between shardings as the command answers them: each proved by running it, none slower than what
// others take, time and bytes of the chip's own collectives.
#include "engine/session/routes/reshard.h"

#include <gtest/gtest.h>
#include <set>

namespace shardscope::reshard_test {
namespace {

Resharded answer(const char* mesh, std::vector<int64_t> dims, const char* from, const char* to,
                 const char* chip = "tpu-v5e") {
  ReshardQuestion q;
  q.mesh = *Mesh::parse(mesh);
  q.shape = Shape::array(ElementType::f32, std::move(dims));
  q.from = *parse_axis_split(from, q.mesh, q.shape.rank());
  q.to = *parse_axis_split(to, q.mesh, q.shape.rank());
  q.hardware = *find_hardware(chip);
  const Workers workers(1);
  Result<Resharded> made = reshard(q, workers, {});
  EXPECT_TRUE(made.ok()) << from << " to " << to << ": " << (made.ok() ? "" : made.error().what);
  return made.ok() ? *std::move(made) : Resharded();
}

std::vector<std::string> opcodes(const PricedRoute& route) {
  std::vector<std::string> out;
  for (const RouteStep& step : route.steps) out.push_back(step.opcode);
  return out;
}

void expect_sound(const Resharded& made, const std::string& what) {
  ASSERT_FALSE(made.routes.empty()) << what;
  for (const PricedRoute& route : made.routes) EXPECT_TRUE(route.proved) << what << ": " << route.unproved;
  for (const OthersRoute* other : {&made.xla, &made.shardy, &made.dtensor}) {
    EXPECT_NE(other->route.has_value(), !other->why.empty()) << what;
    if (!other->route) continue;
    EXPECT_TRUE(other->route->proved) << what << ": " << other->route->unproved;
    EXPECT_LE(made.routes.front().time, other->route->time) << what;
  }
}

const char* const kSpecs[] = {"P(None, None)",       "P('x', None)",         "P(None, 'y')",
                              "P('x', 'y')",         "P('y', 'x')",          "P(('y', 'x'), None)",
                              "P(None, ('x', 'y'))", "P('y:(1)2', 'y:(2)2')"};

TEST(Reshard, EveryWayIsProvedAndNoneIsSlowerThanOthersTake) {
  for (const char* from : kSpecs)
    for (const char* to : kSpecs)
      expect_sound(answer("x=2,y=4", {16, 32}, from, to), std::string(from) + " to " + to);
}

TEST(Reshard, PartialResultsAreCombinedAndMade) {
  for (const char* kind : {"", "max", "min"}) {
    const std::string partial = std::string("P(None, None, unreduced=") + kind + "{'x'})";
    const std::string both = std::string("P('x', None, unreduced=") + kind + "{'y'})";
    for (const char* other : kSpecs) {
      expect_sound(answer("x=2,y=4", {16, 32}, partial.c_str(), other), partial + " to " + other);
      expect_sound(answer("x=2,y=4", {16, 32}, other, both.c_str()), std::string(other) + " to " + both);
    }
    expect_sound(answer("x=2,y=4", {16, 32}, partial.c_str(), both.c_str()), partial + " to " + both);
  }
}

// An axis goes from one dimension to another: one exchange, of which a device keeps its own part. A small
// array is there sooner when all of it is gathered.
TEST(Reshard, AnAxisChangesItsDimension) {
  const auto asked = [](std::vector<int64_t> dims) {
    return answer("x=4,y=2", std::move(dims), "P('x', None)", "P(None, 'x')", "h100");
  };
  const Resharded made = asked({4096, 8192});
  EXPECT_EQ(opcodes(made.routes.front()), (std::vector<std::string>{"all-to-all"}));
  EXPECT_EQ(made.routes.front().steps.front().axes, (std::vector<std::string>{"x"}));
  EXPECT_DOUBLE_EQ(made.routes.front().bytes, 4096 * 8192 * 4 / 4.0 * 3 / 4);
  EXPECT_EQ(opcodes(*made.xla.route), (std::vector<std::string>{"all-to-all"}));
  EXPECT_EQ(made.xla.route->time, made.routes.front().time);
  const Resharded small = asked({64, 128});
  EXPECT_LT(small.routes.front().time, small.xla.route->time);
  EXPECT_EQ(opcodes(small.routes.front()), (std::vector<std::string>{"all-gather", "dynamic-slice"}));
}

// PyTorch gathers over y and exchanges over x; an exchange of the swapped places does.
TEST(Reshard, DTensorsWayCanBeDearerThanNeedBe) {
  const Resharded made = answer("x=2,y=4", {64, 128}, "P(('x', 'y'), None)", "P('y', 'x')");
  ASSERT_TRUE(made.dtensor.route.has_value());
  EXPECT_EQ(opcodes(*made.dtensor.route),
            (std::vector<std::string>{"all-gather", "all-to-all", "dynamic-slice"}));
  EXPECT_LT(made.routes.front().time, made.dtensor.route->time);
}

// A large array is proved at a smaller size.
TEST(Reshard, LargeArraysAreProvedToo) {
  const Resharded made = answer("x=4,y=4", {8192, 8192}, "P('x', 'y')", "P('y', 'x')");
  expect_sound(made, "8192");
}

TEST(Reshard, RefusesWhatCannotBe) {
  ReshardQuestion q;
  q.mesh = *Mesh::parse("x=4,y=2");
  q.shape = Shape::array(ElementType::f32, {6, 8});
  q.from = *parse_axis_split("P('x', None)", q.mesh, 2);
  q.to = *parse_axis_split("P(None, 'x')", q.mesh, 2);
  q.hardware = *find_hardware("tpu-v5e");
  const Workers workers(1);
  EXPECT_FALSE(reshard(q, workers, {}).ok());
  q.shape = Shape::array(ElementType::f32, {8, 8});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(reshard(q, workers, stop.get_token()).ok());
  q.shape.type = ElementType::c64;
  q.to = *parse_axis_split("P(None, unreduced=max{'x'})", q.mesh, 2);
  EXPECT_EQ(reshard(q, workers, {}).error().what, "complex numbers have no max");
}

// Half an axis of six and a third of it have no parts in common.
TEST(Reshard, RefusesPartsThatDoNotNest) {
  ReshardQuestion q;
  q.mesh = *Mesh::parse("y=6");
  q.shape = Shape::array(ElementType::f32, {12, 12});
  q.from = *parse_axis_split("P('y:(1)2')", q.mesh, 2);
  q.to = *parse_axis_split("P('y:(1)3')", q.mesh, 2);
  q.hardware = *find_hardware("tpu-v5e");
  EXPECT_EQ(reshard(q, Workers(1), {}).error().what, "the parts y:(1)2 and y:(1)3 of an axis do not nest");
}

TEST(Reshard, SaysWhatItTimes) {
  ReshardQuestion q;
  q.mesh = *Mesh::parse("x=4");
  q.shape = Shape::array(ElementType::f32, {8, 8});
  q.from = *parse_axis_split("P('x', None)", q.mesh, 2);
  q.to = *parse_axis_split("P(None, 'x')", q.mesh, 2);
  q.hardware = *find_hardware("tpu-v5e");
  std::vector<std::string> told;
  q.progress = [&](const std::string& what, double) { told.push_back(what); };
  ASSERT_TRUE(reshard(q, Workers(1), {}).ok());
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front(), "timing step 1");
  EXPECT_EQ(told.back(), "routes");
}

}  // namespace
}  // namespace shardscope::reshard_test
