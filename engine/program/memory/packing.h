// SPDX-License-Identifier: Apache-2.0
// Places for buffers that live at different times.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/memory/shared_buffers.h"

namespace shardscope::inline program {

// Buffers (by number) that find no place in the memory of a result or of a donated argument while that is not
// needed yet. The largest first, each in the smallest that is free all its life. Error: stopped.
Result<std::vector<int32_t>> beside_results(const SharedBuffers& shared, const std::stop_token& stop);

// Bytes of `some` at each of `times` moments.
std::vector<int64_t> bytes_by_time(const SharedBuffers& shared, const std::vector<int32_t>& some,
                                   size_t times);

// The height of one piece of memory that has a place for each: by size, and by length of life, each in the
// smallest gap that holds it; the lower of the two. More than are looked at so: what is needed at least.
// Error: stopped.
Result<int64_t> packed_bytes(const SharedBuffers& shared, const std::vector<int32_t>& some, size_t times,
                             const std::stop_token& stop);

}  // namespace shardscope::inline program
