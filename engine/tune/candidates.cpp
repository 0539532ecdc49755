// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/candidates.h"

#include <algorithm>
#include <cmath>

namespace shardscope::inline tuner {

int32_t mark_front(std::vector<TuneCandidate>& candidates) {
  int32_t best = -1;
  for (size_t i = 0; i < candidates.size(); ++i) {
    TuneCandidate& a = candidates[i];
    a.front = std::none_of(candidates.begin(), candidates.end(), [&](const TuneCandidate& b) {
      const bool no_worse = b.total_s <= a.total_s && b.peak_bytes <= a.peak_bytes;
      return no_worse && (b.total_s < a.total_s || b.peak_bytes < a.peak_bytes);
    });
    const bool better = best < 0 || (a.fits && !candidates[static_cast<size_t>(best)].fits) ||
                        (a.fits == candidates[static_cast<size_t>(best)].fits &&
                         a.total_s < candidates[static_cast<size_t>(best)].total_s);
    if (better) best = static_cast<int32_t>(i);
  }
  return best;
}

// With less memory chains take longer, and more candidates are faster.
bool all_are_beaten(ChainSearch& search, ChainLimits limits, const std::vector<const TuneCandidate*>& by) {
  constexpr double kRounding = 1e-12;  // of a sum
  for (int64_t before = -1; before != limits.whole_bytes;) {
    before = limits.whole_bytes;
    const double least_s = search.least_within(limits);
    if (std::isinf(least_s) || least_s > limits.seconds) return true;
    for (const TuneCandidate* it : by) {
      if (it->total_s < least_s * (1 - kRounding))
        limits.whole_bytes = std::min(limits.whole_bytes, it->peak_bytes - 1);
    }
  }
  return false;
}

}  // namespace shardscope::inline tuner
