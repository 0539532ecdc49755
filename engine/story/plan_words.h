// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/story/story.h"

namespace shardscope::inline story {

// What travels in a run, each kind once, in its order: "all-gather of X along col". Empty: nothing does.
std::vector<std::string> travels_in(const Story& story);

}  // namespace shardscope::inline story
