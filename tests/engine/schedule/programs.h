// SPDX-License-Identifier: Apache-2.0
// Small programs and a plain chip that the scheduler's tests share.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <type_traits>

#include "engine/program/build/builder.h"
#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"

namespace shardscope::schedule_test {

constexpr double kAlpha = 500e-9;  // s
constexpr double kBeta = 50e9;     // bytes/s
constexpr int64_t kMiB = 1 << 20;

inline Hardware chip() {
  Hardware h;
  h.name = "test-chip";
  h.compute.peak_flops_per_s = {{ElementType::bf16, 197e12}, {ElementType::f32, 100e12}};
  h.memory.hbm_bytes_per_s = 1e18;  // never the limit, unless a test says so
  h.link.latency_s = kAlpha;
  h.link.bytes_per_s = kBeta;
  return h;
}

inline Mesh mesh(const std::string& text, bool wrap = true, std::vector<int32_t> order = {}) {
  std::vector<MeshAxis> axes = Mesh::parse(text)->axes();
  for (MeshAxis& axis : axes) axis.wrap = wrap;
  return *Mesh::make(axes, std::move(order));
}

enum class Op { all_gather, reduce_scatter, all_reduce, shift };

// One collective over axis x of a whole array of `bytes` (a shift: of `bytes` per device).
inline Program one(Op op, const Mesh& m, int64_t bytes, int64_t distance = 1) {
  SpmdBuilder b("one", m, {64, 64, 64}, {{"x", "x"}});
  const int64_t elements = bytes / 4 * (op == Op::shift ? m.device_count() : 1);
  const bool sharded = op == Op::all_gather || op == Op::shift;
  Value v = b.input(ArrayRole::lhs, {elements}, sharded ? P("x") : P(""));
  switch (op) {
    case Op::all_gather:
      v = b.all_gather(v, "x", 0);
      break;
    case Op::reduce_scatter:
      v = b.reduce_scatter(v, "x", 0);
      break;
    case Op::all_reduce:
      v = b.all_reduce(v, "x");
      break;
    case Op::shift:
      v = b.shift(v, "x", distance);
      break;
  }
  const bool whole = op == Op::all_gather || op == Op::all_reduce;
  auto program = b.finish(v, ArrayRole::lhs, {elements}, whole ? P("") : P("x"));
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

inline Timeline run(const Program& program, const Hardware& hardware = chip(),
                    CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic, bool overlap = true,
                    bool keep_events = true) {
  ScheduleOptions options;
  options.collective = algorithm;
  options.overlap = overlap;
  options.keep_events = keep_events;
  auto timeline = schedule(program, hardware, options, {});
  EXPECT_TRUE(timeline.ok()) << (timeline.ok() ? "" : timeline.error().text());
  return timeline.ok() ? *timeline : Timeline();
}

// The totals of a program by its loops, but for the schedules, of which those of a loop are there once; none:
// it has to be written out.
inline Result<std::optional<Timeline>> run_by_loops(const Program& program, const Hardware& hardware,
                                                    ScheduleOptions options) {
  options.keep_events = false;
  options.only_by_loops = true;
  TRY(Timeline timeline, schedule(program, hardware, options, {}));
  if (timeline == Timeline()) return std::optional<Timeline>();
  timeline.schedules.clear();
  return std::optional(std::move(timeline));
}

inline Program plan(const std::string& strategy, const Mesh& m, const MatmulProblem& problem,
                    const StrategyOptions& options = {}) {
  auto found = find_strategy(strategy);
  EXPECT_TRUE(found.ok()) << strategy;
  auto program = (*found)->plan(m, problem, options);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

// Draws one of what it is given, the same ones again for the same seed.
class Picks {
 public:
  explicit Picks(uint32_t seed) : random_(seed) {}
  template <class... Of>
  auto operator()(Of... of) {
    const std::common_type_t<Of...> all[] = {of...};
    return all[random_() % sizeof...(of)];
  }

 private:
  std::mt19937 random_;
};

// Equal up to one part in a million.
inline void expect_time(Picoseconds got, double seconds, const std::string& what) {
  EXPECT_NEAR(to_seconds(got), seconds, 1e-6 * seconds) << what;
}

}  // namespace shardscope::schedule_test
