// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/lines.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace shardscope::lines_test {
namespace {

constexpr int32_t kUntouched = -1;

// Just as large as needed, so that reading or writing beyond it is seen by ASan.
std::vector<int32_t> counted(int64_t lines, int64_t stride, int64_t length) {
  std::vector<int32_t> numbers(static_cast<size_t>((lines - 1) * stride + length));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
  return numbers;
}

TEST(Lines, TurnedBlocksAreTheTransposeAndNothingBesideThemIsWritten) {
  for (const int64_t rows : {1, 4, 7, 8, 12, 16, 23, 24, 28, 48}) {
    for (const int64_t columns : {4, 8, 12, 16, 32}) {
      const int64_t in_stride = columns + 3, out_stride = rows + 5;
      const auto in = counted(rows, in_stride, columns);
      std::vector<int32_t> out(static_cast<size_t>((columns - 1) * out_stride + rows), kUntouched);
      const int64_t done =
          turn_blocks(reinterpret_cast<const std::byte*>(in.data()), {rows, columns, in_stride, out_stride},
                      reinterpret_cast<std::byte*>(out.data()));
      ASSERT_EQ(done, rows / 4 * 4) << rows << 'x' << columns;
      for (size_t at = 0; at < out.size(); ++at) {
        const int64_t r = static_cast<int64_t>(at) % out_stride, c = static_cast<int64_t>(at) / out_stride;
        ASSERT_EQ(out[at], r < done ? r * in_stride + c : kUntouched)
            << rows << 'x' << columns << " at " << r << ',' << c;
      }
    }
  }
}

TEST(Lines, CopiedLinesAreWholeAndNothingBetweenThemIsWritten) {
  for (const int64_t length : {1, 8, 16, 47, 48, 49}) {  // 48: a panel's line in AVX-512
    for (const int64_t count : {1, 11, 12, 13, 40}) {    // some are asked for ahead of time
      const int64_t in_stride = length + 2, out_stride = length + 1;
      const auto in = counted(count, in_stride, length);
      std::vector<int32_t> out(static_cast<size_t>((count - 1) * out_stride + length), kUntouched);
      copy_lines(reinterpret_cast<const std::byte*>(in.data()),
                 {count, length * 4, in_stride * 4, out_stride * 4},
                 reinterpret_cast<std::byte*>(out.data()));
      for (size_t at = 0; at < out.size(); ++at) {
        const int64_t place = static_cast<int64_t>(at) % out_stride,
                      line = static_cast<int64_t>(at) / out_stride;
        ASSERT_EQ(out[at], place < length ? line * in_stride + place : kUntouched)
            << count << " of " << length << " at " << line << ',' << place;
      }
    }
  }
}

}  // namespace
}  // namespace shardscope::lines_test
