// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shardscope::inline program {

// A module that was written to a log, every line behind "I0503 10:00:00.123456 77 hlo.cc:123] ": the same
// without them, as many lines as before, and nothing of what else was logged before or behind it. None: the
// text is no such log.
std::optional<std::string> without_log_prefixes(std::string_view text);

}  // namespace shardscope::inline program
