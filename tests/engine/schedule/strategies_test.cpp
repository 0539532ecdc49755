// SPDX-License-Identifier: Apache-2.0
// What holds for every strategy on every mesh: bytes by the closed forms, bounds, the same timeline always.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::strategies_test {
namespace {

constexpr std::pair<int, int> kMeshes[] = {{1, 1}, {1, 4}, {4, 1}, {1, 8}, {8, 1}, {2, 2}, {2, 4}, {4, 2},
                                           {3, 3}, {2, 3}, {3, 2}, {1, 3}, {3, 1}, {4, 4}, {6, 2}, {5, 1}};

// M = 4L, K = 8L, N = 12L with L = lcm(R,C).
MatmulProblem problem_on(int rows, int cols) {
  const int64_t l = std::lcm(rows, cols);
  return {4 * l, 8 * l, 12 * l, ElementType::f32, ElementType::f32};
}

// Elements that each device sends in gathers of X over col, of W over row (os), and so on: (n-1) times its
// shard.
double elements_sent(const std::string& id, int rows, int cols, const MatmulProblem& p) {
  const double devices = rows * cols;
  const double x = static_cast<double>(p.m * p.k) / devices;
  const double w = static_cast<double>(p.k * p.n) / devices;
  const double y = static_cast<double>(p.m * p.n) / devices;
  const double r = rows - 1;
  const double c = cols - 1;
  if (id.ends_with(".os")) return c * x + r * w;
  if (id.ends_with(".ls")) return r * w + c * y;
  if (id == "gather.lhs") return c * x;
  if (id == "gather.rhs") return r * w;
  return c * x + r * y;  // rs
}

struct Planned {
  std::string id, where;
  MatmulProblem problem;
  Mesh mesh;
  int rows, cols;
  Program program;
};

// Every strategy on every mesh where it is legal.
std::vector<Planned> everything() {
  std::vector<Planned> out;
  for (const auto& [rows, cols] : kMeshes) {
    const Mesh m = mesh(fmt::format("row={},col={}", rows, cols));
    const MatmulProblem p = problem_on(rows, cols);
    for (const Strategy& s : strategies()) {
      StrategyOptions options;
      options.slices = 2;
      options.block = 2;
      auto program = s.plan(m, p, options);
      if (!program.ok()) continue;
      out.push_back(
          {std::string(s.id), fmt::format("{} on {}x{}", s.id, rows, cols), p, m, rows, cols, *program});
    }
  }
  return out;
}

TEST(Strategies, EveryDeviceSendsWhatTheClosedFormSays) {
  int checked = 0;
  for (const Planned& s : everything()) {
    const bool bare = s.id.starts_with("collective.") && (*find_strategy(s.id))->kind == StrategyKind::part;
    if (bare) continue;  // by whatever algorithm is the fastest
    const bool family = s.id.starts_with("collective.") || s.id.starts_with("wang.") ||
                        s.id.starts_with("meshslice.") || s.id.starts_with("gather.");
    if (!family) continue;
    ++checked;
    const double bytes = 4 * elements_sent(s.id, s.rows, s.cols, s.problem);
    const Timeline t = run(s.program);
    for (size_t d = 0; d < t.totals.size(); ++d) {
      EXPECT_EQ(static_cast<double>(t.totals[d].bytes_sent), bytes) << s.where << ", device " << d;
      EXPECT_EQ(t.totals[d].bytes_received, t.totals[d].bytes_sent) << s.where;
      EXPECT_EQ(t.totals[d].bytes_relayed, 0) << s.where;
    }
    double summed = 0;
    for (const CollectiveSummary& c : t.collectives) summed += c.bytes_sent_per_device;
    EXPECT_NEAR(summed, bytes, 1e-9 * bytes) << s.where;
  }
  EXPECT_GE(checked, 4 * 9);
}

TEST(Strategies, NoneIsFasterThanItsLinksAndItsProducts) {
  for (const Planned& s : everything()) {
    for (const bool overlap : {true, false}) {
      const Timeline t = run(s.program, chip(), CollectiveAlgorithm::automatic, overlap);
      for (const DeviceTotals& d : t.totals) {
        int64_t links = 0;
        for (const Lane& lane : t.lanes) links += lane.kind == LaneKind::link ? 1 : 0;
        EXPECT_GE(to_seconds(t.total), d.flops / 100e12) << s.where;
        if (links > 0) {
          EXPECT_GE(to_seconds(t.total),
                    static_cast<double>(d.bytes_sent) / (static_cast<double>(links) * kBeta))
              << s.where;
        }
        EXPECT_GE(t.total, d.compute) << s.where;
        EXPECT_GE(d.comm, d.exposed) << s.where;
        EXPECT_GE(d.exposed, 0) << s.where;
        EXPECT_EQ(d.idle, t.total - d.compute - d.exposed) << s.where;
      }
    }
  }
}

// Each event of the path starts when its cause ends; the shares add up to the whole.
// When `cause` lets `e` start: at its end; a message goes on to its next link α after it began on the one
// before.
Picoseconds lets_start(const Event& cause, const Event& e) {
  const bool same_message = e.relayed && cause.kind == EventKind::transfer && cause.peer == e.peer &&
                            cause.instruction == e.instruction && cause.chunk == e.chunk &&
                            cause.transfer_step == e.transfer_step && cause.device != e.device;
  return same_message ? cause.start + to_picoseconds(kAlpha) : cause.end;
}

TEST(Strategies, CriticalPathIsAChainThatAddsUp) {
  for (const Planned& s : everything()) {
    const Timeline t = run(s.program);
    const CriticalPath& path = t.critical_path;
    EXPECT_EQ(path.compute + path.memory + path.latency + path.bandwidth + path.overhead, t.total) << s.where;
    if (t.events.empty()) continue;
    ASSERT_FALSE(path.events.empty()) << s.where;
    int32_t cause = -1;
    for (const int32_t i : path.events) {
      const Event& e = t.events[static_cast<size_t>(i)];
      EXPECT_EQ(e.cause, cause) << s.where;
      EXPECT_EQ(e.start, cause < 0 ? 0 : lets_start(t.events[static_cast<size_t>(cause)], e)) << s.where;
      cause = i;
    }
    EXPECT_EQ(t.events[static_cast<size_t>(cause)].end, t.total) << s.where;
  }
}

TEST(Strategies, EventsAreInOrderAndOneAtATimeOnALane) {
  for (const Planned& s : everything()) {
    const Timeline t = run(s.program);
    std::map<std::pair<int32_t, int16_t>, Picoseconds> free;
    for (size_t i = 0; i < t.events.size(); ++i) {
      const Event& e = t.events[i];
      const auto key = [](const Event& v) {
        return std::tuple(v.start, v.device, v.lane, v.instruction, v.chunk);
      };
      if (i > 0) {
        EXPECT_LE(key(t.events[i - 1]), key(e)) << s.where;
      }
      Picoseconds& until = free[{e.device, e.lane}];
      EXPECT_GE(e.start, until) << s.where << ": two events on one lane";
      until = e.end;
      if (e.cause >= 0) {
        EXPECT_EQ(lets_start(t.events[static_cast<size_t>(e.cause)], e), e.start) << s.where;
      }
    }
  }
}

TEST(Strategies, TheSameTimelineAlways) {
  for (const Planned& s : everything()) {
    const Timeline first = run(s.program);
    EXPECT_EQ(first, run(s.program)) << s.where;
    const Timeline totals = run(s.program, chip(), CollectiveAlgorithm::automatic, true, false);
    EXPECT_TRUE(totals.events.empty());
    EXPECT_EQ(totals.total, first.total) << s.where;
    EXPECT_EQ(totals.totals, first.totals) << s.where;
    EXPECT_EQ(totals.event_count, first.event_count) << s.where;
    EXPECT_EQ(totals.critical_path.bandwidth, first.critical_path.bandwidth) << s.where;
  }
  const Program program = plan("wang.ls", mesh("row=2,col=4"), problem_on(2, 4));
  const Timeline alone = run(program);
  std::vector<Timeline> beside(4);
  std::vector<std::thread> threads;
  for (Timeline& t : beside) threads.emplace_back([&] { t = run(program); });
  for (std::thread& thread : threads) thread.join();
  for (const Timeline& t : beside) EXPECT_EQ(t, alone);
}

// The shards of X and W, what is gathered and the whole or partial Y: the result of a scatter is made only
// once the gathered array is dead.
TEST(Strategies, PeakMemoryIsShardsAndWhatIsGathered) {
  const MatmulProblem p{1024, 3072, 12288, ElementType::f32, ElementType::f32};
  const double resident = static_cast<double>(p.m * p.k + p.k * p.n + p.m * p.n) / 8;
  for (const auto& [id, extra] : std::map<std::string, double>{
           {"collective.os", 11010048}, {"collective.ls", 15728640}, {"collective.rs", 4718592}}) {
    const Timeline t = run(plan(id, mesh("row=2,col=4"), p));
    for (const DeviceTotals& d : t.totals) {
      const double scattered = id == "collective.os" ? 0 : static_cast<double>(p.m * p.n) / 8;
      EXPECT_EQ(static_cast<double>(d.peak_bytes), 4 * (resident + extra - scattered)) << id;
    }
    for (const auto& points : t.memory) {
      const auto most = std::max_element(points.begin(), points.end(),
                                         [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
      EXPECT_EQ(most->bytes, t.totals[0].peak_bytes);
    }
  }
}

TEST(Strategies, ResolvedCollectivesNameWhatRan) {
  const Program program = plan("collective.os", mesh("row=2,col=4"), problem_on(2, 4));
  const auto resolved = resolve_collectives(program, chip(), CollectiveAlgorithm::automatic);
  ASSERT_TRUE(resolved.ok());
  std::vector<std::string> words;
  for (const Instruction& i : resolved->entry_computation().instructions) {
    if (i.opcode == Opcode::all_gather) words.push_back(i.algorithm);
  }
  EXPECT_EQ(words, (std::vector<std::string>{"bidirectional.whole", "ring"}));
  EXPECT_EQ(run(*resolved), run(program));
}

}  // namespace
}  // namespace shardscope::schedule_test::strategies_test
