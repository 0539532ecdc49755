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
  for (const int64_t length :
       {1, 4, 6, 8, 12, 16, 47, 48, 49}) {             // 16, 48: a panel's line, others an end of one
    for (const int64_t count : {1, 11, 12, 13, 40}) {  // some are asked for ahead of time
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

TEST(Lines, LongLinesGoToPanelsAndNothingBetweenThemIsWritten) {
  for (const int64_t length : {5, 16, 48}) {
    for (const int64_t parts : {1, 3, 4}) {
      for (const int64_t count : {1, 13, 40}) {
        const int64_t in_stride = length * parts + 3, panel = length * count + 7;
        const auto in = counted(count, in_stride, length * parts);
        std::vector<int32_t> out(static_cast<size_t>(panel * (parts - 1) + length * count), kUntouched);
        copy_long_lines(reinterpret_cast<const std::byte*>(in.data()),
                        {count, length * 4, in_stride * 4, length * 4}, {parts, panel * 4},
                        reinterpret_cast<std::byte*>(out.data()));
        for (size_t at = 0; at < out.size(); ++at) {
          const int64_t part = static_cast<int64_t>(at) / panel, in_panel = static_cast<int64_t>(at) % panel;
          const int64_t line = in_panel / length, place = in_panel % length;
          ASSERT_EQ(out[at], line < count ? line * in_stride + part * length + place : kUntouched)
              << count << " lines of " << parts << " times " << length << " at " << at;
        }
      }
    }
  }
}

}  // namespace
}  // namespace shardscope::lines_test
