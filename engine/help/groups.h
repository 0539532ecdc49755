// SPDX-License-Identifier: Apache-2.0
// The parts of the table of help, a file each.
#pragma once

#include "engine/help/topics.h"

namespace shardscope::inline help {

std::vector<HelpTopic> using_topics();
std::vector<HelpTopic> page_topics();
std::vector<HelpTopic> view_topics();
std::vector<HelpTopic> dock_topics();

}  // namespace shardscope::inline help
