// SPDX-License-Identifier: Apache-2.0
#include "engine/study/truth.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace shardscope::inline study {

Truth truth_of(std::vector<TruthPoint> points) {
  const auto place = [](const TruthPoint& p) { return std::tie(p.chip, p.kind, p.id); };
  std::ranges::stable_sort(points, [&](const auto& a, const auto& b) { return place(a) < place(b); });
  Truth out;
  double all = 0, held = 0;
  const auto close = [&] {
    if (out.groups.empty()) return;
    TruthGroup& group = out.groups.back();
    group.mean_error = all / static_cast<double>(group.n);
    if (group.held_out > 0) group.held_out_error = held / static_cast<double>(group.held_out);
    all = held = 0;
  };
  for (const TruthPoint& p : points) {
    if (!p.predicted_s) continue;
    if (out.groups.empty() || out.groups.back().chip != p.chip || out.groups.back().kind != p.kind) {
      close();
      out.groups.push_back({p.chip, p.kind, 0, 0, 0, {}});
    }
    const double error = std::fabs(*p.predicted_s / p.measured_s - 1);
    ++out.groups.back().n;
    all += error;
    if (p.fitted) continue;
    ++out.groups.back().held_out;
    held += error;
  }
  close();
  out.points = std::move(points);
  return out;
}

}  // namespace shardscope::inline study
