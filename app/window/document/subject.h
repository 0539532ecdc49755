// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace shardscope::inline window {

// What the page in front is about: the runs of the workspace, the module that is open, or neither. What a
// clock shows is of one of them.
enum class Subject : uint8_t { runs, module, neither };

}  // namespace shardscope::inline window
