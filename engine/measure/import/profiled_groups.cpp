// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/profiled_groups.h"

#include <algorithm>
#include <optional>

#include "engine/measure/import/wire.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/text/attribute_values.h"
#include "engine/sharding/hlo_sharding.h"

namespace shardscope::inline measure {
namespace {

namespace field = program::proto::field;

constexpr int64_t kMostDevices = 1 << 20;

// "{{0,1},{2,3}}".
std::optional<ProfiledGroups> listed(HloLexer& lexer) {
  ProfiledGroups out;
  if (!lexer.expect("{").ok()) return std::nullopt;
  do {
    auto group = read_int_list(lexer);
    if (!group.ok() || group->empty()) return std::nullopt;
    if (std::ranges::any_of(*group, [](int64_t device) { return device < 0 || device > kMostDevices; }))
      return std::nullopt;
    out.groups.push_back(*std::move(group));
  } while (lexer.accept(","));
  return lexer.accept("}") ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<ProfiledGroups> tiled(std::string_view text) {
  const Result<TileAssignment> tiles = parse_tile_assignment(text);
  if (!tiles.ok() || tiles->dims.size() != 2 || tiles->devices.size() > kMostDevices) return std::nullopt;
  ProfiledGroups out;
  int64_t member = 0;
  for (const int64_t device : tiles->devices) {
    if (member++ % tiles->dims[1] == 0) out.groups.emplace_back();
    out.groups.back().push_back(device);
  }
  return out;
}

}  // namespace

ProfiledGroupsPtr groups_of(const Program& program, const Instruction& collective,
                            const std::vector<int64_t>& assignment) {
  ProfiledGroups out;
  out.placed = !assignment.empty();
  for (const std::vector<DeviceId>& group : device_groups(program, collective)) {
    std::vector<int64_t>& of = out.groups.emplace_back();
    for (const DeviceId device : group) {
      const auto number = static_cast<size_t>(device.value);
      if (out.placed && number >= assignment.size()) return nullptr;
      of.push_back(out.placed ? assignment[number] : device.value);
    }
  }
  return std::make_shared<const ProfiledGroups>(std::move(out));
}

ProfiledGroupsPtr groups_of(std::string_view attributes) {
  constexpr std::string_view kKey = "replica_groups=";
  const size_t at = attributes.find(kKey);
  if (at == std::string_view::npos) return nullptr;
  HloLexer lexer(attributes.substr(at + kKey.size()), "replica_groups");
  std::optional<ProfiledGroups> out;
  if (lexer.peek() == '{')
    out = listed(lexer);
  else if (const auto text = lexer.balanced(); text.ok())
    out = tiled(*text);
  return out ? std::make_shared<const ProfiledGroups>(std::move(*out)) : nullptr;
}

std::vector<int64_t> device_assignment(const std::string& proto) {
  std::vector<std::vector<int64_t>> by_partition;
  wire::CodedInputStream in(reinterpret_cast<const uint8_t*>(proto.data()), static_cast<int>(proto.size()));
  const auto device = [&](uint32_t tag) {
    const auto take = [&](uint32_t) {
      uint64_t number = 0;
      if (!in.ReadVarint64(&number) || number > kMostDevices) return false;
      by_partition.back().push_back(static_cast<int64_t>(number));
      return true;
    };
    if (wire::field(tag) != field::DeviceAssignment::replica_devices) return wire::skip(in, tag);
    using Wire = wire::WireFormatLite;
    if (Wire::GetTagWireType(tag) == Wire::WIRETYPE_VARINT) return take(tag);
    int length = 0;
    if (!in.ReadVarintSizeAsInt(&length)) return false;
    const auto limit = in.PushLimit(length);
    while (in.BytesUntilLimit() > 0)
      if (!take(tag)) return false;
    in.PopLimit(limit);
    return true;
  };
  const auto partition = [&](uint32_t tag) {
    if (wire::field(tag) != field::DeviceAssignment::partition) return wire::skip(in, tag);
    if (by_partition.size() == kMostDevices) return false;
    by_partition.emplace_back();
    return wire::message(in, tag, device);
  };
  const auto module = [&](uint32_t tag) {
    return wire::field(tag) == field::HloModule::device_assignment ? wire::message(in, tag, partition)
                                                                   : wire::skip(in, tag);
  };
  while (const uint32_t tag = in.ReadTag()) {
    const bool whole = wire::field(tag) == field::HloProto::hlo_module ? wire::message(in, tag, module)
                                                                       : wire::skip(in, tag);
    if (!whole) return {};
  }
  std::vector<int64_t> out;
  for (size_t replica = 0; !by_partition.empty() && replica < by_partition.front().size(); ++replica)
    for (const std::vector<int64_t>& devices : by_partition) {
      if (devices.size() != by_partition.front().size()) return {};
      out.push_back(devices[replica]);
    }
  return out;
}

}  // namespace shardscope::inline measure
