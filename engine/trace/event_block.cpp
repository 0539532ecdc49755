// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event_block.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/check.h"

namespace shardscope {
namespace {

static_assert(std::endian::native == std::endian::little, "workspace files hold little-endian columns");
constexpr size_t kColumnHeader = 1 + sizeof(int64_t), kBehind = sizeof(uint64_t);

uint64_t mask_of(size_t width) {
  return width == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * width);
}

}  // namespace

int kind_code(const Event& event) {
  return static_cast<int>(event.kind) + (event.relayed ? 4 : 0);
}

void EventBlock::add(const Event& e, const EventNumbers& n) {
  CHECK(size_ < kEventsPerBlock);
  const size_t i = size_++;
  auto column = columns_.begin();
  for (const int64_t value :
       {e.start, e.end - e.start, e.bytes, n.number.offset, n.number.permutation.value_or(-1),
        int64_t{kind_code(e)}, int64_t{e.instruction}, int64_t{e.step}, int64_t{e.transfer_step},
        int64_t{e.chunk_count}, std::bit_cast<int64_t>(e.flops), n.peer.offset,
        n.peer.permutation.value_or(-1), n.chunk.offset, n.chunk.permutation.value_or(-1), n.cause.offset,
        n.cause.permutation.value_or(-1)})
    (*column++)[i] = value;
}

std::string EventBlock::pack(size_t first, size_t last) const {
  std::string packed;
  packed.reserve((last - first) * (kColumnHeader + 3 * size_) + kBehind);
  for (size_t c = first; c < last; ++c) append_column(packed, std::span(columns_[c]).first(size_));
  end_columns(packed);
  return packed;
}

bool EventBlock::unpack(std::string_view packed, size_t first, size_t last) {
  for (size_t c = first; c < last; ++c)
    if (!take_column(packed, std::span(columns_[c]).first(size_))) return false;
  return packed.size() == kBehind;
}

bool EventBlock::read_drawn(std::string_view packed, size_t size) {
  if (size > kEventsPerBlock) return false;
  size_ = size;
  return unpack(packed, 0, kDrawnColumns);
}

bool EventBlock::read_others(std::string_view packed) {
  return unpack(packed, kDrawnColumns, kEventColumns);
}

void append_column(std::string& to, std::span<const int64_t> values) {
  int64_t least = values.empty() ? 0 : values.front(), most = least;
  for (const int64_t value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
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

bool take_column(std::string_view& from, std::span<int64_t> values) {
  if (from.size() < kColumnHeader + kBehind) return false;
  const auto width = static_cast<size_t>(static_cast<uint8_t>(from[0]));
  uint64_t base = 0;
  std::memcpy(&base, from.data() + 1, sizeof(base));
  from.remove_prefix(kColumnHeader);
  if (width > sizeof(uint64_t) || from.size() - kBehind < width * values.size()) return false;
  const uint64_t mask = mask_of(width);
  const char* at = from.data();
  for (int64_t& value : values) {
    uint64_t more = 0;
    std::memcpy(&more, at, sizeof(more));
    value = static_cast<int64_t>(base + (more & mask));
    at += width;
  }
  from.remove_prefix(width * values.size());
  return true;
}

}  // namespace shardscope
