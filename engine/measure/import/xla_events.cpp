// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/xla_events.h"

namespace shardscope {

Result<void> add_xla_event(const HloWords& words, std::string_view line, const XlaEvent& event,
                           AsyncPairs& pairs, Importing& into) {
  MeasuredOperation facts = describe_hlo(words);
  TRY(const int16_t lane, into.builder.lane(std::string(line), nests(line)));
  const bool whole_line = line_kind(line) == XlaLine::asynchronous;
  if (AsyncPairs::is_half(facts.op) && (whole_line || nests(line))) {
    AsyncPairs::Half half{facts.op, event.flow, event.start, event.duration, event.device, lane, facts};
    TRY_VOID(pairs.take(std::move(half), whole_line, into));
    if (whole_line) return {};
    facts.kind = MeasuredKind::other;
  }
  TRY(const int32_t operation, into.operation(std::move(facts)));
  return into.builder.add(event.start, event.duration,
                          {.device = event.device, .lane = lane, .operation = operation});
}

}  // namespace shardscope
