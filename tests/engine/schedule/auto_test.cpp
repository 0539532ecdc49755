// SPDX-License-Identifier: Apache-2.0
// What `auto` takes is as fast as the best that can be forced, wherever and whatever is sent.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <utility>

#include "engine/collectives/algorithm_table.h"
#include "engine/collectives/group_place.h"
#include "engine/schedule/fastest.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test::auto_test {
namespace {

using Algorithm = CollectiveAlgorithm;
using Kind = CollectiveKind;

struct Place {
  std::string name;
  Mesh mesh;
  Hardware chip;
};

std::vector<Place> places(int n) {
  const auto on = [&](Topology topology) {
    Hardware h = chip();
    h.topology = topology;
    return h;
  };
  Hardware nodes = on(Topology::two_level);
  nodes.node_devices = n == 64 ? 8 : n / 2;
  nodes.network_bytes_per_s = 12.5e9;
  nodes.network_latency_s = 5e-6;
  const std::string row = fmt::format("x={}", n);
  const std::string torus = n == 64 ? "x=8,y=8" : n == 8 ? "x=4,y=2" : "x=2,y=1";
  return {{"ring", mesh(row), chip()},
          {"line", mesh(row, false), chip()},
          {"torus", mesh(torus), chip()},
          {"switch", mesh(row), on(Topology::switch_)},
          {"full", mesh(row), on(Topology::full)},
          {"two-level", mesh(row), nodes}};
}

// How a group of all devices stands.
GroupTopology topology_of(const Mesh& m, const Fabric& fabric) {
  std::vector<DeviceId> all;
  for (int64_t d = 0; d < m.device_count(); ++d) all.emplace_back(d);
  return place_group(m, fabric, all).topology;
}

// Of a whole of `bytes` over all axes of the mesh.
Program collective(Kind kind, const Mesh& m, int64_t bytes) {
  SpmdBuilder b("auto", m, {64, 64, 64},
                m.rank() == 1 ? std::map<std::string, std::string>{{"x", "x"}}
                              : std::map<std::string, std::string>{{"x", "x"}, {"y", "y"}});
  const SpmdBuilder::Roles axes = m.rank() == 1 ? SpmdBuilder::Roles{"x"} : SpmdBuilder::Roles{"x", "y"};
  const PartitionSpec split{{axes, {}}}, whole{{{}, {}}};
  const int64_t n = m.device_count();
  const std::vector<int64_t> dims{n, bytes / 4 / n};
  const bool sums = kind == Kind::reduce_scatter || kind == Kind::all_reduce;
  Value v = b.input(ArrayRole::lhs, dims, sums ? whole : split);
  if (kind == Kind::all_gather) v = b.all_gather(v, axes, 0);
  if (kind == Kind::reduce_scatter) v = b.reduce_scatter(v, axes, 0);
  if (kind == Kind::all_reduce) v = b.all_reduce(v, axes);
  if (kind == Kind::all_to_all) v = b.all_to_all(v, axes, 1);
  const bool everywhere = kind == Kind::all_gather || kind == Kind::all_reduce;
  auto program = b.finish(v, ArrayRole::lhs, dims, everywhere ? whole : split);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

TEST(Auto, IsWithinOnePercentOfTheBestThatCanBeForced) {
  int cases = 0;
  for (const int n : {2, 8, 64}) {
    for (const Place& place : places(n)) {
      for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce, Kind::all_to_all}) {
        // An all-to-all of 4 KiB among 64 would send parts of elements.
        for (const int64_t bytes : {int64_t{4} << 10, kMiB, 1024 * kMiB}) {
          const int64_t whole = kind == Kind::all_to_all ? std::max(bytes, int64_t{4} * n * n) : bytes;
          const Program program = collective(kind, place.mesh, whole);
          Picoseconds best = std::numeric_limits<Picoseconds>::max();
          std::string by;
          for (const AlgorithmRow& row : collective_algorithms()) {
            if (!row.is_for(kind)) continue;
            ScheduleOptions options;
            options.collective = row.id;
            options.keep_events = false;
            const auto forced = schedule(program, place.chip, options, {});
            if (!forced.ok() || forced->total >= best) continue;
            best = forced->total;
            by = row.word;
          }
          const Timeline chosen = run(program, place.chip, Algorithm::automatic, true, false);
          ++cases;
          EXPECT_LE(static_cast<double>(chosen.total), 1.01 * static_cast<double>(best))
              << fmt::format("{} of {} B over {} {}: {} instead of {}", name(kind), whole, place.name, n,
                             chosen.collectives[0].algorithm, by);
        }
      }
    }
  }
  EXPECT_EQ(cases, 216);
}

