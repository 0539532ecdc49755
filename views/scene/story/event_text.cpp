// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/event_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {

bool is_unread(const ViewInput& input) {
  return input.trace.events_kept() > std::ssize(input.run.timeline.events);
}

std::string why_unread(const ViewInput& input) {
  if (!is_unread(input)) return "";
  const std::string events = group_digits(input.trace.events_kept());
  if (input.telling) return say("Its {} events are being read …", events);
  return say("Its {} events were not read: show the run again.", events);
}

std::optional<Event> find_event(const ViewInput& input, int32_t number) {
  if (number < 0) return std::nullopt;
  const Result<Event> event = input.trace.event(number);
  if (!event.ok()) return std::nullopt;
  return *event;
}

ItemId event_item(const ViewInput& input, int32_t number) {
  ItemId item;
  item.kind = ItemId::Kind::event;
  item.event = number;
  if (const auto event = find_event(input, number)) {
    item.device = event->device;
    item.lane = event->lane;
    item.instruction = event->instruction;
  }
  return item;
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
  return found ? display_name(*found) : say("instruction {}", global_index);
}

std::string lane_name(const ViewInput& input, int lane) {
  const std::vector<Lane>& lanes = input.trace.lanes();
  return lane >= 0 && lane < static_cast<int>(lanes.size()) ? lanes[static_cast<size_t>(lane)].name : "";
}

std::string transfer_name(const ViewInput& input, int32_t event, NameForm form) {
  if (input.story) return name_of_transfer(*input.story, event, form);
  if (input.telling) return "…";
  const auto e = find_event(input, event);
  return e ? said("part of ") + instruction_name(input, e->instruction) : "";
}

std::string event_label(const ViewInput& input, int32_t event) {
  const auto e = find_event(input, event);
  if (!e) return "";
  return is_transfer(*e) ? transfer_name(input, event) : instruction_name(input, e->instruction);
}

std::string event_name(const ViewInput& input, int32_t event) {
  const auto e = find_event(input, event);
  if (!e) return "";
  std::string name = say("device {}, {}, {}", device_name(input.run.mesh, e->device),
                         lane_name(input, e->lane), instruction_name(input, e->instruction));
  if (const int32_t beat = input.story ? input.story->beat_of(event) : -1; beat >= 0)
    name += say(", step {}", beat);
  if (is_transfer(*e)) {
    name += fmt::format(": {} → {}, {}", transfer_name(input, event), device_name(input.run.mesh, e->peer),
                        format_bytes(static_cast<double>(e->bytes)));
  }
  return name + ", " + format_picoseconds(e->end - e->start);
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

}  // namespace shardscope::inline views
