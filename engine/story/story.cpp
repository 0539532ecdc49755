// SPDX-License-Identifier: Apache-2.0
#include "engine/story/story.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include "engine/story/piece_pool.h"

namespace shardscope::inline story {

int64_t StoryArray::block_count() const {
  return std::accumulate(counts.begin(), counts.end(), int64_t{1}, std::multiplies<>());
}

std::string StoryArray::block_name(int64_t block) const {
  if (!sharding && block_count() == 1) return name;
  return prefix + std::to_string(block);
}

IndexBox StoryArray::block_box(int64_t block) const {
  IndexBox box(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    const int64_t size = dims[d] / counts[d];
    const int64_t place = block % counts[d];
    box[d] = {place * size, (place + 1) * size};
    block /= counts[d];
  }
  return box;
}

int32_t Story::beat_at(Picoseconds time) const {
  const auto after = std::upper_bound(beats_.begin() + 1, beats_.end(), time,
                                      [](Picoseconds t, const Beat& beat) { return t < beat.end; });
  return static_cast<int32_t>(after - beats_.begin()) - 1;
}

std::vector<PieceId> Story::held(int32_t device, Picoseconds time) const {
  std::vector<PieceId> out;
  for (const Held& held : held_[static_cast<size_t>(device)]) {
    if (held.start > time) break;
    if (time < held.end) out.push_back(held.piece);
  }
  const auto rank = [&](PieceId id) { return ranks_[static_cast<size_t>(id)]; };
  std::sort(out.begin(), out.end(),
            [&](PieceId a, PieceId b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
  const auto same = [&](PieceId a, PieceId b) { return rank(a) == rank(b); };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return outermost(out);
}

TimeRange Story::steady(Picoseconds time) const {
  TimeRange out{std::numeric_limits<Picoseconds>::min(), std::numeric_limits<Picoseconds>::max()};
  const auto changes = [&](Picoseconds at) {
    if (at <= time)
      out.start = std::max(out.start, at);
    else
      out.end = std::min(out.end, at);
  };
  for (const std::vector<Held>& of_device : held_) {
    for (const Held& held : of_device) {
      changes(held.start);
      if (held.start > time) break;
      changes(held.end);
    }
  }
  return out;
}

std::vector<bool> Story::arrays_held(Picoseconds time) const {
  std::vector<bool> out(arrays_.size());
  for (const std::vector<Held>& of_device : held_) {
    for (const Held& held : of_device) {
      if (held.start > time) break;
      if (time < held.end) out[static_cast<size_t>(piece(held.piece).array)] = true;
    }
  }
  return out;
}

// Of pieces by array those that are inside no other of the same terms. Only a larger one can hold one, so
// that of many parts of one size none is looked at twice.
std::vector<PieceId> Story::outermost(const std::vector<PieceId>& held) const {
  const auto size = [&](PieceId id) { return elements_[static_cast<size_t>(id)]; };
  std::vector<PieceId> out;
  std::vector<PieceId> largest_first;
  for (size_t begin = 0, end = 0; begin < held.size(); begin = end) {
    while (end < held.size() && piece(held[end]).array == piece(held[begin]).array) ++end;
    largest_first.assign(held.begin() + static_cast<std::ptrdiff_t>(begin),
                         held.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(largest_first.begin(), largest_first.end(),
              [&](PieceId a, PieceId b) { return size(a) > size(b); });
    for (size_t k = begin; k < end; ++k) {
      const PieceId id = held[k];
      const auto larger = std::find_if(largest_first.begin(), largest_first.end(), [&](PieceId other) {
        return size(other) <= size(id) ||
               (piece(other).terms == piece(id).terms && contains(piece(other), piece(id)));
      });
      if (larger == largest_first.end() || size(*larger) <= size(id)) out.push_back(id);
    }
  }
  return out;
}

int32_t Story::transfer_of(int32_t event) const {
  const auto found = transfer_of_hop_.find(event);
  return found == transfer_of_hop_.end() ? event : found->second;
}

std::span<const Carried> Story::carried(int32_t event) const {
  const auto first = static_cast<size_t>(first_carried_[static_cast<size_t>(event)]);
  const auto end = static_cast<size_t>(first_carried_[static_cast<size_t>(event) + 1]);
  return std::span(carried_).subspan(first, end - first);
}

std::span<const PieceId> Story::made(int32_t event) const {
  const auto first = static_cast<size_t>(first_made_[static_cast<size_t>(event)]);
  const auto end = static_cast<size_t>(first_made_[static_cast<size_t>(event) + 1]);
  return std::span(made_).subspan(first, end - first);
}

std::span<const int32_t> Story::arrays_in_buffer(int32_t maker) const {
  const auto found = in_buffer_.find(maker);
  return found == in_buffer_.end() ? std::span<const int32_t>() : std::span(found->second);
}

}  // namespace shardscope::inline story
