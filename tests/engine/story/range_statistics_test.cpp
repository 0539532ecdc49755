// SPDX-License-Identifier: Apache-2.0
// What devices do in a range, against the definitions, applied moment by moment.
#include "engine/story/sums/range_statistics.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

#include "engine/story/sums/operation_name.h"
#include "tests/engine/story/told.h"

namespace shardscope::range_statistics_test {
namespace {

using story_test::Told;

shardscope::Run run_of(const Told& told) {
  shardscope::Run run;
  run.mesh = told.program.mesh;
  run.program = told.program;
  run.timeline = told.timeline;
  return run;
}

// Every strategy on two meshes.
void for_each_told(const std::function<void(const Told&, const shardscope::Run&)>& body) {
  int seen = 0;
  for (const char* mesh : {"row=2,col=4", "row=3,col=3"}) {
    story_test::for_each_run(mesh, [&](const Told& told) {
      SCOPED_TRACE(told.name);
      body(told, run_of(told));
      ++seen;
    });
  }
  EXPECT_GT(seen, 60);
}

bool does(const shardscope::Run& run, const Event& e, int32_t device) {
  return e.kind == EventKind::transfer ? leaves_or_arrives(run, e, device) : e.device == device;
}

struct Expected {
  Picoseconds compute = 0, comm = 0, exposed = 0, idle = 0;
  std::map<std::string, OperationStatistics> operations;
};

// Between two neighbouring ends of events nothing changes: each such moment is asked who does what.
Expected by_moments(const shardscope::Run& run, const Operations& keys, TimeRange range,
                    const std::vector<int32_t>& devices) {
  Expected out;
  std::set<Picoseconds> edges{range.start, range.end};
  for (const Event& e : run.timeline.events)
    for (const Picoseconds t : {e.start, e.end})
      if (t > range.start && t < range.end) edges.insert(t);
  for (const std::string& key : keys.keys) out.operations[key].key = key;
  for (auto from = edges.begin(), to = std::next(from); to != edges.end(); ++from, ++to) {
    const Picoseconds length = *to - *from;
    std::set<std::string> anywhere;
    for (const int32_t device : devices) {
      bool compute = false, comm = false;
      std::set<std::string> here;
      for (const Event& e : run.timeline.events) {
        if (e.start > *from || e.end < *to || e.end <= e.start || !does(run, e, device)) continue;
        compute = compute || e.kind == EventKind::compute;
        comm = comm || e.kind == EventKind::transfer;
        const std::string& key =
            keys.keys[static_cast<size_t>(keys.of_instruction[static_cast<size_t>(e.instruction)])];
        here.insert(key);
        if (e.kind == EventKind::compute) out.operations[key].computes = true;
      }
      out.compute += compute ? length : 0;
      out.comm += comm ? length : 0;
      out.exposed += comm && !compute ? length : 0;
      out.idle += !comm && !compute ? length : 0;
      for (const std::string& key : here) {
        out.operations[key].busy += length;
        if (!out.operations[key].computes && compute) out.operations[key].hidden += length;
      }
      anywhere.insert(here.begin(), here.end());
    }
    for (auto& [key, row] : out.operations) row.gaps += anywhere.count(key) == 0 ? length : 0;
  }
  return out;
}

std::vector<TimeRange> some_ranges(Picoseconds total, std::mt19937& random) {
  std::vector<TimeRange> out{{0, total}, {0, 1}, {total / 3, total / 3 + 1}};
  std::uniform_int_distribution<Picoseconds> any(0, total);
  const Picoseconds a = any(random), b = any(random);
  out.push_back({std::min(a, b), std::max(a, b)});
  return out;
}

TEST(RangeStatistics, OfTheWholeRunAreTheTotalsOfEachDevice) {
  for_each_told([](const Told& told, const shardscope::Run& run) {
    for (int32_t device = 0; device < run.timeline.devices; ++device) {
      const std::vector<int32_t> one{device};
      const RangeStatistics sums = range_statistics(run, &told.story, {0, run.timeline.total}, one);
      const DeviceTotals& is = run.timeline.totals[static_cast<size_t>(device)];
      ASSERT_EQ(sums.compute, is.compute);
      ASSERT_EQ(sums.comm, is.comm);
      ASSERT_EQ(sums.exposed, is.exposed);
      ASSERT_EQ(sums.idle, is.idle);
      ASSERT_EQ(sums.bytes_sent, is.bytes_sent);
      ASSERT_EQ(sums.cut, 0);
    }
  });
}

TEST(RangeStatistics, AreWhatEachMomentSays) {
  std::mt19937 random(7);
  int checked = 0;
  for_each_told([&](const Told& told, const shardscope::Run& run) {
    if (run.timeline.events.size() > 300) return;  // the definitions, applied literally, take their time
    ++checked;
    std::vector<int32_t> some;
    for (int32_t d = 0; d < run.timeline.devices; ++d)
      if (random() % 2 == 0) some.push_back(d);
    const Operations keys = operations_of_events(run, &told.story);
    for (const TimeRange range : some_ranges(run.timeline.total, random)) {
      for (const auto& devices : {all_devices(run), some}) {
        const RangeStatistics is = range_statistics(run, &told.story, range, devices);
        const Expected expected = by_moments(run, keys, range, devices);
        ASSERT_EQ(is.compute, expected.compute);
        ASSERT_EQ(is.comm, expected.comm);
        ASSERT_EQ(is.exposed, expected.exposed);
        ASSERT_EQ(is.idle, expected.idle);
        for (const OperationStatistics& row : is.operations) {
          const OperationStatistics& other = expected.operations.at(row.key);
          ASSERT_EQ(row.busy, other.busy) << row.key;
          ASSERT_EQ(row.gaps, other.gaps) << row.key;
          ASSERT_EQ(row.hidden, other.hidden) << row.key;
        }
        for (const auto& [key, other] : expected.operations)
          ASSERT_TRUE(other.busy == 0 ||
                      std::ranges::find(is.operations, key, &OperationStatistics::key) != is.operations.end())
              << key;
      }
    }
  });
  EXPECT_GT(checked, 30);
}

TEST(RangeStatistics, AnEventThatStraddlesTheRangeCountsWithItsPart) {
  const auto told = story_test::told_strategy("collective.os", "row=2,col=4");
  const shardscope::Run run = run_of(*told);
  const auto longest = std::ranges::max_element(
      run.timeline.events, {}, [](const Event& e) { return e.relayed ? 0 : e.end - e.start; });
  const Picoseconds length = longest->end - longest->start;
  const TimeRange half{longest->start + length / 4, longest->start + length / 2};
  const std::vector<int32_t> one{longest->device};
  const RangeStatistics sums = range_statistics(run, &told->story, half, one);
  const auto row = std::ranges::find_if(sums.operations, [&](const OperationStatistics& each) {
    return std::ranges::count(each.instructions, longest->instruction) > 0;
  });
  ASSERT_NE(row, sums.operations.end());
  Picoseconds parts = 0, whole = 0, shortest = INT64_MAX;
  int64_t count = 0;
  for (const Event& e : run.timeline.events) {
    if (e.relayed || e.device != one[0] || std::ranges::count(row->instructions, e.instruction) == 0)
      continue;
    const Picoseconds part = std::min(e.end, half.end) - std::max(e.start, half.start);
    if (part <= 0) continue;
    parts += part;
    whole += e.end - e.start;
    shortest = std::min(shortest, e.end - e.start);
    ++count;
  }
  EXPECT_LT(parts, whole);
  EXPECT_EQ(row->sum, parts);
  EXPECT_EQ(row->whole, whole);
  EXPECT_EQ(row->most, length);
  EXPECT_EQ(row->least, shortest);
  EXPECT_EQ(row->mean(), whole / count);
  EXPECT_EQ(row->count, count);
  EXPECT_EQ(row->cut, count);
}

TEST(RangeStatistics, TwoHalvesAddUpToTheWhole) {
  for_each_told([](const Told& told, const shardscope::Run& run) {
    const auto devices = all_devices(run);
    const Picoseconds total = run.timeline.total, middle = total / 2;
    const auto whole = range_statistics(run, &told.story, {0, total}, devices);
    const auto first = range_statistics(run, &told.story, {0, middle}, devices);
    const auto second = range_statistics(run, &told.story, {middle, total}, devices);
    ASSERT_EQ(first.compute + second.compute, whole.compute);
    ASSERT_EQ(first.exposed + second.exposed, whole.exposed);
    ASSERT_EQ(first.idle + second.idle, whole.idle);
    std::map<std::string, Picoseconds> sums;
    for (const auto* half : {&first, &second})
      for (const OperationStatistics& row : half->operations) sums[row.key] += row.sum;
    for (const OperationStatistics& row : whole.operations) ASSERT_EQ(sums[row.key], row.sum) << row.key;
  });
}

TEST(OperationTimes, EachCellIsTheRangeStatisticsOfItsBin) {
  for_each_told([](const Told& told, const shardscope::Run& run) {
    const auto devices = all_devices(run);
    const OperationTimes times = operation_times(run, &told.story, {0, run.timeline.total}, devices, 7);
    ASSERT_EQ(times.bins.size(), 7U);
    ASSERT_EQ(times.bins.front().start, 0);
    ASSERT_EQ(times.bins.back().end, run.timeline.total);
    for (size_t b = 0; b < times.bins.size(); ++b) {
      const RangeStatistics bin = range_statistics(run, &told.story, times.bins[b], devices);
      for (const OperationTimes::Row& row : times.rows) {
        const auto found = std::ranges::find(bin.operations, row.key, &OperationStatistics::key);
        ASSERT_EQ(row.busy[b], found == bin.operations.end() ? 0 : found->busy) << row.key;
      }
    }
  });
}

TEST(OperationTimes, ABinIsNeverFullerThanItsDevicesTime) {
  const auto told = story_test::told_strategy("wang.os", "row=2,col=4");
  const shardscope::Run run = run_of(*told);
  const auto devices = all_devices(run);
  const OperationTimes times = operation_times(run, &told->story, {0, run.timeline.total}, devices, 50);
  ASSERT_FALSE(times.rows.empty());
  for (const OperationTimes::Row& row : times.rows)
    for (size_t b = 0; b < times.bins.size(); ++b)
      EXPECT_LE(row.busy[b], times.bins[b].length() * times.devices);
}

TEST(OperationTimes, InFewerPartsAreThoseThatWouldBeSummedSo) {
  for_each_told([](const Told& told, const shardscope::Run& run) {
    const RunSums sums = *sum_run(run, &told.story);
    const TimeRange whole{0, run.timeline.total};
    ASSERT_EQ(sums.whole, range_statistics(run, &told.story, whole, all_devices(run)));
    for (const int parts : {1, 4, 12, 48})
      ASSERT_EQ(in_parts(sums.times, parts),
                operation_times(run, &told.story, whole, all_devices(run), parts));
  });
}

// The same again and again, one after the other.
shardscope::Run over_again(const shardscope::Run& once, int64_t times) {
  shardscope::Run out = once;
  for (int64_t t = 1; t < times; ++t) {
    for (Event e : once.timeline.events) {
      e.start += t * once.timeline.total;
      e.end += t * once.timeline.total;
      out.timeline.events.push_back(e);
    }
  }
  out.timeline.total *= times;
  return out;
}

TEST(RangeStatistics, OfAMillionEventsAreSummedOneByOne) {
  const auto told = story_test::told_strategy("meshslice.os", "row=2,col=4");
  const shardscope::Run once = run_of(*told);
  const int64_t times = 1'000'000 / std::ssize(once.timeline.events) + 1;
  const RunSums one = *sum_run(once, &told->story);
  const RunSums all = *sum_run(over_again(once, times), &told->story);
  EXPECT_GT(all.whole.events, 500'000);
  EXPECT_EQ(all.whole.compute, times * one.whole.compute);
  EXPECT_EQ(all.whole.exposed, times * one.whole.exposed);
  EXPECT_EQ(all.whole.idle, times * one.whole.idle);
  ASSERT_EQ(all.whole.operations.size(), one.whole.operations.size());
  for (size_t i = 0; i < one.whole.operations.size(); ++i) {
    const OperationStatistics& is = all.whole.operations[i];
    const OperationStatistics& of_one = one.whole.operations[i];
    EXPECT_EQ(is.key, of_one.key);
    EXPECT_EQ(is.count, times * of_one.count);
    EXPECT_EQ(is.bytes, times * of_one.bytes);
    EXPECT_EQ(is.busy, times * of_one.busy);
    EXPECT_EQ(is.hidden, times * of_one.hidden);
    EXPECT_EQ(is.gaps, times * of_one.gaps);
  }
}

TEST(RangeStatistics, ThatAreStoppedAreNone) {
  const auto told = story_test::told_strategy("meshslice.os", "row=2,col=4");
  std::stop_source stop;
  stop.request_stop();
  const auto sums = sum_run(run_of(*told), &told->story, stop.get_token());
  ASSERT_FALSE(sums.ok());
  EXPECT_EQ(sums.error().kind, ErrorKind::cancelled);
}

// Layers that gather and multiply, as frameworks name what is in them.
std::string layers(int count) {
  std::string text =
      "HloModule m, num_partitions=4\nENTRY main {\n  x0 = f32[64,64] parameter(0)\n"
      "  w = f32[16,64] parameter(1)\n";
  for (int l = 0; l < count; ++l) {
    const auto named = [&](const char* op) {
      return "metadata={op_name=\"jit(step)/layer_" + std::to_string(l) + "/mlp/" + op + "\"}\n";
    };
    const std::string n = std::to_string(l), next = std::to_string(l + 1);
    text += "  up." + n + " = f32[16,64] negate(w), " + named("neg");
    text += "  g" + n + " = f32[64,64] all-gather(up." + n + "), dimensions={0}, " + named("all_gather");
    text += "  x" + next + " = f32[64,64] dot(x" + n + ", g" + n +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}, " + named("dot_general");
  }
  return text + "  ROOT r = f32[64,64] copy(x" + std::to_string(count) + ")\n}\n";
}

TEST(Operations, OfLayersThatAreAlikeAreOneThatSaysWhere) {
  std::string why;
  const auto told = story_test::told_module("layers", layers(12), &why);
  ASSERT_NE(told, nullptr) << why;
  const Operations is = operations_of_events(run_of(*told), &told->story);
  std::map<std::string, size_t> instructions;
  for (size_t i = 0; i < is.keys.size(); ++i) instructions[is.keys[i]] = is.instructions[i].size();
  const std::map<std::string, size_t> expected{{"negate f32[16,64] in layer_0–11 ×12/mlp", 12},
                                               {"all-gather of up over device in layer_0–11 ×12/mlp", 12},
                                               {"product 64×64×64 in layer_0–11 ×12/mlp", 12},
                                               {"copy f32[64,64]", 1}};
  EXPECT_EQ(instructions, expected);
}

TEST(LayerTimes, AreFromTheFirstStartToTheLastEndOfWhatIsNamedAfterTheLayer) {
  const auto told = story_test::told_module("layers", layers(12));
  ASSERT_NE(told, nullptr);
  const shardscope::Run run = run_of(*told);
  const std::vector<LayerTimes> is = layer_times(run);
  ASSERT_EQ(is.size(), 1U);
  EXPECT_EQ(is[0].title, "layer_0–11 ×12");
  EXPECT_EQ(is[0].path, "jit(step)/layer_0–11 ×12");
  ASSERT_EQ(is[0].layers.size(), 12U);
  Picoseconds shortest = INT64_MAX, longest = 0;
  std::set<std::string> names;
  for (const LayerTimes::Layer& layer : is[0].layers) {
    TimeRange expected{INT64_MAX, 0};
    for (const Event& e : run.timeline.events) {
      const std::string& op_name = run.program.by_global_index(e.instruction).provenance->op_name;
      if (!op_name.starts_with("jit(step)/" + layer.name + "/") || e.end <= e.start) continue;
      expected = {std::min(expected.start, e.start), std::max(expected.end, e.end)};
    }
    EXPECT_EQ(layer.time, expected) << layer.name;
    shortest = std::min(shortest, expected.length());
    longest = std::max(longest, expected.length());
    names.insert(layer.name);
  }
  EXPECT_EQ(names.size(), 12U);
  EXPECT_EQ(is[0].shortest, shortest);
  EXPECT_EQ(is[0].longest, longest);
}

TEST(LayerTimes, OfAStrategyAreNone) {
  EXPECT_TRUE(layer_times(run_of(*story_test::told_strategy("meshslice.os", "row=2,col=4"))).empty());
}

}  // namespace
}  // namespace shardscope::range_statistics_test
