// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/xla_events.h"

namespace shardscope::inline measure {
namespace {

// On a stream an event bears the kernel's name. What it is of is not said in a command buffer.
void name_kernel(const HloWords& words, ProfiledOperation& facts) {
  if (words.hlo_op.starts_with("command_buffer"))
    facts.op = facts.kernel = words.name;
  else if (words.name != facts.op)
    facts.kernel = words.name;
}

}  // namespace

Result<XlaOperation> xla_operation(const HloWords& words, XlaLine kind, std::string_view line,
                                   Importing& into) {
  XlaOperation out;
  out.facts = describe_hlo(words);
  if (is_stream(line)) name_kernel(words, out.facts);
  out.facts.program = words.program;
  if (out.facts.kind == MeasuredKind::collective) out.facts.groups = groups_of(words.long_name);
  // On the host a loop and a call are what lies round their bodies' events, no work beside them.
  if (line == kHostLane &&
      (out.facts.opcode == "while" || out.facts.opcode == "conditional" || out.facts.opcode == "call"))
    return out;
  const bool whole_line = kind == XlaLine::asynchronous;
  out.half = AsyncPairs::is_half(out.facts.op) && (whole_line || nests(line));
  if (out.half && whole_line) return out;
  ProfiledOperation shown = out.facts;
  if (out.half) shown.kind = MeasuredKind::other;
  TRY(out.number, into.operation(std::move(shown), out.half));
  return out;
}

Result<void> add_xla_event(const XlaOperation& operation, const XlaEvent& event, AsyncPairs& pairs,
                           Importing& into) {
  if (operation.half) {
    AsyncPairs::Half half{operation.facts.op, event.flow, event.start,    event.duration,
                          event.device,       event.lane, operation.facts};
    TRY_VOID(pairs.take(std::move(half), event.kind == XlaLine::asynchronous, into));
  }
  if (operation.number < 0) return {};
  return into.builder.add(event.start, event.duration,
                          {.device = event.device, .lane = event.lane, .operation = operation.number});
}

}  // namespace shardscope::inline measure
