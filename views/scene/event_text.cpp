// SPDX-License-Identifier: Apache-2.0
#include "views/scene/event_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "views/scene/pen.h"

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

std::string block_text(const Event& transfer) {
  if (transfer.chunk < 0) return "block";
  if (transfer.chunk_count > 1)
    return fmt::format("blocks {}–{}", transfer.chunk, transfer.chunk + transfer.chunk_count - 1);
  return fmt::format("block {}", transfer.chunk);
}

std::string event_label(const ViewInput& input, const Event& event) {
  return is_transfer(event) ? block_text(event) : instruction_name(input, event.instruction);
}

std::string event_name(const ViewInput& input, const Event& event) {
  std::string name = fmt::format("device {}, {}, {}", device_name(input.run.mesh, event.device),
                                 lane_name(input, event.lane), instruction_name(input, event.instruction));
  if (event.step >= 0) name += fmt::format(" step {}", event.step);
  if (is_transfer(event)) {
    name += fmt::format(", {} → {}, {}", block_text(event), device_name(input.run.mesh, event.peer),
                        format_bytes(static_cast<double>(event.bytes)));
  }
  return name + ", " + format_picoseconds(event.end - event.start);
}

std::string step_name(const TraceSource::Step& step) {
  std::string name = step.step >= 0 ? fmt::format("step {}", step.step) : "outside of steps";
  if (step.transfer_step >= 0) name += fmt::format(", transfer {}", step.transfer_step);
  return name;
}

Picoseconds moment(const ViewInput& input, const Selection& selection) {
  const auto steps = input.trace.steps();
  if (!steps.ok() || steps->empty()) return input.trace.total();
  const auto place =
      static_cast<size_t>(std::clamp<int64_t>(selection.step, 0, static_cast<int64_t>(steps->size()) - 1));
  const TimeRange range = (*steps)[place].range;
  return range.start + static_cast<Picoseconds>(std::clamp(selection.step_fraction, 0.0, 1.0) *
                                                static_cast<double>(range.length()));
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
