// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <optional>

#include "engine/base/units.h"
#include "engine/sharding/hlo_sharding.h"
#include "engine/sharding/tile_reader.h"

namespace shardscope::inline sharding {
namespace {

// "[2,4]" or "(1,0)" after its opening bracket.
Result<std::vector<int64_t>> parse_numbers(Cursor& in, std::string_view close, std::string_view what) {
  std::vector<int64_t> numbers;
  do {
    TRY(const int64_t number, in.integer(what));
    numbers.push_back(number);
  } while (in.accept(","));
  TRY_VOID(in.expect(close));
  return numbers;
}

// Product of positive sizes, at most Mesh::kMaxDevices.
Result<int64_t> device_product(const Cursor& in, const std::vector<int64_t>& sizes, size_t column) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1) return in.refuse("sizes must be at least 1, got 0", column);
    const auto next = checked_multiply(product, size);
    if (!next || *next > Mesh::kMaxDevices) {
      return in.refuse(fmt::format("more than {} devices", group_digits(Mesh::kMaxDevices)), column);
    }
    product = *next;
  }
  return product;
}

// arange(count).reshape(reshape).transpose(perm), flat.
std::vector<int64_t> transposed_iota(const std::vector<int64_t>& reshape, const std::vector<int64_t>& perm,
                                     int64_t count) {
  std::vector<int64_t> strides(reshape.size(), 1);
  for (size_t i = reshape.size(); i-- > 1;) strides[i - 1] = strides[i] * reshape[i];
  std::vector<int64_t> flat{0};
  flat.reserve(static_cast<size_t>(count));
  for (size_t i = perm.size(); i-- > 0;) {  // from the fastest dimension outwards
    const auto axis = static_cast<size_t>(perm[i]);
    const size_t inner = flat.size();
    for (int64_t step = 1; step < reshape[axis]; ++step) {
      for (size_t j = 0; j < inner; ++j) flat.push_back(flat[j] + step * strides[axis]);
    }
  }
  return flat;
}

Result<std::vector<int64_t>> parse_iota(Cursor& in, int64_t count) {
  const size_t column = in.column();
  TRY_VOID(in.expect("["));
  TRY(const auto reshape, parse_numbers(in, "]", "a size"));
  TRY(const int64_t product, device_product(in, reshape, column));
  if (product != count) {
    return in.refuse(fmt::format("the iota has {} devices, the tiles need {}", product, count), column);
  }
  std::vector<int64_t> perm(reshape.size());
  std::iota(perm.begin(), perm.end(), 0);
  if (reshape.size() > 1) {
    TRY_VOID(in.expect("T"));
    const size_t perm_column = in.column();
    TRY_VOID(in.expect("("));
    TRY(auto written, parse_numbers(in, ")", "a dimension"));
    if (!std::is_permutation(perm.begin(), perm.end(), written.begin(), written.end())) {
      return in.refuse(fmt::format("expected a permutation of 0 to {}, got ({})", perm.size() - 1,
                                   fmt::join(written, ",")),
                       perm_column);
    }
    perm = std::move(written);
  } else if (in.next_is("T")) {
    return in.error("no T(...) behind one dimension");
  }
  return transposed_iota(reshape, perm, count);
}

Result<std::vector<int64_t>> parse_list(Cursor& in, int64_t count) {
  std::vector<int64_t> devices;
  std::vector<bool> seen(static_cast<size_t>(count));
  do {
    in.skip_blanks();
    const size_t column = in.column();
    TRY(const int64_t device, in.integer("a device id or '<='"));
    if (device >= Mesh::kMaxDevices) {
      return in.refuse(fmt::format("device {}, expected less than {}", device, Mesh::kMaxDevices), column);
    }
    if (device >= static_cast<int64_t>(seen.size())) seen.resize(static_cast<size_t>(device) + 1);
    if (seen[static_cast<size_t>(device)])
      return in.refuse(fmt::format("device {} is there twice", device), column);
    seen[static_cast<size_t>(device)] = true;
    devices.push_back(device);
  } while (in.accept(","));
  if (static_cast<int64_t>(devices.size()) != count) {
    return in.refuse(fmt::format("{} devices listed, the tiles need {}", devices.size(), count), in.column());
  }
  return devices;
}

