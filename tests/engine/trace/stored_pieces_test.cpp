// SPDX-License-Identifier: Apache-2.0
// Pieces of pyramids and of event numbers: packed, and damaged.
#include <gtest/gtest.h>
#include <limits>

#include "engine/trace/blocks/bins.h"
#include "engine/trace/blocks/event_numbers.h"

namespace shardscope::stored_pieces_test {
namespace {

std::vector<StoredBin> all_of(const StoredBins& bins) {
  std::vector<StoredBin> all;
  for (size_t i = 0; i < bins.size(); ++i)
    all.push_back(
        {bins.bin(i), static_cast<int32_t>(bins.number(i)), static_cast<int32_t>(bins.permutation(i))});
  return all;
}

void expect_equal(const std::vector<StoredBin>& a, const std::vector<StoredBin>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].bin, b[i].bin) << i;
    EXPECT_EQ(a[i].number, b[i].number) << i;
    EXPECT_EQ(a[i].permutation, b[i].permutation) << i;
  }
}

std::vector<StoredBin> sample_bins() {
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  constexpr Picoseconds kLong = std::numeric_limits<Picoseconds>::max();
  return {{{0, 10, 7, 1 << 30, 0, 3}, 5, -1},
          {{12, kLong, kLong - 12, std::numeric_limits<int64_t>::max(), 3, 1}, kMost, 0},
          {{13, 13, 0, 0, 4, kMost}, 0, kMost}};
}

TEST(StoredPieces, HoldBins) {
  const std::vector<StoredBin> bins = sample_bins();
  StoredBins read;
  const std::string packed = bins_blob(bins);
  ASSERT_TRUE(read.read(packed));
  expect_equal(all_of(read), bins);
}

TEST(StoredPieces, HoldNumbers) {
  const std::vector<NumberedRow> rows = {{0, 70'000}, {1, 2}, {std::numeric_limits<int32_t>::max(), 0}};
  std::vector<NumberedRow> read(7);
  ASSERT_TRUE(read_numbers(numbers_blob(rows), read));
  ASSERT_EQ(read.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(read[i].number, rows[i].number);
    EXPECT_EQ(read[i].row, rows[i].row);
  }
}

// Blobs in memory that ends where they end, so that a sanitizer sees what is read behind them.
TEST(StoredPieces, ThatAreCutAreRefused) {
  const std::string bins = bins_blob(sample_bins()),
                    rows = numbers_blob(std::vector<NumberedRow>{{1, 2}, {300, 4}});
  StoredBins read_bins;
  std::vector<NumberedRow> read_rows;
  for (size_t size = 0; size < bins.size(); ++size)
    EXPECT_FALSE(
        read_bins.read(std::string_view(std::vector<char>(bins.begin(), bins.begin() + size).data(), size)))
        << size;
  for (size_t size = 0; size < rows.size(); ++size)
    EXPECT_FALSE(read_numbers(rows.substr(0, size), read_rows)) << size;
  std::string many = bins;
  many[1] = '\x10';  // of the count
  EXPECT_FALSE(read_bins.read(many));
}

}  // namespace
}  // namespace shardscope::stored_pieces_test
