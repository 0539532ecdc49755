// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/base/result.h"

namespace shardscope::inline session {

// How much of a module is run to prove how it is partitioned. automatic: all of it where that is expected to
// take no longer than two seconds, else the same module with smaller arrays, else nothing.
enum class CheckMode { automatic, full, shrunk, off };
// "auto", "full" or "on", "shrunk", "off"; errors name `option`.
Result<CheckMode> parse_check_mode(std::string_view text, const char* option);

}  // namespace shardscope::inline session
