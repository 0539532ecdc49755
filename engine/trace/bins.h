// SPDX-License-Identifier: Apache-2.0
// How pyramid bins are stored: an array of StoredBin, little-endian, as they stand in memory.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/run/lane_pyramid.h"

namespace shardscope {

// A bin and the number of its first event, shared as schema.sql says; permutation -1: none.
struct StoredBin {
  PyramidBin bin;
  int32_t number = 0;
  int32_t permutation = -1;
};
static_assert(std::is_trivially_copyable_v<StoredBin> && sizeof(StoredBin) == 48);
static_assert(std::endian::native == std::endian::little, "workspace files hold little-endian bins");

inline constexpr size_t kBinsPerPiece = 1024;

inline std::string_view bins_blob(const std::vector<StoredBin>& bins) {
  return {reinterpret_cast<const char*>(bins.data()), bins.size() * sizeof(StoredBin)};
}

inline std::vector<StoredBin> bins_of(std::string_view blob) {
  std::vector<StoredBin> bins(blob.size() / sizeof(StoredBin));
  if (!bins.empty()) std::memcpy(bins.data(), blob.data(), bins.size() * sizeof(StoredBin));
  return bins;
}

}  // namespace shardscope
