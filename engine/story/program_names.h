// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/story/story.h"

namespace shardscope::inline story {

// Of an instruction of the entry whose value cannot be followed: the input that it moves from place to place,
// else the output that what it makes is moved to, as the program alone says it. Empty: neither.
std::string name_by_program(const Story& story, int32_t instruction);

}  // namespace shardscope::inline story
