// SPDX-License-Identifier: Apache-2.0
// The two ways in which packing moves memory: lines that lie apart are put next to each other, and blocks of
// 4-byte elements are turned. What is written is the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shardscope::inline numerics {

// `count` lines of `bytes` bytes each; neighbours lie `in_stride` bytes apart in `in`, `out_stride` in `out`.
struct Lines {
  int64_t count, bytes;
  int64_t in_stride, out_stride;
};
void copy_lines(const std::byte* in, const Lines& lines, std::byte* out);

// Each line goes on: its parts of lines.bytes go to neighbouring panels, `stride` bytes apart.
struct LineParts {
  int64_t count, stride;
};
void copy_long_lines(const std::byte* in, const Lines& lines, const LineParts& parts, std::byte* out);

// out[c·out_stride + r] = in[r·in_stride + c], of 4-byte elements, strides in elements.
struct Turned {
  int64_t rows, columns;
  int64_t in_stride, out_stride;
};
// Turns as many rows as fill blocks, eight at a time where this machine has AVX2 and `columns` is a multiple
// of 8, four at a time where it is one of 4; returns how many, from the first on.
int64_t turn_blocks(const std::byte* in, const Turned& turned, std::byte* out);

}  // namespace shardscope::inline numerics
