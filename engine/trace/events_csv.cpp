// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/csv.h"
#include "engine/program/ir/opcode.h"
#include "engine/story/story.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline trace {
namespace {

const char* kind_word(const Event& event) {
  switch (event.kind) {
    case EventKind::compute:
      return "compute";
    case EventKind::transfer:
      return event.relayed ? "relay" : "transfer";
    case EventKind::copy:
      return "copy";
  }
  return "";
}

}  // namespace

std::string events_csv(const Run& run) {
  std::string out =
      "event,device,place,lane,kind,instruction,opcode,note,step,transfer_step,beat,carries,start [ps],end "
      "[ps],duration [s],bytes [B],flops,peer,chunk,chunk_count,cause\n";
  const Result<Story> story = tell(run.program, run.timeline);
  const Timeline& timeline = run.timeline;
  for (size_t i = 0; i < timeline.events.size(); ++i) {
    const Event& e = timeline.events[i];
    const Instruction& instruction = run.program.by_global_index(e.instruction);
    const std::string opcode(opcode_text(instruction));
    fmt::format_to(
        std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", i,
        e.device, csv_cell(run.mesh.place(DeviceId(e.device))),
        csv_cell(timeline.lanes[static_cast<size_t>(e.lane)].name), kind_word(e), csv_cell(instruction.name),
        csv_cell(opcode), csv_cell(instruction.provenance->op_name), e.step, e.transfer_step,
        story.ok() ? story->beat_of(static_cast<int32_t>(i)) : -1,
        story.ok() ? csv_cell(name_of_transfer(*story, static_cast<int32_t>(i))) : "", e.start, e.end,
        to_seconds(e.end - e.start), e.bytes, e.flops, e.peer, e.chunk, e.chunk_count, e.cause);
  }
  return out;
}

}  // namespace shardscope::inline trace
