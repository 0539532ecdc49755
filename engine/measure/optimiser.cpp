// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/optimiser.h"

#ifdef SHARDSCOPE_WITHOUT_NLOPT

namespace shardscope::inline measure {

Result<Minimum> minimise(Surface, const std::function<double(const std::vector<double>&)>&,
                         std::vector<double>, const std::vector<Bounds>&, int, const std::stop_token&) {
  return invalid(
      "this program fits no chips: it is built without NLopt", "",
      "use a program that is installed with its libraries (the package shardscope-cli or shardscope)");
}

}  // namespace shardscope::inline measure

#else

#include <algorithm>
#include <nlopt.hpp>

namespace shardscope::inline measure {
namespace {

struct Objective {
  const std::function<double(const std::vector<double>&)>& function;
  const std::stop_token& stop;
  int calls = 0;
};

double evaluate(const std::vector<double>& at, std::vector<double>&, void* data) {
  Objective& objective = *static_cast<Objective*>(data);
  if (objective.stop.stop_requested()) throw nlopt::forced_stop();
  ++objective.calls;
  return objective.function(at);
}

}  // namespace

Result<Minimum> minimise(Surface surface, const std::function<double(const std::vector<double>&)>& function,
                         std::vector<double> start, const std::vector<Bounds>& bounds, int evaluations,
                         const std::stop_token& stop) {
  CHECK(start.size() == bounds.size(), "a bound for each parameter");
  for (size_t k = 0; k < start.size(); ++k) start[k] = std::clamp(start[k], bounds[k].low, bounds[k].high);
  Minimum best{start, function(start)};
  if (start.empty()) return best;
  Objective objective{function, stop};
  // Powell's method has no models of a single dimension.
  const bool models = surface == Surface::smooth && start.size() > 1;
  nlopt::opt search(models ? nlopt::LN_BOBYQA : nlopt::LN_SBPLX, static_cast<unsigned>(start.size()));
  std::vector<double> low, high;
  for (const Bounds& bound : bounds) {
    low.push_back(bound.low);
    high.push_back(bound.high);
  }
  search.set_lower_bounds(low);
  search.set_upper_bounds(high);
  search.set_min_objective(&evaluate, &objective);
  search.set_xtol_abs(1e-8);
  double stride = 0.2;
  while (objective.calls < evaluations) {
    search.set_maxeval(evaluations - objective.calls);
    search.set_initial_step(stride);
    std::vector<double> at = best.at;
    double value = best.value;
    try {
      search.optimize(at, value);
    } catch (const nlopt::forced_stop&) {
      return cancelled();
    } catch (const nlopt::roundoff_limited&) {
      // It got as far as the numbers allow; `at` is its best place.
      value = function(at);
    }
    const bool gained = value < best.value - 1e-6 * std::max(best.value, 1e-6);
    if (value < best.value) best = {at, value};
    if (!gained) break;
    stride = std::max(stride / 2, 0.02);
  }
  return best;
}

}  // namespace shardscope::inline measure

#endif
