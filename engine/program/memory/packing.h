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

// Bytes of `some` at each of `times` moments; or of those that a loop is not just handing on, and that
// somebody reads after that moment.
std::vector<int64_t> bytes_by_time(const SharedBuffers& shared, const std::vector<int32_t>& some,
                                   size_t times);
std::vector<int64_t> bytes_used_by_time(const SharedBuffers& shared, const std::vector<int32_t>& some,
                                        size_t times);

// The height of one piece of memory that has a place for each: by size, and by length of life, each in the
// smallest gap that holds it; the lower of the two. More than are looked at so: what is needed at least.
// XLA:TPU's: in the order of their making, each in the smallest piece that others have left. Error: stopped.
Result<int64_t> packed_bytes(const SharedBuffers& shared, const std::vector<int32_t>& some, size_t times,
                             const std::stop_token& stop);

// Temporaries that the fast memory holds all their lives take none of the large one: the smallest first.
// `times`: moments.
void take_fast_memory(SharedBuffers& shared, int64_t fast_bytes, size_t times);

// What memory_analysis() says of that piece, of which `live` bytes are used at most at a time. TPUs': the
// gaps are counted twice, and where the core keeps all of `some` to itself, or they are tables, there is
// none.
int64_t with_gaps(const SharedBuffers& shared, const std::vector<int32_t>& some, int64_t packed,
                  int64_t live);

}  // namespace shardscope::inline program
