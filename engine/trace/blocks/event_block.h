// SPDX-License-Identifier: Apache-2.0
// Up to kEventsPerBlock neighbouring events of a lane by columns: how they are drawn and loaded. Table
// `event_block` holds them packed, beside the rows of `event`, which are for anybody's SQL.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/run/timeline.h"
#include "engine/trace/blocks/packed_columns.h"
#include "engine/trace/blocks/shared_number.h"

namespace shardscope::inline trace {

inline constexpr size_t kEventsPerBlock = 1024;

// What differs of an event from device to device of those that share it.
struct EventNumbers {
  SharedNumber number, peer, chunk, cause;
};

// In the order in which they are stored: what a picture needs comes first. A permutation of -1 is none; flops
// are the bits of the number.
enum class EventColumn : uint8_t {
  start,
  length,
  bytes,
  number,
  number_permutation,
  kind,
  instruction,
  step,
  transfer_step,
  chunk_count,
  flops,
  peer,
  peer_permutation,
  chunk,
  chunk_permutation,
  cause,
  cause_permutation,
};
inline constexpr size_t kDrawnColumns = 5, kEventColumns = 17;

int kind_code(const Event& event);  // column `kind` of `event`

class EventBlock {
 public:
  size_t size() const { return size_; }
  void clear() { size_ = 0; }
  void add(const Event& event, const EventNumbers& numbers);
  int64_t at(EventColumn column, size_t i) const { return columns_[static_cast<size_t>(column)][i]; }
  std::span<const int64_t> column(EventColumn column) const {
    return std::span(columns_[static_cast<size_t>(column)]).first(size_);
  }
  Event event(size_t i) const;  // without device, lane and what differs from device to device

  // The drawn columns and the others.
  std::string drawn() const { return pack(0, kDrawnColumns); }
  std::string others() const { return pack(kDrawnColumns, kEventColumns); }
  // What they say of `size` events. False: they are damaged.
  bool read_drawn(std::string_view packed, size_t size);
  bool read_others(std::string_view packed);

 private:
  std::string pack(size_t first, size_t last) const;
  bool unpack(std::string_view packed, size_t first, size_t last);
  // A little longer than a block: numbers of one event at a power of two from each other would all want the
  // same few lines of the cache.
  static constexpr size_t kColumnLength = kEventsPerBlock + 8;
  size_t size_ = 0;
  std::array<std::array<int64_t, kColumnLength>, kEventColumns> columns_;
};

inline Event EventBlock::event(size_t i) const {
  const auto number = [&](EventColumn column) { return at(column, i); };
  const auto small = [&](EventColumn column) { return static_cast<int32_t>(at(column, i)); };
  Event e;
  e.start = number(EventColumn::start);
  // A damaged file may say anything: such an end is before its start, or behind everything.
  e.end = static_cast<Picoseconds>(static_cast<uint64_t>(e.start) +
                                   static_cast<uint64_t>(number(EventColumn::length)));
  e.kind = static_cast<EventKind>(small(EventColumn::kind) & 3);
  e.relayed = (small(EventColumn::kind) & 4) != 0;
  e.instruction = small(EventColumn::instruction);
  e.step = small(EventColumn::step);
  e.transfer_step = small(EventColumn::transfer_step);
  e.chunk_count = small(EventColumn::chunk_count);
  e.bytes = number(EventColumn::bytes);
  e.flops = std::bit_cast<double>(number(EventColumn::flops));
  return e;
}

// The drawn columns, read where they stand.
struct DrawnColumns {
  size_t size = 0;
  PackedColumn start, length, bytes, number, permutation;
  // What they say of `events` events. False: they are damaged.
  bool read(std::string_view packed, size_t events);
};

}  // namespace shardscope::inline trace
