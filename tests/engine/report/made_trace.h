// SPDX-License-Identifier: Apache-2.0
// A run and the trace that a profiler would have made of it, had every operation taken what is simulated: one
// kernel an operation and device, on lanes "kernels" and "collectives".
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "engine/program/analysis/analysis.h"
#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"
#include "engine/study/residual.h"

namespace shardscope {

inline std::shared_ptr<Run> made_run(const std::string& strategy, const std::string& mesh = "row=2,col=4") {
  auto run = std::make_shared<Run>();
  run->strategy = strategy;
  run->mesh = *Mesh::parse(mesh);
  run->problem = {512, 1024, 2048, ElementType::f32, ElementType::f32};
  run->hardware = *find_hardware("tpu-v5e");
  const Strategy* found = *find_strategy(strategy);
  run->program = *resolve_collectives(*found->plan(run->mesh, run->problem, {}), run->hardware,
                                      CollectiveAlgorithm::automatic);
  run->timeline = *schedule(run->program, run->hardware, {}, {});
  run->id = 3;
  return run;
}

// The times of all events anew; steps as they were.
inline void retell(MeasuredTrace& trace) {
  std::ranges::sort(trace.events);
  trace.device_time_s = 0;
  for (MeasuredOperation& o : trace.operations) o.count = 0;
  for (const MeasuredEvent& e : trace.events) {
    trace.device_time_s += to_seconds(e.duration());
    ++trace.operations[static_cast<size_t>(e.operation)].count;
  }
  trace.event_count = std::ssize(trace.events);
}

inline MeasuredOperation made_operation(const Run& run, int32_t instruction) {
  const Instruction& i = run.program.by_global_index(instruction);
  MeasuredOperation out;
  out.op = "kernel_" + i.name;
  out.instruction = i.name;
  out.opcode = std::string(opcode_text(i.opcode));
  out.dtype = name(i.shape.type);
  out.kind = is_collective(i.opcode)    ? MeasuredKind::collective
             : i.opcode == Opcode::dot  ? MeasuredKind::product
             : i.opcode == Opcode::copy ? MeasuredKind::copy
                                        : MeasuredKind::elementwise;
  if (i.opcode == Opcode::dot) {
    const DotSize size = dot_size(run.program.entry_computation(), i);
    std::tie(out.batch, out.m, out.k, out.n) = std::tuple(size.batch, size.m, size.k, size.n);
  }
  if (out.kind == MeasuredKind::collective) {
    const Shape& in = run.program.entry_computation().at(i.operands.front()).shape;
    out.bytes = std::max(i.shape.bytes(), in.bytes());
    if (i.opcode != Opcode::collective_permute)
      out.group = static_cast<int32_t>(device_groups(run.program, i).front().size());
  }
  return out;
}

inline MeasuredTrace made_trace(const Run& run) {
  MeasuredTrace out;
  out.id = 7;
  out.format = "xplane";
  out.title = "trace of " + run.strategy;
  out.devices = run.timeline.devices;
  for (int32_t d = 0; d < out.devices; ++d) out.device_names.push_back("GPU " + std::to_string(d));
  out.lanes = {"kernels", "collectives"};
  out.steps = {{0, run.timeline.total}};
  std::map<int32_t, int32_t> operations;
  std::map<std::pair<int32_t, int32_t>, MeasuredEvent> transfers;  // device, instruction
  const auto operation = [&](int32_t instruction) {
    const auto [found, is_new] =
        operations.try_emplace(instruction, static_cast<int32_t>(out.operations.size()));
    if (is_new) out.operations.push_back(made_operation(run, instruction));
    return found->second;
  };
  for (const Event& e : run.timeline.events) {
    const int32_t of = operation(e.instruction);
    if (e.kind != EventKind::transfer) {
      out.operations[static_cast<size_t>(of)].bytes = e.bytes;
      out.events.push_back({e.start, e.end, 0, static_cast<int16_t>(e.device), 0, of});
      continue;
    }
    for (const int32_t device : {e.device, e.peer}) {
      auto& kernel = transfers
                         .try_emplace({device, e.instruction},
                                      MeasuredEvent{e.start, e.end, 0, static_cast<int16_t>(device), 1, of})
                         .first->second;
      kernel.start = std::min(kernel.start, e.start);
      kernel.end = std::max(kernel.end, e.end);
    }
  }
  for (const auto& [key, kernel] : transfers) out.events.push_back(kernel);
  retell(out);
  return out;
}

// Every event of one operation takes `times` as long, and what comes after it waits as long.
inline void slow_down(MeasuredTrace& trace, int32_t operation, Picoseconds times) {
  std::vector<TimeRange> slow;  // of one device: all do it at once
  for (const MeasuredEvent& e : trace.events)
    if (e.operation == operation && e.device == 0) slow.push_back({e.start, e.end});
  const auto later = [&](Picoseconds time) {
    Picoseconds by = 0;
    for (const TimeRange& s : slow)
      if (time >= s.end) by += s.length() * (times - 1);
    return by;
  };
  for (MeasuredEvent& e : trace.events) {
    const Picoseconds longer = e.operation == operation ? e.duration() * (times - 1) : 0;
    const Picoseconds by = later(e.start);
    e.start += by;
    e.end += by + longer;
  }
  for (TimeRange& step : trace.steps)
    step.end += later(step.end) - later(step.start), step.start += later(step.start);
  retell(trace);
}

}  // namespace shardscope