struct Factor {
  int64_t length;
  int64_t stride;
};

// The fewest factors, slowest first, whose strided counts give `devices`; nothing when no transposed iota
// does.
std::optional<std::vector<Factor>> iota_factors(const std::vector<int64_t>& devices) {
  std::vector<Factor> factors;
  const size_t count = devices.size();
  for (size_t inner = 1; inner < count;) {
    const int64_t stride = devices[inner] - devices[0];
    size_t length = 1;
    while (length * inner < count && devices[length * inner] == static_cast<int64_t>(length) * stride)
      ++length;
    if (length < 2 || count % (length * inner) != 0) return std::nullopt;
    factors.insert(factors.begin(), {static_cast<int64_t>(length), stride});
    inner *= length;
  }
  return factors;
}

}  // namespace

Result<std::vector<int64_t>> read_iota(Cursor& in, int64_t count) {
  return parse_iota(in, count);
}

Result<TileAssignment> read_tile_assignment(Cursor& in) {
  TileAssignment tiles;
  in.skip_blanks();
  const size_t column = in.column();
  TRY_VOID(in.expect("["));
  TRY(tiles.dims, parse_numbers(in, "]", "a tile count"));
  TRY(const int64_t count, device_product(in, tiles.dims, column));
  if (in.accept("<=")) {
    TRY(tiles.devices, parse_iota(in, count));
  } else {
    TRY(tiles.devices, parse_list(in, count));
  }
  return tiles;
}

Result<TileAssignment> parse_tile_assignment(std::string_view text) {
  Cursor in(text, "tile assignment");
  TRY(auto tiles, read_tile_assignment(in));
  if (!in.at_end()) return in.error("the end of the text");
  return tiles;
}

std::string tile_assignment_text(const TileAssignment& tiles) {
  const std::string dims = fmt::format("[{}]", fmt::join(tiles.dims, ","));
  const auto list = [&] { return fmt::format("{}{}", dims, fmt::join(tiles.devices, ",")); };
  const auto factors = iota_factors(tiles.devices);
  if (!factors) return list();
  std::vector<int64_t> by_stride(factors->size());
  std::iota(by_stride.begin(), by_stride.end(), 0);
  std::stable_sort(by_stride.begin(), by_stride.end(), [&](int64_t a, int64_t b) {
    return (*factors)[static_cast<size_t>(a)].stride > (*factors)[static_cast<size_t>(b)].stride;
  });
  std::vector<int64_t> reshape, perm(factors->size());
  for (size_t i = 0; i < by_stride.size(); ++i) {
    reshape.push_back((*factors)[static_cast<size_t>(by_stride[i])].length);
    perm[static_cast<size_t>(by_stride[i])] = static_cast<int64_t>(i);
  }
  const auto count = static_cast<int64_t>(tiles.devices.size());
  if (transposed_iota(reshape, perm, count) != tiles.devices) return list();
  if (perm.size() <= 1) return fmt::format("{}<=[{}]", dims, count);
  return fmt::format("{}<=[{}]T({})", dims, fmt::join(reshape, ","), fmt::join(perm, ","));
}

std::vector<int64_t> tile_places(const TileAssignment& tiles) {
  int64_t last = -1;
  for (int64_t device : tiles.devices) last = std::max(last, device);
  std::vector<int64_t> places(static_cast<size_t>(last + 1), -1);
  for (size_t i = 0; i < tiles.devices.size(); ++i) {
    places[static_cast<size_t>(tiles.devices[i])] = static_cast<int64_t>(i);
  }
  return places;
}

}  // namespace shardscope::inline sharding