// Of the chips whose collectives were measured, on groups that were and that were not, inside of a node and
// on both axes of a mesh.
TEST(Auto, IsTheBestThatCanBeForcedWhereCollectivesWereMeasured) {
  int cases = 0, others = 0;
  for (const char* name_of_chip : {"h100", "a100", "b200", "gb200"}) {
    const Hardware measured = *find_hardware(name_of_chip);
    for (const char* shape : {"x=2", "x=4", "x=5", "x=8", "x=16", "x=40", "x=5,y=8"}) {
      const Mesh m = mesh(shape);
      for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce, Kind::all_to_all}) {
        for (const int64_t parts : {1, 64, 16384}) {
          const Program program = collective(kind, m, 4 * m.device_count() * m.device_count() * parts);
          const auto total = [&](Algorithm algorithm) -> Picoseconds {
            ScheduleOptions options;
            options.collective = algorithm;
            options.keep_events = false;
            const auto timeline = schedule(program, measured, options, {});
            return timeline.ok() ? timeline->total : std::numeric_limits<Picoseconds>::max();
          };
          const Timeline chosen = run(program, measured, Algorithm::automatic, true, false);
          others += chosen.collectives[0].algorithm == "ring" || kind == Kind::all_to_all ? 0 : 1;
          ++cases;
          for (const AlgorithmRow& row : collective_algorithms()) {
            if (!row.is_for(kind)) continue;
            // Each message rounds up to a picosecond, and algorithms send more or fewer.
            EXPECT_LE(static_cast<double>(chosen.total), 1.001 * static_cast<double>(total(row.id)))
                << fmt::format("{} of {} × {} B over {} on {}: {} instead of {}", name(kind),
                               m.device_count(), parts, shape, name_of_chip, chosen.collectives[0].algorithm,
                               row.word);
          }
        }
      }
    }
  }
  EXPECT_EQ(cases, 4 * 7 * 4 * 3);
  EXPECT_GT(others, 50) << "what was not measured goes by what is fastest there";
}

// More devices do not make a small sum faster than the largest group that was measured.
TEST(Auto, ALargerGroupWaitsNoLessThanTheLargestThatWasMeasured) {
  const Hardware measured = *find_hardware("h100");
  Picoseconds before = 0;
  for (const int n : {2, 4, 8, 16, 40}) {
    const Picoseconds total = run(collective(Kind::all_reduce, mesh(fmt::format("x={}", n)), 640 * 4),
                                  measured, Algorithm::automatic, true, false)
                                  .total;
    EXPECT_GE(total, before) << n;
    before = total;
  }
}

// 8 chips, 64 MiB, 50 GB/s: everyone sends its parts to their owners, then the sums to everyone: nobody's
// sums overtake what it has still to send.
TEST(Auto, AnAllReduceOnASwitchTakesItsClosedForm) {
  Hardware h = chip();
  h.topology = Topology::switch_;
  const Program program = one(Op::all_reduce, mesh("x=8"), 64 * kMiB);
  const double form = 2 * (kAlpha + 7.0 / 8 * 64 * kMiB / kBeta);
  expect_time(run(program, h).total, form, "auto");
  expect_time(run(program, h, Algorithm::direct).total, form, "direct");
  EXPECT_NEAR(form * 1e3, 2.350, 0.001);
}

// 4×2: half of each shard along each axis first.
TEST(Auto, TakesAllAxesOfAnUnevenTorusAtOnce) {
  const Program program = collective(Kind::all_gather, mesh("x=4,y=2"), 1024 * kMiB);
  EXPECT_EQ(run(program).collectives[0].algorithm, "torus.bidirectional");
}

// n·L/8 blocks over each link are the least that there can be; a step costs α.
TEST(Auto, AnAllToAllOnATorusComesNearTheBoundOfItsLinks) {
  const int64_t bytes = 1024 * kMiB;
  const double bound = 64 * 8 / 8.0 * (static_cast<double>(bytes) / 64 / 64) / kBeta;
  const Timeline t = run(collective(Kind::all_to_all, mesh("x=8,y=8"), bytes));
  EXPECT_EQ(t.collectives[0].algorithm, "torus.bidirectional");
  EXPECT_GE(to_seconds(t.total), bound);
  expect_time(t.total, 8 * kAlpha + bound, "8×8");
  EXPECT_LE(to_seconds(t.total), 1.02 * bound);
}

// Collectives of NCCL (LLMCompass, figure 5 h; openxla/xla, collective_interpolator_data.h), in microseconds:
// the chips' rows of link.op, which are fitted to them and others, give them within an eighth from 32 MiB on.
TEST(Auto, MeasuredCollectivesOfSwitchesAreMetWithinAnEighth) {
  struct Measured {
    const char* chip;
    int devices;
    Op op;
    int64_t bytes;
    double us;
  };
  const Measured rows[] = {
      {"a100", 4, Op::all_reduce, 128 * kMiB, 961.7},    {"a100", 4, Op::all_reduce, 1024 * kMiB, 7219.2},
      {"h100", 8, Op::all_reduce, 64 * kMiB, 379.808},   {"h100", 8, Op::all_reduce, 512 * kMiB, 2431.62},
      {"h100", 8, Op::all_gather, 32 * kMiB, 129.376},   {"h100", 8, Op::all_gather, 1024 * kMiB, 2730.3},
      {"h100", 8, Op::reduce_scatter, 64 * kMiB, 218.6}, {"h100", 8, Op::reduce_scatter, 256 * kMiB, 771.1},
      {"b200", 8, Op::all_reduce, 64 * kMiB, 314.336},   {"b200", 8, Op::all_reduce, 512 * kMiB, 1608.74},
  };
  for (const Measured& it : rows) {
    const Program program = one(it.op, mesh(fmt::format("x={}", it.devices)), it.bytes);
    const Timeline t = run(program, *find_hardware(it.chip), Algorithm::automatic, true, false);
    EXPECT_NEAR(to_seconds(t.total) * 1e6, it.us, it.us / 8) << it.chip << ' ' << it.bytes;
  }
}

