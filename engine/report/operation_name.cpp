// SPDX-License-Identifier: Apache-2.0
#include "engine/report/operation_name.h"

#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope {
namespace {

// The device at the other end of the link that the event holds; the target where links are no mesh's.
int32_t reached(const Run& run, const Event& e) {
  const Lane& lane = run.timeline.lanes[static_cast<size_t>(e.lane)];
  if (lane.kind != LaneKind::link || lane.axis < 0 || lane.axis >= run.mesh.rank()) return e.peer;
  if (!run.mesh.device_order().empty()) return e.peer;
  const int64_t size = run.mesh.axis_size(lane.axis);
  const int64_t at = run.mesh.coordinate(DeviceId(e.device), lane.axis);
  const int64_t next = (at + lane.direction + size) % size;
  return static_cast<int32_t>(e.device + (next - at) * run.mesh.stride(lane.axis));
}

}  // namespace

bool leaves_or_arrives(const Run& run, const Event& transfer, int32_t device) {
  if (transfer.device == device && !transfer.relayed) return true;
  return transfer.peer == device && reached(run, transfer) == device;
}

std::string product_name(const DotSize& size) {
  const std::string batch = size.batch > 1 ? fmt::format("{} × ", size.batch) : "";
  return fmt::format("product {}{}×{}×{}", batch, size.m, size.k, size.n);
}

OperationName operation_name(const Program& program, int32_t index) {
  for (const Computation& c : program.computations) {
    const auto size = static_cast<int32_t>(c.instructions.size());
    if (index >= size) {
      index -= size;
      continue;
    }
    const Instruction& i = c.instructions[static_cast<size_t>(index)];
    if (i.opcode == Opcode::dot) {
      const DotSize dot = dot_size(c, i);
      return {product_name(dot), "", dot};
    }
    OperationName out;
    out.verb = i.opcode == Opcode::unknown ? i.opcode_name : std::string(opcode_text(i.opcode));
    if (is_collective(i.opcode)) out.place = join(collective_axes(program, i), ",");
    return out;
  }
  return {"?", "", {}};
}

}  // namespace shardscope
