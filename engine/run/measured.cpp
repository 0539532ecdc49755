// SPDX-License-Identifier: Apache-2.0
#include "engine/run/measured.h"

#include <algorithm>
#include <map>

namespace shardscope::inline run {

static_assert(sizeof(MeasuredEvent) == 32);

const char* name(MeasuredKind kind) {
  switch (kind) {
    case MeasuredKind::product:
      return "product";
    case MeasuredKind::elementwise:
      return "elementwise";
    case MeasuredKind::collective:
      return "collective";
    case MeasuredKind::copy:
      return "copy";
    case MeasuredKind::other:
      break;
  }
  return "other";
}

std::optional<MeasuredKind> parse_measured_kind(std::string_view text) {
  for (const MeasuredKind kind : {MeasuredKind::product, MeasuredKind::elementwise, MeasuredKind::collective,
                                  MeasuredKind::copy, MeasuredKind::other})
    if (text == name(kind)) return kind;
  return std::nullopt;
}

std::vector<MeasuredUnmatched> unmatched_of(const std::vector<MeasuredOperation>& operations) {
  std::map<std::string, MeasuredUnmatched> by_name;
  for (const MeasuredOperation& o : operations) {
    if (o.matched) continue;
    MeasuredUnmatched& u = by_name[o.op];
    u.name = o.op;
    u.time_s += o.total_s + o.wait_s;
    u.count += o.count;
  }
  std::vector<MeasuredUnmatched> out;
  for (auto& [_, u] : by_name) out.push_back(std::move(u));
  std::ranges::stable_sort(out, [](const auto& a, const auto& b) { return a.time_s > b.time_s; });
  return out;
}

}  // namespace shardscope::inline run
