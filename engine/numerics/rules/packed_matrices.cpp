// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/packed_matrices.h"

#include <algorithm>

namespace shardscope::inline numerics {
namespace {

// A program that packs more of them is none of the small ones for which it matters.
constexpr size_t kMostCounted = 4096;

}  // namespace

void PackedMatrices::begin(const std::vector<DeviceValues>& parameters, bool again) {
  end();
  before_.clear();
  if (again) {
    before_.swap(packed_);
    held_ = parameters;
  }
  packed_.clear();
  memory_.clear();
  for (const DeviceValues& values : parameters) add_memory(values);
}

void PackedMatrices::add_memory(const DeviceValues& values) {
  for (const DeviceValue& value : values) {
    add_memory(value.elements);
    if (value.view == nullptr) continue;
    const int64_t element = stored_bytes(value.view->type(), 1);
    for (const View::Piece& piece : value.view->pieces()) {
      int64_t last = 0;
      for (const View::Extent& e : piece.extents) last += (e.size - 1) * e.stride;
      const std::byte*& end = memory_[piece.data];
      const std::byte* own = piece.data + (last + 1) * element;
      if (end == nullptr || end < own) end = own;
    }
  }
}

bool PackedMatrices::in_parameters(const MatrixView& matrix) const {
  return std::all_of(matrix.tiles.begin(), matrix.tiles.end(), [&](const MatrixView::Tile& tile) {
    const auto after = memory_.upper_bound(tile.data);
    return after != memory_.begin() && tile.data < std::prev(after)->second;
  });
}

std::shared_ptr<KeptPanels> PackedMatrices::of(const MatrixView& matrix, OperandSide side) {
  if (packed_.size() >= kMostCounted || !in_parameters(matrix)) return nullptr;
  Key key(side, matrix);
  ++packed_[key];
  const auto before = before_.find(key);
  if (before == before_.end() || before->second < 2) return nullptr;
  std::shared_ptr<KeptPanels>& kept = kept_[std::move(key)];
  if (kept == nullptr) kept = std::make_shared<KeptPanels>();
  return kept;
}

}  // namespace shardscope::inline numerics
