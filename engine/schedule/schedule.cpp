// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/schedule/fabric.h"
#include "engine/schedule/memory.h"
#include "engine/schedule/recorder.h"
#include "engine/schedule/simulator.h"
#include "engine/schedule/work.h"

namespace shardscope {

namespace {

std::vector<CollectiveSummary> summarise_collectives(const Program& program, const WorkPlan& plan,
                                                     const std::vector<int64_t>& bytes_sent) {
  std::vector<CollectiveSummary> out;
  for (size_t w = 0; w < plan.works.size(); ++w) {
    const Work& work = plan.works[w];
    if (work.kind != WorkKind::collective) continue;
    const std::string opcode(opcode_text(program.entry_computation().at(work.instruction).opcode));
    auto it = std::find_if(out.begin(), out.end(), [&](const CollectiveSummary& s) {
      return s.opcode == opcode && s.axis == work.axis && s.algorithm == work.algorithm;
    });
    if (it == out.end()) it = out.insert(out.end(), {opcode, work.axis, 0, 0, work.algorithm, 0});
    ++it->count;
    it->steps += work.schedule->steps();
    it->bytes_sent_per_device +=
        static_cast<double>(bytes_sent[w]) / static_cast<double>(program.mesh.device_count());
  }
  return out;
}

std::vector<std::string> mesh_assumptions(const Mesh& mesh, const Hardware& hardware) {
  std::vector<std::string> out;
  int64_t axes = 0;
  for (const MeshAxis& axis : mesh.axes()) axes += axis.size > 1 ? 1 : 0;
  if (hardware.torus_axes && axes > *hardware.torus_axes) {
    out.push_back(fmt::format(
        "the mesh has {} axes, the torus of {} has {}: every mesh axis is timed as a torus axis of its own",
        axes, hardware.name, *hardware.torus_axes));
  }
  return out;
}

}  // namespace

Result<Timeline> schedule(const Program& program, const Hardware& hardware, const ScheduleOptions& options,
                          std::stop_token stop) {
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware));
  TRY(const WorkPlan plan, plan_work(program, hardware, fabric, options));
  Recorder recorder(fabric.devices(), options.keep_events);
  Simulator simulator(plan, fabric, options.overlap, recorder);
  TRY_VOID(simulator.run(stop, options.progress));

  Timeline timeline;
  timeline.devices = fabric.devices();
  timeline.lanes = fabric.lanes();
  recorder.finish(timeline);
  record_memory(program, plan, simulator.spans(), options.keep_events, timeline);
  timeline.collectives = summarise_collectives(program, plan, simulator.bytes_sent());
  timeline.assumptions = mesh_assumptions(program.mesh, hardware);
  timeline.assumptions.insert(timeline.assumptions.end(), plan.assumptions.begin(), plan.assumptions.end());
  double flops = 0;
  double padded = 0;
  for (const Work& work : plan.works) {
    flops += work.flops;
    padded += work.padded_flops;
  }
  if (padded > 0) timeline.mxu_utilisation = flops / padded;
  if (options.progress) options.progress(1);
  return timeline;
}

Result<Program> resolve_collectives(Program program, const Hardware& hardware, CollectiveAlgorithm asked) {
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware));
  for (Instruction& i : program.computations[static_cast<size_t>(program.entry.value)].instructions) {
    const bool resolves = i.opcode == Opcode::all_gather || i.opcode == Opcode::reduce_scatter ||
                          i.opcode == Opcode::all_reduce;
    if (!resolves || !i.algorithm.empty()) continue;
    TRY(const CollectiveAlgorithm algorithm, algorithm_of(program, i, fabric, asked));
    i.algorithm = name(algorithm);
  }
  return program;
}

}  // namespace shardscope
