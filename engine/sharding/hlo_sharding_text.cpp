// SPDX-License-Identifier: Apache-2.0
// Text of XLA's shardings, V1 and V2 (named axes, V3, are read in named_hlo_sharding.cpp): the parser accepts
// the tokens in any order, the printer writes XLA's.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <optional>

#include "engine/base/text.h"
#include "engine/sharding/hlo_sharding.h"
#include "engine/sharding/sharding_text.h"
#include "engine/sharding/tile_reader.h"

namespace shardscope::inline sharding {
namespace {

using Kind = HloSharding::Kind;
using Subgroup = HloSharding::Subgroup;

constexpr const char* kToken =
    "a sharding token (replicated, maximal, manual, unknown, unreduced, devices=, last_tile_dim_replicate, "
    "last_tile_dims=)";

std::optional<Kind> plain_kind(std::string_view word) {
  if (word == "replicated") return Kind::replicated;
  if (word == "maximal") return Kind::maximal;
  if (word == "manual") return Kind::manual;
  if (word == "unknown") return Kind::unknown;
  if (word == "unreduced") return Kind::unreduced;
  return std::nullopt;
}

const char* kind_word(Kind kind) {
  switch (kind) {
    case Kind::replicated:
      return "replicated";
    case Kind::maximal:
      return "maximal";
    case Kind::manual:
      return "manual";
    case Kind::unknown:
      return "unknown";
    case Kind::unreduced:
      return "unreduced";
    case Kind::tiled:
      return "tiled";
  }
  return "";
}

const char* subgroup_word(Subgroup type) {
  switch (type) {
    case Subgroup::replicated:
      return "replicated";
    case Subgroup::manual:
      return "manual";
    case Subgroup::unreduced:
      return "unreduced";
  }
  return "";
}

// What the tokens said, before they are held against each other.
struct Tokens {
  std::optional<Kind> kind;
  std::optional<int64_t> device;
  std::optional<TileAssignment> tiles;
  std::optional<std::vector<Subgroup>> subgroups;
  std::string shard_group;
};

Result<std::vector<Subgroup>> parse_subgroups(Cursor& in) {
  std::vector<Subgroup> types;
  TRY_VOID(in.expect("{"));
  while (!in.accept("}")) {
    in.skip_blanks();
    const size_t column = in.column();
    TRY(const std::string word, in.word("replicated, manual or unreduced"));
    if (word == "replicated") {
      types.push_back(Subgroup::replicated);
    } else if (word == "manual") {
      types.push_back(Subgroup::manual);
    } else if (word == "unreduced") {
      types.push_back(Subgroup::unreduced);
    } else {
      return in.refuse(fmt::format("expected replicated, manual or unreduced, got '{}'", word), column);
    }
    if (!in.accept(",") && !in.next_is("}")) return in.error("',' or '}'");
  }
  return types;
}

Result<void> parse_token(Cursor& in, Tokens& out) {
  in.skip_blanks();
  const size_t column = in.column();
  TRY(const std::string word, in.word(kToken));
  const auto twice = [&](bool there) -> Result<void> {
    if (there) return in.refuse(fmt::format("'{}' says a second time what the sharding is", word), column);
    return {};
  };
  if (const auto kind = plain_kind(word)) {
    TRY_VOID(twice(out.kind.has_value()));
    out.kind = kind;
  } else if (word == "device") {
    TRY_VOID(twice(out.device.has_value()));
    TRY_VOID(in.expect("="));
    TRY(out.device, in.integer("a device id"));
    if (*out.device >= Mesh::kMaxDevices) {
      return in.refuse(fmt::format("device {}, expected less than {}", *out.device, Mesh::kMaxDevices),
                       column);
    }
  } else if (word == "devices") {
    TRY_VOID(twice(out.tiles.has_value()));
    TRY_VOID(in.expect("="));
    TRY(out.tiles, read_tile_assignment(in));
  } else if (word == "last_tile_dim_replicate") {
    TRY_VOID(twice(out.subgroups.has_value()));
    out.subgroups = {Subgroup::replicated};
  } else if (word == "last_tile_dims") {
    TRY_VOID(twice(out.subgroups.has_value()));
    TRY_VOID(in.expect("="));
    TRY(out.subgroups, parse_subgroups(in));
  } else if (word == "shard_as" || word == "shard_like") {
    TRY_VOID(twice(!out.shard_group.empty()));
    TRY(const int64_t group, in.integer("a shard group number"));
    out.shard_group = fmt::format("{} {}", word, group);
  } else if (word == "metadata") {
    TRY_VOID(in.expect("="));
    TRY_VOID(in.skip_braces());
  } else {
    return in.refuse(fmt::format("expected {}, got '{}'", kToken, word), column);
  }
  return {};
}

Result<HloSharding> resolve(const Cursor& in, Tokens tokens) {
  HloSharding out;
  out.shard_group = std::move(tokens.shard_group);
  if (tokens.kind) {
    out.kind = *tokens.kind;
    const char* word = kind_word(out.kind);
    if (tokens.tiles || tokens.subgroups)
      return in.refuse(fmt::format("'{}' takes no devices and no tiles", word), 1);
    if ((out.kind == Kind::maximal) != tokens.device.has_value()) {
      return in.refuse(
          tokens.device ? fmt::format("'{}' takes no device=", word) : "'maximal' needs device=N", 1);
    }
    out.device = tokens.device.value_or(-1);
    return out;
  }
  if (!tokens.tiles)
    return in.refuse("expected replicated, maximal, manual, unknown, unreduced or devices=[...]", 1);
  if (tokens.device) return in.refuse("'device=' goes with maximal, tiles take 'devices='", 1);
  if (tokens.tiles->devices.size() < 2) return in.refuse("tiles need more than one device", 1);
  out.kind = Kind::tiled;
  out.tiles = std::move(*tokens.tiles);
  out.subgroups = tokens.subgroups.value_or(std::vector<Subgroup>{});
  if (out.subgroups.size() > out.tiles.dims.size()) {
    return in.refuse(fmt::format("{} subgroup dimensions, the tiles have {} dimensions", out.subgroups.size(),
                                 out.tiles.dims.size()),
                     1);
  }
  return normalised(std::move(out));
}

// Each tile's devices, counted by dimensions of `sizes`, by the same dimensions in another order.
std::vector<int64_t> reordered(const std::vector<int64_t>& devices, const std::vector<int64_t>& sizes,
                               const std::vector<size_t>& order) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  std::vector<int64_t> offsets{0};
  for (size_t i = order.size(); i-- > 0;) {
    const size_t inner = offsets.size();
    for (int64_t step = 1; step < sizes[order[i]]; ++step) {
      for (size_t j = 0; j < inner; ++j) offsets.push_back(offsets[j] + step * strides[order[i]]);
    }
  }
  std::vector<int64_t> out;
  out.reserve(devices.size());
  for (size_t tile = 0; tile < devices.size(); tile += offsets.size()) {
    for (int64_t offset : offsets) out.push_back(devices[tile + static_cast<size_t>(offset)]);
  }
  return out;
}

}  // namespace

