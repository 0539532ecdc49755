// SPDX-License-Identifier: Apache-2.0
// Our own points (measured.csv): measurements of single operations, without moments.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "engine/measure/import/reader.h"
#include "engine/measure/points.h"
#include "engine/program/ir/opcode.h"

namespace shardscope::inline measure {
namespace {

MeasuredKind kind_of(PointKind kind) {
  switch (kind) {
    case PointKind::product:
      return MeasuredKind::product;
    case PointKind::elementwise:
      return MeasuredKind::elementwise;
    case PointKind::attention:
      break;
    case PointKind::collective:
      return MeasuredKind::collective;
    case PointKind::unknown:
      break;
  }
  return MeasuredKind::other;
}

MeasuredOperation operation_of(const MeasuredPoint& point, bool says_chip) {
  MeasuredOperation out;
  out.op = point.op + (says_chip ? " on " + point.chip : "");
  out.kind = kind_of(point.kind);
  out.matched = point.kind != PointKind::unknown;
  out.shapes = what_of(point);
  out.dtype = point.dtype ? name(*point.dtype) : "";
  out.bytes = point.bytes;
  const std::string first_word = point.op.substr(0, point.op.find(' '));
  if (point.kind == PointKind::collective) {
    out.opcode = is_collective(parse_opcode(first_word)) ? first_word : "";
    out.group = static_cast<int32_t>(std::min<int64_t>(point.group, 1 << 24));
  }
  if (point.kind == PointKind::product) {
    out.opcode = "dot";
    out.batch = point.size.batch, out.m = point.size.m, out.k = point.size.k, out.n = point.size.n;
    out.flops = size_of(point);
  }
  return out;
}

}  // namespace

Result<void> read_points_csv(const std::string& path, Importing& into) {
  into.format = "csv";
  TRY(const std::vector<MeasuredPoint> points, read_points(path));
  std::set<std::string> chips;
  int64_t devices = 0;
  for (const MeasuredPoint& point : points) {
    chips.insert(point.chip);
    devices = std::max(devices, point.devices);
  }
  if (chips.size() > 1) into.builder.note(fmt::format("{} holds points of {} chips", path, chips.size()));
  for (int64_t device = 0; device < std::min<int64_t>(devices, TraceBuilder::kMostNames); ++device)
    TRY_VOID(into.builder.device(fmt::format("device {}", device)));
  for (const MeasuredPoint& point : points)
    TRY_VOID(into.builder.add_point(operation_of(point, chips.size() > 1), to_picoseconds(point.measured_s)));
  return {};
}

}  // namespace shardscope::inline measure
