// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/event_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "views/scene/core/pen.h"

namespace shardscope {

std::optional<Event> find_event(const ViewInput& input, int32_t number) {
  if (number < 0) return std::nullopt;
  const Result<Event> event = input.trace.event(number);
  if (!event.ok()) return std::nullopt;
  return *event;
}

bool is_transfer(const Event& event) {
  return event.kind == EventKind::transfer;
}

const Instruction* find_instruction(const Program& program, int32_t global_index) {
  if (global_index < 0 || global_index >= program.instruction_count()) return nullptr;
  return &program.by_global_index(global_index);
}

std::string instruction_name(const ViewInput& input, int32_t global_index) {
  const Instruction* found = find_instruction(input.run.program, global_index);
  return found ? found->name : fmt::format("instruction {}", global_index);
}

std::string lane_name(const ViewInput& input, int lane) {
  const std::vector<Lane>& lanes = input.trace.lanes();
  return lane >= 0 && lane < static_cast<int>(lanes.size()) ? lanes[static_cast<size_t>(lane)].name : "";
}

std::string transfer_name(const ViewInput& input, int32_t event, NameForm form) {
  if (input.story) return name_of_transfer(*input.story, event, form);
  const auto e = find_event(input, event);
  return e ? "part of " + instruction_name(input, e->instruction) : "";
}

std::string event_label(const ViewInput& input, int32_t event) {
  const auto e = find_event(input, event);
  if (!e) return "";
  return is_transfer(*e) ? transfer_name(input, event) : instruction_name(input, e->instruction);
}

std::string event_name(const ViewInput& input, int32_t event) {
  const auto e = find_event(input, event);
  if (!e) return "";
  std::string name = fmt::format("device {}, {}, {}", device_name(input.run.mesh, e->device),
                                 lane_name(input, e->lane), instruction_name(input, e->instruction));
  if (const int32_t beat = input.story ? input.story->beat_of(event) : -1; beat >= 0)
    name += fmt::format(", beat {}", beat);
  if (is_transfer(*e)) {
    name += fmt::format(": {} → {}, {}", transfer_name(input, event), device_name(input.run.mesh, e->peer),
                        format_bytes(static_cast<double>(e->bytes)));
  }
  return name + ", " + format_picoseconds(e->end - e->start);
}

std::string block_text(const Event& transfer) {
  if (transfer.chunk < 0) return "block";
  if (transfer.chunk_count > 1)
    return fmt::format("blocks {}–{}", transfer.chunk, transfer.chunk + transfer.chunk_count - 1);
  return fmt::format("block {}", transfer.chunk);
}

std::string clock_name(const ViewInput& input, int32_t place) {
  const auto steps = input.trace.steps();
  if (!steps.ok() || steps->empty()) return "no steps";
  const auto count = static_cast<int64_t>(steps->size());
  return fmt::format("step {} of {}", std::clamp<int64_t>(place, 0, count - 1) + 1, count);
}

std::string work_name(const ViewInput& input, const TraceSource::Step& step,
                      const std::vector<Event>& events) {
  std::vector<int32_t> instructions;
  for (const Event& e : events) {
    if (std::find(instructions.begin(), instructions.end(), e.instruction) == instructions.end())
      instructions.push_back(e.instruction);
  }
  if (instructions.empty()) return "";
  std::string out = instruction_name(input, instructions.front());
  const Instruction* found = find_instruction(input.run.program, instructions.front());
  if (found && is_transfer(events.front())) {
    std::string axes;
    for (const std::string& axis : collective_axes(input.run.program, *found))
      axes += (axes.empty() ? "" : ",") + axis;
    if (!axes.empty()) out += " over " + axes;
  }
  if (instructions.size() > 1) out += fmt::format(" and {} more", instructions.size() - 1);
  const auto steps = input.trace.steps();
  int32_t last = 0;
  for (size_t i = 0; steps.ok() && i < steps->size(); ++i) {
    if ((*steps)[i].step == step.step) last = std::max(last, (*steps)[i].transfer_step);
  }
  if (last > 0 && step.transfer_step >= 0)
    out += fmt::format(", transfer {} of {}", step.transfer_step + 1, last + 1);
  return out;
}

int32_t step_at(const ViewInput& input, Picoseconds time) {
  const auto steps = input.trace.steps();
  int32_t found = -1;
  int32_t last = 0;
  for (size_t i = 0; steps.ok() && i < steps->size(); ++i) {
    const Picoseconds end = (*steps)[i].range.end;
    if (end >= (*steps)[static_cast<size_t>(last)].range.end) last = static_cast<int32_t>(i);
    if (end >= time && (found < 0 || end <= (*steps)[static_cast<size_t>(found)].range.end))
      found = static_cast<int32_t>(i);
  }
  return found >= 0 ? found : last;
}

int32_t focus_device(const ViewInput& input, const Selection& selection) {
  const int32_t devices = input.trace.devices();
  for (const ItemId* item : {&selection.selected, &selection.hovered}) {
    if (item->device >= 0 && item->device < devices) return item->device;
  }
  int32_t worst = 0;
  const std::vector<DeviceTotals>& totals = input.run.timeline.totals;
  for (size_t d = 1; d < totals.size(); ++d) {
    if (totals[d].exposed > totals[static_cast<size_t>(worst)].exposed) worst = static_cast<int32_t>(d);
  }
  return worst;
}

}  // namespace shardscope
