// SPDX-License-Identifier: Apache-2.0
// Shardings and replica groups, numbered (V1, V2) and on named axes (V3).
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/proto_text.h"

namespace shardscope::inline program::proto {
namespace {

using wire::Message;

// OpSharding.Type.
constexpr int64_t kMaximal = 1, kTuple = 2, kTiled = 3, kManual = 4, kUnknown = 5, kUnreduced = 6;

std::string type_word(int64_t type) {
  switch (type) {
    case kManual:
      return "manual";
    case kUnknown:
      return "unknown";
    case kUnreduced:
      return "unreduced";
    default:
      return "replicated";
  }
}

// "<=[4,2]T(1,0)"; one dimension has no order.
std::string iota_text(const std::vector<int64_t>& dims, const std::vector<int64_t>& permutation) {
  const std::string out = "[" + join(dims, ",") + "]";
  return dims.size() < 2 ? out : out + "T(" + join(permutation, ",") + ")";
}

std::string mesh_text(const Message& mesh) {
  std::string out = "mesh[";
  for (const Message& axis : mesh.messages(field::Mesh::axes))
    out += fmt::format("{}'{}'={}", out.ends_with('[') ? "" : ",",
                       name_text(axis.bytes(field::Mesh::axis_name)), axis.number(field::Mesh::axis_size));
  out += "]";
  if (const std::vector<int64_t> devices = mesh.numbers(field::Mesh::devices); !devices.empty())
    return out + ", device_ids=(" + join(devices, ",") + ")";
  if (!mesh.has(field::Mesh::iota)) return out;
  const Message iota = mesh.message(field::Mesh::iota);
  return out + ", device_ids=(" +
         iota_text(iota.numbers(field::Mesh::iota_dims), iota.numbers(field::Mesh::iota_permutation)) + ")";
}

// "'a'", "'b':(2)4".
std::string axis_text(const std::vector<Message>& axes, const Message& ref) {
  const auto axis = static_cast<size_t>(ref.number(field::Mesh::ref_axis));
  std::string out =
      "'" + (axis < axes.size() ? name_text(axes[axis].bytes(field::Mesh::axis_name)) : "?") + "'";
  if (!ref.has(field::Mesh::ref_part)) return out;
  const Message part = ref.message(field::Mesh::ref_part);
  return out +
         fmt::format(":({}){}", part.number(field::Mesh::part_before), part.number(field::Mesh::part_size));
}

std::string axes_text(const std::vector<Message>& axes, const std::vector<Message>& refs) {
  std::vector<std::string> words;
  for (const Message& ref : refs) words.push_back(axis_text(axes, ref));
  return "{" + join(words, ", ") + "}";
}

std::string named_text(const Message& named) {
  using F = field::NamedSharding;
  const Message mesh = named.message(F::mesh);
  const std::vector<Message> axes = mesh.messages(field::Mesh::axes);
  if (axes.empty()) return "mesh[], replicated";  // whatever it is of, there is one device
  std::vector<std::string> dims;
  for (const Message& dim : named.messages(F::dimensions)) {
    std::string words = axes_text(axes, dim.messages(F::axes));
    if (dim.number(F::is_closed) == 0) words.insert(words.size() - 1, words.size() > 2 ? ", ?" : "?");
    dims.push_back(std::move(words));
  }
  std::string out = mesh_text(mesh) + ", [" + join(dims, ", ") + "]";
  const auto add = [&](int number, const char* word) {
    const std::vector<Message> refs = named.messages(number);
    if (!refs.empty()) out += std::string(", ") + word + "=" + axes_text(axes, refs);
  };
  add(F::replicated, "replicated");
  add(F::unreduced, "unreduced");
  add(F::manual, "manual");
  return out;
}

std::string tiled_text(const Message& sharding) {
  using F = field::Sharding;
  std::string out = "devices=[" + join(sharding.numbers(F::tile_dimensions), ",") + "]";
  const std::vector<int64_t> iota = sharding.numbers(F::iota_dims);
  out += iota.empty() ? join(sharding.numbers(F::tile_devices), ",")
                      : "<=" + iota_text(iota, sharding.numbers(F::iota_permutation));
  std::vector<std::string> types;
  for (const int64_t type : sharding.numbers(F::last_tile_dims)) types.push_back(type_word(type));
  if (!types.empty()) return out + " last_tile_dims={" + join(types, ", ") + "}";
  return sharding.number(F::replicate_last) != 0 ? out + " last_tile_dim_replicate" : out;
}

// Without its braces.
std::string one_text(const Message& sharding) {
  using F = field::Sharding;
  if (sharding.has(F::named)) return named_text(sharding.message(F::named));
  const int64_t type = sharding.number(F::type);
  std::string out = type == kMaximal
                        ? fmt::format("maximal device={}", join(sharding.numbers(F::tile_devices), ","))
                    : type == kTiled ? tiled_text(sharding)
                                     : type_word(type);
  if (sharding.number(F::is_group) != 0)
    out += fmt::format(" {} {}", sharding.number(F::group_type) != 0 ? "shard_like" : "shard_as",
                       sharding.number(F::group));
  return out;
}

std::string listed_text(const std::vector<Message>& groups) {
  std::vector<std::string> lists;
  for (const Message& group : groups) lists.push_back(braced(group.numbers(field::DeviceList::members)));
  return "{" + join(lists, ",") + "}";
}

std::string iota_groups_text(const Message& iota) {
  using F = field::DeviceList;
  return fmt::format("[{},{}]<=", iota.number(F::count), iota.number(F::size)) +
         iota_text(iota.numbers(F::iota_dims), iota.numbers(F::permutation));
}

}  // namespace

std::string sharding_text(const Message& sharding) {
  using F = field::Sharding;
  if (sharding.number(F::type) != kTuple) return "{" + one_text(sharding) + "}";
  std::string out;  // a tuple's tuples are written out
  int64_t place = 0;
  for (const Message& part : sharding.messages(F::tuple)) {
    if (place > 0) out += ", ";
    if (place > 0 && place % 5 == 0) out += fmt::format("/*index={}*/", place);
    out += "{" + one_text(part) + "}";
    ++place;
  }
  return "{" + out + "}";
}

std::string groups_text(const Message& collective) {
  using Field = field::Instruction;
  if (collective.has(Field::mesh_device_list)) {
    const Message list = collective.message(Field::mesh_device_list);
    const Message mesh = list.message(field::DeviceList::mesh);
    return mesh_text(mesh) + " " +
           axes_text(mesh.messages(field::Mesh::axes), list.messages(field::DeviceList::axes));
  }
  if (collective.has(Field::iota_device_list))
    return iota_groups_text(collective.message(Field::iota_device_list));
  const Message list = collective.message(Field::device_list);
  if (list.has(field::DeviceList::iota)) return iota_groups_text(list.message(field::DeviceList::iota));
  const std::vector<Message> groups = list.messages(field::DeviceList::groups);
  return listed_text(groups.empty() ? collective.messages(Field::replica_groups) : groups);
}

}  // namespace shardscope::inline program::proto
