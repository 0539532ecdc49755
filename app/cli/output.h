// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope {

// Writes to `path`, or to stdout when it is empty or "-".
Result<void> write_output(std::string_view text, const std::string& path);
int exit_code(const Error& error);

}  // namespace shardscope
