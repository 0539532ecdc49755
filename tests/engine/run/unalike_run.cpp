// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/run/unalike_run.h"

#include <algorithm>
#include <random>
#include <string>
#include <tuple>

#include "engine/base/machine/large_pages.h"
#include "engine/program/ir/program.h"

namespace shardscope {
namespace {

constexpr int kDevices = 8, kLanes = 5;
constexpr Picoseconds kMean = 1'000'000;  // 1 µs from event to event

}  // namespace

RunPtr make_unalike_run(int64_t events) {
  auto run = std::make_shared<Run>();
  run->strategy = "bench";
  run->mesh = Mesh::parse("x=8").value();
  run->program =
      parse_program("HloModule bench\n\nENTRY main {\n  ROOT p0 = f32[8] parameter(0)\n}\n").value();
  run->program.mesh = run->mesh;
  run->hardware = find_hardware("tpu-v5e").value();
  Timeline& t = run->timeline;
  t.devices = kDevices;
  for (int lane = 0; lane < kLanes; ++lane)
    t.lanes.push_back({lane == 0 ? LaneKind::compute : LaneKind::link, 0, 1, "lane" + std::to_string(lane)});
  std::mt19937_64 random(1);
  std::vector<Picoseconds> free(kDevices * kLanes, 0);
  t.events.reserve(static_cast<size_t>(events));
  prefer_large_pages(t.events.data(), t.events.capacity() * sizeof(Event));  // as a timed run's
  for (int64_t i = 0; i < events; ++i) {
    const auto track = static_cast<size_t>(i) % free.size();
    Event e;
    e.device = static_cast<int32_t>(track / kLanes);
    e.lane = static_cast<int16_t>(track % kLanes);
    e.kind = e.lane == 0 ? EventKind::compute : EventKind::transfer;
    e.start = free[track] + static_cast<Picoseconds>(random() % kMean);
    e.end = e.start + static_cast<Picoseconds>(random() % kMean);
    free[track] = e.end;
    e.step = static_cast<int32_t>(i / 1000);
    e.transfer_step = static_cast<int32_t>(i % 7);
    e.peer = e.lane == 0 ? -1 : static_cast<int32_t>(random() % kDevices);
    e.chunk = e.lane == 0 ? -1 : static_cast<int32_t>(random() % 64);
    e.chunk_count = 1;
    e.bytes = static_cast<int64_t>(random() % (1 << 20));
    e.flops = e.lane == 0 ? 1e9 : 0;
    t.total = std::max(t.total, e.end);
    t.events.push_back(e);
  }
  std::sort(t.events.begin(), t.events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.start, a.device, a.lane) < std::tie(b.start, b.device, b.lane);
  });
  for (size_t i = 1; i < t.events.size(); ++i) t.events[i].cause = static_cast<int32_t>(random() % i);
  t.event_count = events;
  t.totals.resize(kDevices);
  return run;
}

}  // namespace shardscope
