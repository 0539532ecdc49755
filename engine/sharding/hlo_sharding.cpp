// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/hlo_sharding.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/units.h"

namespace shardscope::inline sharding {
namespace {

// Per dimension the tile that stands at a flat place of the assignment.
std::vector<int64_t> tile_index(const std::vector<int64_t>& dims, int64_t place) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = place % dims[d];
    place /= dims[d];
  }
  return index;
}

int64_t ceil_of(int64_t a, int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

int64_t capped_product(int64_t a, int64_t b, int64_t cap) {
  const auto product = checked_multiply(a, b);
  return product ? std::min(*product, cap) : cap;
}

}  // namespace

int64_t HloSharding::device_count() const {
  if (kind == Kind::tiled) return static_cast<int64_t>(tiles.devices.size());
  return kind == Kind::maximal ? 1 : 0;
}

Result<void> HloSharding::accepts(const std::vector<int64_t>& global) const {
  const std::string where = fmt::format("shape ({}), sharding {}", fmt::join(global, ","), text());
  if (kind == Kind::tiled && global.size() != data_rank()) {
    return invalid(
        fmt::format("the sharding tiles {} dimensions, the array has rank {}", data_rank(), global.size()),
        where, "give one tile count per dimension");
  }
  for (size_t d = 0; d < global.size(); ++d) {
    if (global[d] < 0)
      return invalid(fmt::format("dimension {} must not be negative, got {}", d, global[d]), where);
  }
  return {};
}

std::vector<int64_t> HloSharding::tile_shape(const std::vector<int64_t>& global) const {
  const auto fits = accepts(global);
  CHECK(fits.ok(), fits.ok() ? "" : fits.error().text());
  std::vector<int64_t> shape = global;
  for (size_t d = 0; d < data_rank(); ++d) shape[d] = ceil_of(global[d], tiles.dims[d]);
  return shape;
}

IndexBox HloSharding::slices(DeviceId holder, const std::vector<int64_t>& global) const {
  const std::vector<int64_t> shape = tile_shape(global);
  IndexBox box;
  if (kind != Kind::tiled) {
    const bool holds = kind != Kind::maximal || holder.value == device;
    for (int64_t size : global) box.push_back({0, holds ? size : 0});
    return box;
  }
  const auto at = std::find(tiles.devices.begin(), tiles.devices.end(), holder.value);
  if (at == tiles.devices.end()) return IndexBox(global.size());
  const std::vector<int64_t> index = tile_index(tiles.dims, at - tiles.devices.begin());
  for (size_t d = 0; d < global.size(); ++d) {
    box.push_back(
        {capped_product(index[d], shape[d], global[d]), capped_product(index[d] + 1, shape[d], global[d])});
  }
  return box;
}

}  // namespace shardscope::inline sharding
