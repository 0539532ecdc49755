// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/trace_points.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace shardscope::inline measure {
namespace {

void take_product(const MeasuredOperation& operation, MeasuredPoint& point) {
  point.dtype = parse_element_type(operation.dtype);
  if (!point.dtype || std::min({operation.m, operation.k, operation.n}) < 1) return;
  point.kind = PointKind::product;
  point.size = {std::max<int64_t>(operation.batch, 1), operation.m, operation.k, operation.n};
}

void take_collective(const MeasuredOperation& operation, MeasuredPoint& point) {
  const auto kind = collective_kind(operation.opcode);
  if (!kind || operation.bytes < 1 || operation.group < 2) return;
  // Broadcasts and sums for one device have no row of their own.
  if (*kind == CollectiveKind::broadcast || *kind == CollectiveKind::reduce) return;
  point.kind = PointKind::collective;
  point.collective = *kind;
  point.devices = point.group = operation.group;
  point.topology = fmt::format("{} devices", operation.group);
}

// Ranks of nccl-tests on several hosts are called after theirs, "worker-1 rank 0"; of one host "rank 0".
int64_t nodes_of(const MeasuredTrace& trace) {
  std::set<std::string> hosts;
  if (trace.format == "nccl-tests")
    for (const std::string& device : trace.device_names) hosts.insert(device.substr(0, device.find("rank ")));
  return std::max<int64_t>(1, std::ssize(hosts));
}

}  // namespace

std::vector<MeasuredPoint> points_of(const MeasuredTrace& trace, const std::string& chip) {
  std::vector<MeasuredPoint> out;
  const int64_t nodes = nodes_of(trace);
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const MeasuredOperation& operation = trace.operations[i];
    if (operation.p50_s <= 0) continue;
    MeasuredPoint point;
    point.id = fmt::format("{}.{}", trace.id, i + 1);
    point.source = trace.source;
    point.chip = chip;
    point.nodes = nodes;
    point.topology = "one device";
    point.op = operation.opcode.empty() ? operation.op : operation.opcode;
    point.note = operation.op;
    point.bytes = operation.bytes;
    point.measured_s = operation.p50_s;
    switch (operation.kind) {
      case MeasuredKind::product:
        take_product(operation, point);
        break;
      case MeasuredKind::collective:
        take_collective(operation, point);
        break;
      case MeasuredKind::elementwise:
        if (operation.bytes > 0) point.kind = PointKind::elementwise;
        break;
      case MeasuredKind::copy:
      case MeasuredKind::other:
        continue;
    }
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace shardscope::inline measure
