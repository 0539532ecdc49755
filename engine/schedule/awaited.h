// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/plan/to_index.h"
#include "engine/plan/work.h"

namespace shardscope::inline scheduler {

// What a work or join waits for on a device: how many things, the latest that has come, and the work that it
// is of (-1: none has): of equal ones the first.
struct Awaited {
  int32_t& open;
  Moment& latest;
  int32_t& whose;
};

// A work is done: `at(node)` is what a work or join waits for on its device. Those that have all of it are
// told to `ready` with the latest; a join passes that on, and whose it is. `reached`: room for joins.
template <class At, class Ready>
void tell_readers(const WorkPlan& plan, int32_t done, const Moment& moment, std::vector<int32_t>& reached,
                  const At& at, const Ready& ready) {
  const auto works = static_cast<int32_t>(plan.count());
  const size_t before = reached.size();
  const auto tell = [&](int32_t of, const Moment latest, int32_t whose) {
    const int32_t last = plan.first_reader[to_index(of) + 1];
    for (int32_t i = plan.first_reader[to_index(of)]; i < last; ++i) {
      const int32_t reader = plan.readers[to_index(i)];
      const Awaited it = at(reader);
      if (it.whose < 0 ||
          (latest.ties_with(it.latest) ? whose < it.whose : latest.counts_before(it.latest))) {
        it.latest = latest;
        it.whose = whose;
      }
      if (--it.open > 0) continue;
      if (reader < works) {
        ready(reader, it.latest);
      } else {
        reached.push_back(reader);
      }
    }
  };
  tell(done, moment, done);
  while (reached.size() > before) {
    const Awaited join = at(reached.back());
    const int32_t of = reached.back();
    reached.pop_back();
    tell(of, join.latest, join.whose);
  }
}

}  // namespace shardscope::inline scheduler
