// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace shardscope {

// The whole content of a file of text. Refuses (io) what cannot be read, what is a folder and what is longer
// than `max_bytes`.
Result<std::string> read_file(const std::string& path, int64_t max_bytes = int64_t{64} << 20);

}  // namespace shardscope
