// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

#include "engine/run/equal_devices.h"
#include "engine/run/terms.h"
#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"

namespace shardscope::term_counts_test {
namespace {

struct Timed {
  Program program;
  Timeline timeline;
};

Timed timed(const std::string& strategy, const std::string& mesh, const std::string& hardware = "tpu-v4") {
  const MatmulProblem problem{512, 1024, 2048, ElementType::f32, ElementType::f32};
  Hardware chip = *find_hardware(hardware);
  if (!chip.link.latency_s) chip.link.latency_s = 1e-6;  // where none is published
  Timed out;
  out.program = *resolve_collectives(*(*find_strategy(strategy))->plan(*Mesh::parse(mesh), problem, {}), chip,
                                     CollectiveAlgorithm::automatic);
  out.timeline = *schedule(out.program, chip, {}, {});
  return out;
}

std::vector<int32_t> all_of(const Timeline& timeline) {
  std::vector<int32_t> devices(static_cast<size_t>(timeline.devices));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

// Device-picoseconds in compute and exposed up to the end.
std::array<Picoseconds, 2> integral(const TermCounts& counts, Picoseconds total) {
  std::array<Picoseconds, 2> sums{};
  for (size_t i = 0; i < counts.steps.size(); ++i) {
    const Picoseconds end = i + 1 < counts.steps.size() ? counts.steps[i + 1].from : total;
    sums[0] += counts.steps[i].compute * (end - counts.steps[i].from);
    sums[1] += counts.steps[i].exposed * (end - counts.steps[i].from);
  }
  return sums;
}

class TermCountsOf : public ::testing::TestWithParam<std::array<const char*, 3>> {};

TEST_P(TermCountsOf, EveryDeviceAddsUpToItsTotals) {
  const auto& [strategy, mesh, hardware] = GetParam();
  const Timed run = timed(strategy, mesh, hardware);
  for (int32_t d = 0; d < run.timeline.devices; ++d) {
    const DeviceTotals& totals = run.timeline.totals[static_cast<size_t>(d)];
    const std::array<int32_t, 1> one{d};
    const auto sums = integral(term_counts(run.program.mesh, run.timeline, one), run.timeline.total);
    EXPECT_EQ(sums[0], totals.compute) << d;
    EXPECT_EQ(sums[1], totals.exposed) << d;
  }
}

// At moments between any two ends: each chosen device by looking at every event.
TEST_P(TermCountsOf, AMomentIsWhatTheEventsSayThen) {
  const auto& [strategy, mesh, hardware] = GetParam();
  const Timed run = timed(strategy, mesh, hardware);
  std::mt19937 random(7);
  std::vector<int32_t> devices = all_of(run.timeline);
  std::erase_if(devices, [&](int32_t) { return random() % 3 == 0; });
  const TermCounts counts = term_counts(run.program.mesh, run.timeline, devices);
  std::map<int32_t, TermCounts> one;
  for (const int32_t d : devices)
    one[d] = term_counts(run.program.mesh, run.timeline, std::array<int32_t, 1>{d});
  for (int i = 0; i < 300; ++i) {
    const auto time = static_cast<Picoseconds>(random() % static_cast<uint64_t>(run.timeline.total));
    int32_t compute = 0, exposed = 0, sends = 0;
    for (const int32_t d : devices) {
      bool computes = false, sending = false;
      for (const Event& e : run.timeline.events) {
        if (e.device != d || e.start > time || e.end <= time) continue;
        computes = computes || e.kind == EventKind::compute;
        sending = sending || (e.kind == EventKind::transfer && !e.relayed);
      }
      compute += computes ? 1 : 0;
      sends += sending ? 1 : 0;
      exposed += one[d].at(time).exposed;
      EXPECT_LE(one[d].at(time).compute + one[d].at(time).exposed, 1);
    }
    const TermCount at = counts.at(time);
    EXPECT_EQ(at.compute, compute) << time;
    EXPECT_EQ(at.sends, sends) << time;
    EXPECT_EQ(at.exposed, exposed) << time;
    EXPECT_EQ(counts.idle(at), std::ssize(devices) - compute - exposed) << time;
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, TermCountsOf,
                         ::testing::Values(std::array{"cannon.os", "row=4,col=4", "tpu-v4"},
                                           std::array{"fox", "row=4,col=4", "tpu-v4"},
                                           std::array{"wang.os", "row=2,col=4", "tpu-v5e"},
                                           std::array{"meshslice.os", "row=2,col=4", "tpu-v4"},
                                           std::array{"psum", "row=4,col=2", "tpu-v4"},
                                           std::array{"summa.os", "row=4,col=4", "h100"},
                                           std::array{"collective.os", "row=2,col=8", "h100"}));

TEST(TermCounts, TheMeanOfARangeIsItsIntegralOverItsLength) {
  const Timed run = timed("fox", "row=4,col=4");
  const TermCounts counts = term_counts(run.program.mesh, run.timeline, all_of(run.timeline));
  const auto sums = integral(counts, run.timeline.total);
  const auto mean = counts.mean(0, run.timeline.total);
  EXPECT_NEAR(mean[0], static_cast<double>(sums[0]) / static_cast<double>(run.timeline.total), 1e-9);
  EXPECT_NEAR(mean[1], static_cast<double>(sums[1]) / static_cast<double>(run.timeline.total), 1e-9);
  const TermCount at = counts.at(run.timeline.total / 2);
  const auto there = counts.mean(run.timeline.total / 2, run.timeline.total / 2 + 1);
  EXPECT_DOUBLE_EQ(there[0], at.compute);
  EXPECT_DOUBLE_EQ(there[1], at.exposed);
  EXPECT_EQ(counts.at(-1), TermCount{});
}

TEST(EqualDevices, AreThoseWhoseEventsAreTheSame) {
  for (const char* strategy : {"cannon.os", "fox", "wang.os"}) {
    auto run = std::make_shared<shardscope::Run>();
    Timed made = timed(strategy, "row=4,col=4");
    run->mesh = made.program.mesh;
    run->timeline = made.timeline;
    const EqualDevices equal = equal_devices(*run, *memory_trace(run));
    const auto events_of = [&](int32_t d) {
      std::vector<std::array<int64_t, 6>> out;
      for (const Event& e : made.timeline.events)
        if (e.device == d) out.push_back({e.lane, e.start, e.end, e.instruction, e.bytes, e.relayed ? 1 : 0});
      std::ranges::sort(out);
      return out;
    };
    EXPECT_TRUE(equal.exact);
    for (int32_t a = 0; a < 16; ++a) {
      EXPECT_LE(equal.like[static_cast<size_t>(a)], a);
      for (int32_t b = 0; b < 16; ++b)
        EXPECT_EQ(equal.like[static_cast<size_t>(a)] == equal.like[static_cast<size_t>(b)],
                  events_of(a) == events_of(b))
            << strategy << " " << a << " " << b;
    }
  }
}

}  // namespace
}  // namespace shardscope::term_counts_test