HloSharding normalised(HloSharding in) {
  const size_t data_rank = in.data_rank();
  // Subgroups of one type become one dimension, in the order of the enumeration, as XLA does.
  std::vector<size_t> order(in.subgroups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<Subgroup> types = in.subgroups;
  std::sort(types.begin(), types.end());
  const bool doubled = std::adjacent_find(types.begin(), types.end()) != types.end();
  if (doubled) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return in.subgroups[a] < in.subgroups[b]; });
  }
  const std::vector<int64_t> old_sizes(in.tiles.dims.begin() + static_cast<int64_t>(data_rank),
                                       in.tiles.dims.end());
  if (doubled) in.tiles.devices = reordered(in.tiles.devices, old_sizes, order);
  in.tiles.dims.resize(data_rank);
  std::vector<Subgroup> merged;
  for (size_t i : order) {
    if (!merged.empty() && merged.back() == in.subgroups[i]) {
      in.tiles.dims.back() *= old_sizes[i];
    } else {
      merged.push_back(in.subgroups[i]);
      in.tiles.dims.push_back(old_sizes[i]);
    }
  }
  // A subgroup of one device says nothing.
  in.subgroups.clear();
  std::vector<int64_t> dims(in.tiles.dims.begin(), in.tiles.dims.begin() + static_cast<int64_t>(data_rank));
  for (size_t i = 0; i < merged.size(); ++i) {
    if (in.tiles.dims[data_rank + i] == 1) continue;
    in.subgroups.push_back(merged[i]);
    dims.push_back(in.tiles.dims[data_rank + i]);
  }
  in.tiles.dims = std::move(dims);
  // Nothing is split and all devices are of one subgroup: the plain kind.
  if (in.subgroups.size() == 1 && in.tiles.dims.back() == static_cast<int64_t>(in.tiles.devices.size())) {
    HloSharding plain;
    plain.kind = in.subgroups[0] == Subgroup::replicated ? Kind::replicated
                 : in.subgroups[0] == Subgroup::manual   ? Kind::manual
                                                         : Kind::unreduced;
    plain.shard_group = std::move(in.shard_group);
    return plain;
  }
  return in;
}

static Result<HloSharding> read_hlo_sharding(Cursor& in) {
  TRY_VOID(in.expect("{"));
  if (in.next_is("mesh[") || in.next_is("maximal_mesh[")) return read_named_hlo_sharding(in);
  Tokens tokens;
  while (!in.accept("}")) TRY_VOID(parse_token(in, tokens));
  return resolve(in, std::move(tokens));
}

Result<HloSharding> HloSharding::parse(std::string_view text) {
  Cursor in(text, "sharding");
  if (is_tuple_sharding(text))
    return in.refuse("this is a tuple's sharding, expected one of a single array", in.column());
  TRY(auto sharding, read_hlo_sharding(in));
  if (!in.at_end()) return in.error("the end of the text");
  return sharding;
}

bool is_tuple_sharding(std::string_view text) {
  Cursor in(text, "sharding");
  return in.accept("{") && (in.next_is("{") || in.next_is("}"));
}

Result<std::vector<HloSharding>> HloSharding::parse_tuple(std::string_view text) {
  Cursor in(text, "sharding");
  std::vector<HloSharding> leaves;
  TRY_VOID(in.expect("{"));
  while (!in.accept("}")) {
    TRY(leaves.emplace_back(), read_hlo_sharding(in));
    if (!in.accept(",") && !in.next_is("}")) return in.error("',' or '}'");
  }
  if (!in.at_end()) return in.error("the end of the text");
  return leaves;
}

std::string HloSharding::text() const {
  std::string out = kind_word(kind);
  if (kind == Kind::maximal) out += fmt::format(" device={}", device);
  if (kind == Kind::tiled) {
    out = "devices=" + tile_assignment_text(tiles);
    std::vector<std::string> words;
    for (Subgroup type : subgroups) words.push_back(subgroup_word(type));
    if (subgroups == std::vector<Subgroup>{Subgroup::replicated}) {
      out += " last_tile_dim_replicate";
    } else if (!words.empty()) {
      out += fmt::format(" last_tile_dims={{{}}}", fmt::join(words, ","));
    }
  }
  if (!shard_group.empty()) out += " " + shard_group;
  return "{" + out + "}";
}

}  // namespace shardscope::inline sharding
