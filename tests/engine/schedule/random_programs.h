// SPDX-License-Identifier: Apache-2.0
// Programs and machines drawn at random: products, copies, every kind of collective, chains and fans of them,
// loops; chips and links that differ, open axes, ports, messages that take no time.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/analysis/written_out.h"
#include "tests/engine/schedule/programs.h"

namespace shardscope::schedule_test {

// One thing that a program does, by numbers: so that it can be written as often as a loop has rounds.
struct DrawnStep {
  int what = 0, of = 1, with = 1, by = 0;
  const char* axis = "x";
};

struct Drawn {
  Program program;                // written out
  std::optional<Program> looped;  // with its loop, if it has one
  Hardware hardware;
  ScheduleOptions options;
};

class Drawing {
 public:
  explicit Drawing(uint32_t seed) : pick_(seed) {}

  // Nothing where what was drawn is no program.
  std::optional<Drawn> draw() {
    mesh_ = draw_mesh();
    rows_ = pick_(960, 960, 1920, 960 * 16, 960 * 64);
    draw_steps(pick_(1, 2, 4, 8, 16, 24), before_);
    const bool loops = pick_(0, 1, 2) == 0;
    if (loops) draw_steps(pick_(1, 2, 3), round_);
    if (loops) draw_steps(2, after_);
    rounds_ = pick_(32, 48, 61);
    auto program = written();
    if (!program.ok()) return std::nullopt;
    Drawn out{*program, std::nullopt, draw_chip(), {}};
    if (loops) out.program = written_out(*program).value();
    if (loops) out.looped = *std::move(program);
    draw_options(out);
    return out;
  }

 private:
  Mesh draw_mesh() {
    const char* text = pick_("x=4,y=2", "x=3,y=4", "x=8,y=1", "x=2,y=2", "x=4,y=4", "x=5,y=2", "x=2,y=6");
    std::vector<MeshAxis> axes = Mesh::parse(text)->axes();
    for (MeshAxis& axis : axes) axis.wrap = pick_(true, true, false);
    return *Mesh::make(axes, {});
  }

  void draw_steps(int count, std::vector<DrawnStep>& out) {
    for (int i = 0; i < count; ++i)
      out.push_back({pick_(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), pick_(1, 1, 1, 2, 3, 6), pick_(1, 2, 4),
                     pick_(0, 1, 2), pick_("x", "y")});
  }

  // Mostly of something new: chains of what waits for each other, with fans now and then.
  static Value write(SpmdBuilder& b, const DrawnStep& step, const std::vector<Value>& all, Value weights) {
    const auto any = [&](int back) {
      return all[all.size() - std::min(all.size(), static_cast<size_t>(back))];
    };
    const Value v = any(step.of);
    const char* axis = step.axis;
    switch (step.what) {
      case 0:
        return b.relu(v);
      case 1:
        return b.dot(v, weights, {1}, {0});
      case 2:
        return b.add(v, any(step.with));
      case 3:
        return b.all_reduce(v, axis);
      case 4:
        return b.shift(v, axis, step.by == 0 ? -1 : step.by);
      case 5:
        return b.broadcast(v, axis, step.by % 2);
      case 6:
        return b.relu(b.reduce(v, axis, step.by % 2));
      case 7:
        return b.all_to_all(v, axis, 0);
      case 8:
        return b.all_gather(b.reduce_scatter(v, axis, 0), axis, 0);
      case 9:
        return b.all_gather(b.relu(b.reduce_scatter(v, axis, 0)), axis, 0);
      case 10:
        return b.add(b.dot(v, weights, {1}, {0}), any(step.with));
      default:
        return b.dot(b.relu(v), weights, {1}, {0});
    }
  }

  Result<Program> written() const {
    SpmdBuilder b("drawn", mesh_, {64, 64, 64}, {});
    b.keep_loops(12);
    std::vector<Value> all{b.input(ArrayRole::lhs, {rows_, 8}, P(""))};
    const Value weights = b.input(ArrayRole::rhs, {8, 8}, P(""));
    for (const DrawnStep& step : before_) all.push_back(write(b, step, all, weights));
    if (!round_.empty()) {
      std::vector<Value> values{all.back(), all.front(), weights};
      values = b.repeat(rounds_, values, [&](Index, std::vector<Value> of) {
        b.step(0);
        std::vector<Value> inside{of[1], of[0]};
        for (const DrawnStep& step : round_) inside.push_back(write(b, step, inside, of[2]));
        return std::vector<Value>{inside.back(), of[0], of[2]};
      });
      b.end_steps();
      all.push_back(values[1]);
      all.push_back(values[0]);
      for (const DrawnStep& step : after_) all.push_back(write(b, step, all, weights));
    }
    Value result = all.back();
    for (size_t i = 1; i + 1 < all.size(); i += 2) result = b.add(result, all[i]);
    return b.finish(result, ArrayRole::lhs, {rows_, 8}, P(""));
  }

  Hardware draw_chip() {
    Hardware h = chip();
    h.topology = pick_(Topology::torus, Topology::torus, Topology::torus, Topology::switch_, Topology::full,
                       Topology::line);
    h.compute.peak_flops_per_s = {{ElementType::bf16, 2e12}, {ElementType::f32, pick_(1e9, 1e11, 1e14)}};
    h.memory.hbm_bytes_per_s = pick_(1e18, 819e9, 1e10);
    h.link.bytes_per_s = pick_(kBeta, 1e9, 1e10);
    h.link.latency_s = pick_(kAlpha, 1e-9, 1e-12, 0.0);
    h.link.launch_overhead_s = pick_(0.0, 0.0, 1e-6);
    h.compute.launch_overhead_s = pick_(0.0, 0.0, 2e-6);
    h.overlap.sync_s = pick_(0.0, 0.0, 3e-6);
    if (pick_(0, 1, 2) == 0) h.calibration.emplace();
    if (pick_(0, 1, 2, 3, 4, 5, 6) == 0)
      h.overlap.ops = std::vector<std::string>{"all-gather", "collective-permute"};
    return h;
  }

  void draw_options(Drawn& out) {
    using A = CollectiveAlgorithm;
    out.options.collective = pick_(A::automatic, A::automatic, A::automatic, A::ring, A::bidirectional,
                                   A::direct, A::tree, A::bruck, A::chain, A::binomial, A::doubling);
    out.options.overlap = pick_(true, true, true, false);
    const int64_t devices = mesh_.device_count();
    if (pick_(0, 1, 2) == 0) out.options.overrides.devices = {{devices / 2, pick_(0.5, 0.73)}};
    const int64_t next = mesh_.axis_size(1) > 1 ? 1 : mesh_.stride(0);
    if (pick_(0, 1, 2) == 0 && out.hardware.topology == Topology::torus)
      out.options.overrides.links = {{0, next, pick_(0.3, 0.7)}};
  }

  Picks pick_;
  Mesh mesh_;
  int64_t rows_ = 0, rounds_ = 0;
  std::vector<DrawnStep> before_, round_, after_;
};

}  // namespace shardscope::schedule_test
