// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/power.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/hardware/cost.h"

namespace shardscope::inline planner {
namespace {

bool is_local(const Work& work) {
  return work.kind != WorkKind::collective && work.call == nullptr;
}

// Of the time that the device computes, what arithmetic of products takes.
double share_of_products(const WorkPlan& plan) {
  double products = 0, all = 0;
  for (size_t n = 0; n < plan.count(); ++n) {
    const Work& work = plan.work(static_cast<int32_t>(n));
    if (!is_local(work)) continue;
    all += to_seconds(work.cost.total());
    if (work.draws_power) products += to_seconds(work.cost.compute);
  }
  return all > 0 ? products / all : 0;
}

}  // namespace

std::string slow_by_power(const Hardware& hardware, WorkPlan& plan) {
  const double share = share_of_products(plan);
  const double slower = sustained_slowdown(hardware, share);
  if (slower <= 1) return "";
  for (Work& work : plan.works)
    if (is_local(work) && work.draws_power)
      work.cost.compute =
          static_cast<Picoseconds>(std::ceil(static_cast<double>(work.cost.compute) * slower));
  return fmt::format(
      "the program runs again and again: its products fill {:.0f} % of the time that the chip computes, draw "
      "more power than it may, and take {:.0f} % longer than one alone (program.sustained)",
      100 * share, 100 * (slower - 1));
}

}  // namespace shardscope::inline planner
