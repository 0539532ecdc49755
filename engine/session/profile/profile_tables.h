// SPDX-License-Identifier: Apache-2.0
// What a profile beside its simulation says, in sentences and tables: text, page and window show these.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/report/table.h"
#include "engine/session/profile/profile_beside.h"

namespace shardscope::inline session {

std::string profile_headline(const ProfileBeside& beside);  // "A step takes 8.62 ms, simulated on h200 …"
std::string profile_origin(const ProfileBeside& beside);    // "model: xplane, 4 devices, 10 steps"
std::vector<std::string> profile_notes(const ProfileBeside& beside);

// `most` rows, 0: all.
TextTable profile_overview(const ProfileBeside& beside);  // the terms of a step; they add up to it
TextTable profile_help(const ProfileBeside& beside);      // what a step would take less, the most first
TextTable profile_instructions(const ProfileBeside& beside, size_t most);
TextTable profile_unmatched(const ProfileBeside& beside, size_t most);
TextTable profile_reached(const ProfileBeside& beside, size_t most);  // rates: a roofline as a table

}  // namespace shardscope::inline session
