// SPDX-License-Identifier: Apache-2.0
#include "engine/session/atlas/program_costs.h"

#include <fmt/format.h>

#include "engine/partition/entry/partitioned_cost.h"
#include "engine/program/memory/module_memory.h"
#include "engine/schedule/schedule.h"
#include "engine/session/modules/collective_volume.h"
#include "engine/session/modules/compiled_memory.h"

namespace shardscope::inline session {

ProgramCosts::ProgramCosts(const Mesh& mesh, const Hardware& hardware)
    : mesh_(with_chip_wraps(mesh, hardware)), hardware_(hardware) {}

Result<AtlasWay> ProgramCosts::of(const Program& program, const std::stop_token& stop) {
  Program on_mesh = program;
  on_mesh.mesh = mesh_;
  AtlasWay out;
  TRY(const ModuleMemory memory, module_memory(on_mesh, laid_out_for(hardware_, {}), stop));
  out.peak_bytes = memory.bytes();
  TRY(const Program ready,
      resolve_collectives(std::move(on_mesh), hardware_, CollectiveAlgorithm::automatic, fastest_, stop));
  ScheduleOptions options;
  options.keep_events = false;
  options.fastest = &fastest_;
  TRY(const Timeline timeline, schedule(ready, hardware_, options, stop));
  out.time = timeline.total;
  const auto traffic = traffic_of(ready, hardware_, CollectiveAlgorithm::automatic);
  CollectiveBytes bytes(ready);
  const Computation& entry = ready.entry_computation();
  for (const Instruction& i : entry.instructions) {
    if (!is_collective(i.opcode)) continue;
    const auto known = traffic.find(i.name);
    out.bytes += known == traffic.end() ? bytes.of(entry, i) : known->second.bytes_sent;
    out.collectives.push_back(fmt::format("{} {}", opcode_text(i.opcode), i.shape.text_without_layout()));
  }
  return out;
}

}  // namespace shardscope::inline session
