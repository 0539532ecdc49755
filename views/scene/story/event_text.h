// SPDX-License-Identifier: Apache-2.0
// How events and places are called in labels, tooltips and the accessible tree.
#pragma once

#include <optional>
#include <string>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// Whether its events, and its memory over time, are in its record alone.
bool is_unread(const ViewInput& input);
// What is said in place of what needs all of them: "Its 10,000,000 events are being read …"; empty: they are
// here.
std::string why_unread(const ViewInput& input);
std::optional<Event> find_event(const ViewInput& input, int32_t number);
ItemId event_item(const ViewInput& input, int32_t number);
bool is_transfer(const Event& event);
const Instruction* find_instruction(const Program& program, int32_t global_index);
std::string instruction_name(const ViewInput& input, int32_t global_index);
std::string lane_name(const ViewInput& input, int lane);
// "a3.1/2" of a transfer, as every view calls it.
std::string transfer_name(const ViewInput& input, int32_t event, NameForm form = NameForm::full);
std::string event_label(const ViewInput& input, int32_t event);  // inside its rectangle
// "device (0,1), col+, all-gather.3, step 4: a3 → (0,2), 2.0 MiB, 46.6 µs".
std::string event_name(const ViewInput& input, int32_t event);
// The device whose sums stand for the run: the selected or hovered one, else the one with the most exposed
// communication.
int32_t focus_device(const ViewInput& input, const Selection& selection);

}  // namespace shardscope::inline views
