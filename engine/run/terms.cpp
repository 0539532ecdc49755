// SPDX-License-Identifier: Apache-2.0
#include "engine/run/terms.h"

namespace shardscope {

const char* name(Term term) {
  switch (term) {
    case Term::compute:
      return "compute";
    case Term::exposed:
      return "exposed";
    case Term::idle:
      return "idle";
  }
  return "";
}

Terms terms_of(const Timeline& timeline) {
  if (timeline.totals.empty()) return {};
  const DeviceTotals& of = timeline.totals[static_cast<size_t>(summarise(timeline).device)];
  return {of.compute, of.exposed, of.idle};
}

Parts parts_of(const CriticalPath& path) {
  return {path.compute, path.memory, path.latency, path.bandwidth, path.overhead};
}

}  // namespace shardscope