// The answer for a shape is the same whoever asked before.
TEST(Auto, ChoosesTheSameAgain) {
  const Program program = collective(Kind::all_reduce, mesh("x=4,y=2"), kMiB);
  const Timeline first = run(program);
  for (const int64_t other : {4 << 10, 64 << 20}) run(collective(Kind::all_reduce, mesh("x=4,y=2"), other));
  EXPECT_EQ(run(program), first);
}

// Who asks for no reasons is spared the ends of slower plays, and told the same.
TEST(Auto, WithoutReasonsTheChoiceIsTheSame) {
  int different = 0;
  for (const int n : {2, 8, 64}) {
    for (const Place& place : places(n)) {
      const Fabric fabric = Fabric::make(place.mesh, place.chip).value();
      const GroupTopology group = topology_of(place.mesh, fabric);
      FastestAlgorithms with(FastestAlgorithms::Reasons::said), without(FastestAlgorithms::Reasons::left_out);
      for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce, Kind::all_to_all,
                              Kind::broadcast, Kind::reduce}) {
        for (const int64_t bytes : {4096, 1 << 20, 1 << 28}) {
          const CollectiveQuery asked{{kind, n, bytes, group}, fabric.link_costs()};
          const auto said = with.of(asked, {}), short_said = without.of(asked, {});
          ASSERT_TRUE(said && short_said);
          EXPECT_EQ(said->algorithm, short_said->algorithm) << place.name << " " << n << " " << bytes;
          EXPECT_FALSE(said->why.empty());
          EXPECT_TRUE(said->why.starts_with(name(said->algorithm)) || said->why == "nothing is sent");
          EXPECT_TRUE(short_said->why.empty());
          different += said->algorithm == Algorithm::ring ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(different, 50);
}

// What is known is looked up, by who adds to it and by who was handed it; nobody who was told to stop plays.
TEST(Auto, AnswersAreHandedDown) {
  const Fabric fabric = Fabric::make(mesh("x=8"), chip()).value();
  const GroupTopology group = topology_of(mesh("x=8"), fabric);
  const auto asked = [&](int64_t bytes) {
    return CollectiveQuery{{Kind::all_gather, 8, bytes, group}, fabric.link_costs()};
  };
  std::stop_source stopped;
  stopped.request_stop();
  FastestAlgorithms before;
  EXPECT_FALSE(before.of(asked(1 << 20), stopped.get_token()));
  EXPECT_FALSE(before.knows(asked(1 << 20)));
  const auto found = before.of(asked(1 << 20), {});
  ASSERT_TRUE(found);
  FastestAlgorithms own(&before);
  EXPECT_TRUE(own.knows(asked(1 << 20)));
  const auto looked_up = own.of(asked(1 << 20), stopped.get_token());
  ASSERT_TRUE(looked_up);
  EXPECT_EQ(looked_up->why, found->why);
  EXPECT_TRUE(own.of(asked(1 << 21), {}));
  EXPECT_FALSE(before.knows(asked(1 << 21)));
  before.learn(std::move(own));
  EXPECT_TRUE(before.knows(asked(1 << 21)));
  EXPECT_FALSE(before.knows(asked(1 << 22)));
}

// A program asks for each of its collectives once, and for none that is known.
TEST(Auto, AProgramSaysWhatItAsksFor) {
  const Mesh m = mesh("x=4,y=2");
  const Program program = collective(Kind::all_reduce, m, 1 << 20);
  FastestAlgorithms known;
  const auto asked = asked_collectives(program, chip(), known);
  ASSERT_TRUE(asked.ok());
  ASSERT_EQ(asked->size(), 1u);
  EXPECT_EQ(asked->front().shape.kind, Kind::all_reduce);
  EXPECT_EQ(asked->front().shape.ranks, 8);
  ASSERT_TRUE(known.of(asked->front(), {}));
  EXPECT_TRUE(asked_collectives(program, chip(), known)->empty());
  const auto resolved = resolve_collectives(program, chip(), Algorithm::automatic, known);
  ASSERT_TRUE(resolved.ok());
  EXPECT_TRUE(asked_collectives(*resolved, chip(), FastestAlgorithms())->empty());
}

}  // namespace
}  // namespace shardscope::schedule_test::auto_test
