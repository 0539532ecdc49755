// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/blocks/event_block.h"

#include <bit>

#include "engine/base/check.h"

namespace shardscope::inline trace {

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
  packed.reserve((last - first) * 4 * size_);
  for (size_t c = first; c < last; ++c) append_column(packed, std::span(columns_[c]).first(size_));
  end_columns(packed);
  return packed;
}

bool EventBlock::unpack(std::string_view packed, size_t first, size_t last) {
  for (size_t c = first; c < last; ++c)
    if (!take_column(packed, std::span(columns_[c]).first(size_))) return false;
  return at_end(packed);
}

bool EventBlock::read_drawn(std::string_view packed, size_t size) {
  if (size > kEventsPerBlock) return false;
  size_ = size;
  return unpack(packed, 0, kDrawnColumns);
}

bool EventBlock::read_others(std::string_view packed) {
  return unpack(packed, kDrawnColumns, kEventColumns);
}

bool DrawnColumns::read(std::string_view packed, size_t events) {
  if (events > kEventsPerBlock) return false;
  size = events;
  for (PackedColumn* column : {&start, &length, &bytes, &number, &permutation})
    if (!column->take(packed, events)) return false;
  return at_end(packed);
}

}  // namespace shardscope::inline trace
