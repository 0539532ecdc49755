// SPDX-License-Identifier: Apache-2.0
// The blobs of bins.h and event_numbers.h.
#include <array>
#include <bit>

#include "engine/base/check.h"
#include "engine/trace/blocks/bins.h"
#include "engine/trace/blocks/event_numbers.h"

namespace shardscope::inline trace {
namespace {

static_assert(std::endian::native == std::endian::little, "workspace files hold little-endian numbers");

constexpr size_t kMostPerPiece = 1024;
static_assert(kBinsPerPiece <= kMostPerPiece && kNumbersPerPiece <= kMostPerPiece);

// A column for each of `values`, which give it of an item.
template <class Item, class... Values>
std::string blob_of(std::span<const Item> items, const Values&... values) {
  CHECK(items.size() <= kMostPerPiece, items.size());
  std::string blob = counted_columns(items.size());
  blob.reserve(blob.size() + items.size() * sizeof(Item));
  std::array<int64_t, kMostPerPiece> column;
  const auto add = [&](const auto& value_of) {
    for (size_t i = 0; i < items.size(); ++i) column[i] = value_of(items[i]);
    append_column(blob, std::span(column).first(items.size()));
  };
  (add(values), ...);
  end_columns(blob);
  return blob;
}

// False: a column is damaged, or they are too many numbers.
template <class... Columns>
bool take_columns(std::string_view from, size_t& count, Columns&... columns) {
  return take_count(from, count) && count <= kMostPerPiece && (columns.take(from, count) && ...);
}

}  // namespace

std::string bins_blob(std::span<const StoredBin> bins) {
  using Bin = const StoredBin&;
  return blob_of(
      bins, [](Bin b) { return b.bin.start; }, [](Bin b) { return b.bin.end - b.bin.start; },
      [](Bin b) { return b.bin.busy; }, [](Bin b) { return b.bin.bytes; },
      [](Bin b) { return int64_t{b.bin.first}; }, [](Bin b) { return int64_t{b.bin.count}; },
      [](Bin b) { return int64_t{b.number}; }, [](Bin b) { return int64_t{b.permutation}; });
}

bool StoredBins::read(std::string_view blob) {
  return take_columns(blob, size_, start_, length_, busy_, bytes_, first_, count_, number_, permutation_);
}

std::string numbers_blob(std::span<const NumberedRow> rows) {
  return blob_of(
      rows, [](const NumberedRow& r) { return int64_t{r.number}; },
      [](const NumberedRow& r) { return int64_t{r.row}; });
}

void NumberPieces::make(size_t end, std::vector<NumberPiece>& to) {
  std::vector<NumberedRow> piece;
  while (next_ < end) {
    for (piece.clear(); next_ < row_of_.size() && piece.size() < kNumbersPerPiece; ++next_)
      if (row_of_[next_] >= 0) piece.push_back({static_cast<int32_t>(next_), row_of_[next_]});
    if (!piece.empty()) to.push_back({piece.front().number, numbers_blob(piece)});
  }
}

bool read_numbers(std::string_view blob, std::vector<NumberedRow>& rows) {
  size_t count = 0;
  PackedColumn numbers, at;
  if (!take_columns(blob, count, numbers, at)) return false;
  rows.clear();
  for (size_t i = 0; i < count; ++i)
    rows.push_back({static_cast<int32_t>(numbers[i]), static_cast<int32_t>(at[i])});
  return true;
}

}  // namespace shardscope::inline trace
