// SPDX-License-Identifier: Apache-2.0
#include "engine/session/shared_points.h"

#include "engine/cluster/packet.h"

namespace shardscope::inline session {

std::string text_of_points(const Result<std::vector<SweepPoint>>& points,
                           const std::optional<Error>& refusal) {
  PacketWriter out;
  out.put_error(points.ok() ? std::nullopt : std::optional(points.error()));
  if (!points.ok()) return out.text();
  out.put_error(refusal);
  out.put(std::ssize(*points));
  for (const SweepPoint& point : *points) {
    out.put_all(point.at);
    out.put(point.skipped);
    out.put(std::ssize(point.ranking));
    for (const StrategyTime& time : point.ranking) {
      out.put_text(time.strategy);
      out.put(time.total_s);
      out.put(time.allclose);
      out.put(time.price_s);
    }
  }
  return out.text();
}

Result<SharedPoints> points_of_text(std::string_view text) {
  PacketReader in(text);
  if (const auto error = in.get_error()) return *error;
  SharedPoints out;
  out.refusal = in.get_error();
  out.points.resize(static_cast<size_t>(in.get<std::ptrdiff_t>()));
  for (SweepPoint& point : out.points) {
    point.at = in.get_all<int32_t>();
    point.skipped = in.get<int32_t>();
    point.ranking.resize(static_cast<size_t>(in.get<std::ptrdiff_t>()));
    for (StrategyTime& time : point.ranking) {
      time.strategy = in.get_text();
      time.total_s = in.get<double>();
      time.allclose = in.get<std::optional<bool>>();
      time.price_s = in.get<double>();
    }
  }
  return out;
}

}  // namespace shardscope::inline session
