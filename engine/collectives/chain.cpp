// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/chain.h"

#include <algorithm>

namespace shardscope::inline collectives {

std::vector<ChainSchedule::Chain> ChainSchedule::chains(ChainForm form, int32_t ranks, int32_t segments) {
  switch (form.way) {
    case ChainForm::up:
      return {{ranks - 1, 1, 0}};
    case ChainForm::halves:
      return {{ranks - 1, 1, 0}, {ranks - 1, -1, segments}};
    case ChainForm::line:
      return {{ranks - 1 - form.first, 1, 0}, {form.first, -1, 0}};
  }
  return {};
}

CollectiveSchedule::Outline ChainSchedule::outline_of(CollectiveKind kind, ChainForm form, int32_t ranks,
                                                      int32_t segments) {
  Outline outline;
  outline.kind = kind;
  outline.ranks = ranks;
  outline.chunks = form.way == ChainForm::halves ? 2 * segments : segments;
  for (const Chain& chain : chains(form, ranks, segments)) {
    if (chain.length > 0) outline.steps = std::max(outline.steps, chain.length - 1 + segments);
  }
  return outline;
}

ChainSchedule::ChainSchedule(CollectiveKind kind, ChainForm form, int32_t ranks, int32_t segments)
    : CollectiveSchedule(outline_of(kind, form, ranks, segments)),
      chains_(chains(form, ranks, segments)),
      segments_(segments) {}

void ChainSchedule::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  const int32_t n = ranks();
  const bool reduces = kind() == CollectiveKind::reduce;
  for (const Chain& chain : chains_) {
    const int32_t place = chain.way > 0 || source == 0 ? source : n - source;
    if (place > chain.length || place == (reduces ? 0 : chain.length)) continue;
    const int32_t segment = step - (reduces ? chain.length - place : place);
    if (segment < 0 || segment >= segments_) continue;
    const auto way = static_cast<int8_t>(reduces ? -chain.way : chain.way);
    out.push_back({step, source, (source + n + way) % n, chain.chunk + segment, 1, way, reduces});
  }
}

}  // namespace shardscope::inline collectives
