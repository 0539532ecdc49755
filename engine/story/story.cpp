// SPDX-License-Identifier: Apache-2.0
#include "engine/story/story.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "engine/story/piece_pool.h"

namespace shardscope {

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
  const auto order = [&](PieceId a, PieceId b) {
    const Piece& x = piece(a);
    const Piece& y = piece(b);
    return std::tie(x.array, x.index, x.terms) < std::tie(y.array, y.index, y.terms);
  };
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::sort(out.begin(), out.end(), order);
  std::vector<PieceId> outermost;
  for (const PieceId id : out) {
    const bool inside = std::any_of(out.begin(), out.end(), [&](PieceId other) {
      return other != id && piece(other).array == piece(id).array && piece(other).terms == piece(id).terms &&
             contains(piece(other), piece(id));
    });
    if (!inside) outermost.push_back(id);
  }
  return outermost;
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

}  // namespace shardscope
