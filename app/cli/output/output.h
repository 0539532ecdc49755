// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope {

// Exit codes; --help lists them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitRequest = 2;
inline constexpr int kExitWrongNumbers = 3;
inline constexpr int kExitFile = 4;
inline constexpr int kExitCancelled = 130;
inline constexpr int kExitTerminated = 143;  // cancelled by SIGTERM

// Writes to `path`, or to stdout when it is empty or "-".
Result<void> write_output(std::string_view text, const std::string& path);
int exit_code(const Error& error);

}  // namespace shardscope
