// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/measure/import/json_events.h"

namespace shardscope::inline measure {

enum class Scan : unsigned char { taken, cut, other };

// One event at the front of `text`, which begins with its brace: `taken` into `event`, with those of its
// arguments that are used, `end` behind it; `cut` where the text ends inside of it; `other` where it is not
// of the common form, whether it is JSON or not.
Scan scan_event(std::string_view text, JsonEvent& event, size_t& end);

}  // namespace shardscope::inline measure
