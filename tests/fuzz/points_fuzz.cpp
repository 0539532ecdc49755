// SPDX-License-Identifier: Apache-2.0
// Any bytes are measurements or an error with a place; what is read keeps its promises.
#include <cmath>

#include "engine/base/check.h"
#include "engine/measure/points.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace shardscope;
  const auto points = parse_points(std::string_view(reinterpret_cast<const char*>(data), size), "f.csv");
  if (!points.ok()) {
    CHECK(points.error().where.starts_with("f.csv"), points.error().text());
    return 0;
  }
  for (const MeasuredPoint& point : *points) {
    CHECK(std::isfinite(point.measured_s) && point.measured_s > 0, point.id);
    CHECK(!group_of(point).empty() && !what_of(point).empty(), point.id);
    CHECK(point.kind == PointKind::unknown || size_of(point) >= 1, point.id);
    CHECK(point.kind != PointKind::collective || point.devices % point.group == 0, point.id);
  }
  return 0;
}
