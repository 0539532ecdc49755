// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/blocks/packed_columns.h"

#include <algorithm>
#include <bit>

namespace shardscope::inline trace {
namespace {

static_assert(std::endian::native == std::endian::little, "workspace files hold little-endian columns");
constexpr size_t kColumnHeader = 1 + sizeof(int64_t), kBehind = sizeof(uint64_t);

uint64_t mask_of(size_t width) {
  return width == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * width);
}

}  // namespace

void append_column(std::string& to, std::span<const int64_t> values) {
  int64_t least = values.empty() ? 0 : values.front(), most = least;
  int64_t different = 0;  // most columns of most blocks hold one number: that is seen without a comparison
  for (const int64_t value : values) different |= value ^ least;
  if (different != 0) {
    for (const int64_t value : values) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  const uint64_t base = static_cast<uint64_t>(least);
  const auto width = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(most) - base) + 7) / 8;
  size_t at = to.size();
  to.resize(at + kColumnHeader + values.size() * width + kBehind);
  to[at] = static_cast<char>(width);
  std::memcpy(to.data() + at + 1, &least, sizeof(least));
  at += kColumnHeader;
  if (width > 0) {
    for (const int64_t value : values) {  // what is written too far the next one writes over
      const uint64_t more = static_cast<uint64_t>(value) - base;
      std::memcpy(to.data() + at, &more, sizeof(more));
      at += width;
    }
  }
  to.resize(at);
}

void end_columns(std::string& to) {
  to.append(kBehind, '\0');
}

bool PackedColumn::take(std::string_view& from, size_t count) {
  if (from.size() < kColumnHeader + kBehind) return false;
  const auto width = static_cast<size_t>(static_cast<uint8_t>(from[0]));
  std::memcpy(&least_, from.data() + 1, sizeof(least_));
  from.remove_prefix(kColumnHeader);
  if (width > sizeof(uint64_t) || from.size() - kBehind < width * count) return false;
  begin_ = from.data();
  width_ = width;
  mask_ = mask_of(width);
  from.remove_prefix(width * count);
  return true;
}

bool take_column(std::string_view& from, std::span<int64_t> values) {
  PackedColumn column;
  if (!column.take(from, values.size())) return false;
  for (size_t i = 0; i < values.size(); ++i) values[i] = column[i];
  return true;
}

bool at_end(std::string_view from) {
  return from.size() == kBehind;
}

std::string counted_columns(size_t count) {
  const auto number = static_cast<uint64_t>(count);
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

bool take_count(std::string_view& from, size_t& count) {
  uint64_t number = 0;
  if (from.size() < sizeof(number)) return false;
  std::memcpy(&number, from.data(), sizeof(number));
  from.remove_prefix(sizeof(number));
  count = static_cast<size_t>(number);
  return true;
}

}  // namespace shardscope::inline trace
