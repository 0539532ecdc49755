// SPDX-License-Identifier: Apache-2.0
// `auto` takes the fastest of the plans that it may choose from, on every chip, mesh and size, and says so.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"
#include "engine/run/chosen_plan.h"
#include "engine/schedule/schedule.h"
#include "engine/session/session.h"

namespace shardscope::fastest_plan_test {
namespace {

struct Place {
  const char* chip;
  const char* mesh;
};
constexpr Place kPlaces[] = {
    {"tpu-v5e", "row=8,col=8"}, {"tpu-v4", "row=2,col=4"}, {"tpu-v5p", "x=8"},      {"h100", "row=2,col=4"},
    {"h100", "node=5,gpu=8"},   {"gb200", "row=4,col=4"},  {"a100", "row=2,col=2"}, {"b200", "x=8"}};

Experiment asked(const Place& place, int64_t m, int64_t k, int64_t n) {
  Experiment e;
  e.hardware = place.chip;
  e.mesh = Mesh::parse(place.mesh).value();
  e.chip_wraps = true;
  e.problem = {m, k, n, ElementType::bf16, ElementType::f32};
  e.runs = {{.strategy = "auto"}};
  return e;
}

RunPtr run(const Experiment& e) {
  ExecutionOptions options;
  options.numerics = false;
  auto made = execute(e, e.runs.front(), options, {});
  EXPECT_TRUE(made.ok()) << made.error().text();
  return made.ok() ? *made : nullptr;
}

// Each plan alone, timed as the run is.
std::vector<Picoseconds> times_of_plans(const Run& run) {
  const Strategy& strategy = **find_strategy("auto");
  std::vector<Program> programs =
      strategy.alternatives(run.mesh, run.problem, run.asked.options, 1000).value();
  std::vector<Picoseconds> out;
  for (Program& program : programs) {
    const Program resolved = *resolve_collectives(std::move(program), run.hardware, run.collective);
    ScheduleOptions options;
    options.keep_events = false;
    options.overlap = run.experiment.overlap;
    out.push_back(schedule(resolved, run.hardware, options, {})->total);
  }
  return out;
}

TEST(FastestPlan, IsNeverSlowerThanAnyPlanThatItMayChoose) {
  int others = 0, runs = 0;
  for (const Place& place : kPlaces) {
    for (const auto& [m, k, n] : {std::tuple(1600, 1600, 320), std::tuple(6400, 1600, 1600),
                                  std::tuple(320, 12800, 320), std::tuple(3200, 320, 12800)}) {
      const RunPtr chosen = run(asked(place, m, k, n));
      ASSERT_TRUE(chosen);
      const std::vector<Picoseconds> times = times_of_plans(*chosen);
      EXPECT_EQ(chosen->timeline.total, std::ranges::min(times))
          << place.chip << " " << place.mesh << " " << m << " " << k << " " << n;
      others += times.front() > chosen->timeline.total ? 1 : 0;
      ++runs;
    }
  }
  EXPECT_EQ(runs, 32);
  EXPECT_GT(others, 4) << "the plan that sends the fewest bytes is not always the fastest";
}

// More columns never make it faster, as they did where bytes decided.
TEST(FastestPlan, MoreWorkTakesNoLessTime) {
  Picoseconds before = 0;
  for (int64_t n = 1024; n <= 65536; n *= 2) {
    const RunPtr chosen = run(asked({"tpu-v5e", "row=8,col=8"}, 1024, 1024, n));
    ASSERT_TRUE(chosen);
    EXPECT_GE(chosen->timeline.total, before) << n;
    before = chosen->timeline.total;
  }
}

TEST(FastestPlan, WithoutOverlapItIsTheFastestThere) {
  Experiment e = asked(kPlaces[0], 1600, 1600, 320);
  e.overlap = false;
  const RunPtr chosen = run(e);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->timeline.total, std::ranges::min(times_of_plans(*chosen)));
}

TEST(FastestPlan, SaysWhatItChoseAndWhy) {
  const RunPtr made = run(asked(kPlaces[0], 4096, 4096, 1024));
  ASSERT_TRUE(made);
  const auto chosen = chosen_plan(made->program);
  ASSERT_TRUE(chosen);
  const std::vector<Picoseconds> times = times_of_plans(*made);
  EXPECT_EQ(chosen->why.find(fmt::format("the fastest of {} plans, {}", times.size(),
                                         format_picoseconds(made->timeline.total))),
            0U)
      << chosen->why;
  if (times.front() > made->timeline.total) {
    EXPECT_NE(chosen->why.find("takes " + format_picoseconds(times.front())), std::string::npos)
        << chosen->why;
  }
  const auto json = nlohmann::json::parse(run_json(*made));
  EXPECT_EQ(json["chosen"]["plan"], chosen->plan);
  EXPECT_EQ(json["chosen"]["why"], chosen->why);
  const auto& others = json["options"]["alternative"];
  ASSERT_GE(others.size(), 8U);
  EXPECT_TRUE(others[0].get<std::string>().ends_with("s")) << others[0];
}

TEST(FastestPlan, WithoutAChipTheFewestBytesDecide) {
  Experiment e = asked({"tpu-v5e", "row=2,col=4"}, 64, 64, 64);
  const Program plain = *(*find_strategy("auto"))->plan(e.mesh, e.problem, {});
  EXPECT_NE(chosen_plan(plain)->why.find("bytes"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::fastest_plan_test
