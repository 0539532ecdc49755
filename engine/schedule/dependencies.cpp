// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/dependencies.h"

#include <algorithm>
#include <set>

namespace shardscope {

Needs Dependencies::shared(Needs needs) {
  constexpr size_t kMostListed = 8;
  if (needs.size() <= kMostListed) return needs;
  int32_t latest = -1;
  for (const int32_t need : needs)
    latest = std::max(latest, need < kFirstJoin ? need : latest_[static_cast<size_t>(need - kFirstJoin)]);
  latest_.push_back(latest);
  joins_.push_back(std::move(needs));
  return {kFirstJoin + static_cast<int32_t>(joins_.size()) - 1};
}

Needs Dependencies::needed_from(size_t number, int32_t first) const {
  std::set<int32_t> seen;
  Needs out, open = works_[number];
  while (!open.empty()) {
    const int32_t need = open.back();
    open.pop_back();
    const bool is_work = need < kFirstJoin;
    const size_t join = is_work ? 0 : static_cast<size_t>(need - kFirstJoin);
    if ((is_work ? need : latest_[join]) < first || !seen.insert(need).second) continue;
    if (is_work) {
      out.push_back(need);
    } else {
      open.insert(open.end(), joins_[join].begin(), joins_[join].end());
    }
  }
  return out;
}

}  // namespace shardscope
