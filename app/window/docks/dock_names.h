// SPDX-License-Identifier: Apache-2.0
// What docks are called: lessons show them by their ids, in a program without the window too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope::inline window {

std::vector<std::string> dock_ids();           // views of a run, then panels
const char* panel_title(std::string_view id);  // of one that is no view of a run

}  // namespace shardscope::inline window
