// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/xplane_tables.h"

#include <algorithm>
#include <array>

#include "engine/base/text.h"
#include "engine/measure/import/xla_lines.h"

namespace shardscope::inline measure::xplane {
namespace {

using wire::CodedInputStream;
using wire::field;

constexpr size_t kMostPlanes = 10'000;
constexpr size_t kMostNames = 2'000'000;  // of a plane
constexpr size_t kMostStats = 256;        // of an event's name
constexpr size_t kMostComplaints = 3;
constexpr int kLongestModule = 1 << 29;  // bytes
constexpr std::string_view kMetadataPlane = "/host:metadata";

constexpr std::array<std::string_view, kStatNames> kNames{
    "hlo_op",         "hlo_module",        "program_id", "hlo_category", "flops",          "model_flops",
    "bytes_accessed", "shape_with_layout", "long_name",  "flow",         "device_ordinal", "step_num",
};

StatName known_name(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  return static_cast<StatName>(found - kNames.begin());
}

bool read_event_name(CodedInputStream& in, uint32_t tag, EventName& out) {
  return wire::message(in, tag, [&](uint32_t t) {
    switch (field(t)) {
      case 2:
        return wire::text(in, t, out.name);
      case 4:
        return wire::text(in, t, out.display_name);
      case 5:
        return out.stats.size() < kMostStats ? read_stat(in, t, out.stats.emplace_back()) : wire::skip(in, t);
      default:
        return wire::skip(in, t);
    }
  });
}

// An entry of a map: its key, and its value by `read`.
template <class Value, class Read>
bool read_entry(CodedInputStream& in, uint32_t tag, std::unordered_map<int64_t, Value>& out, Read read) {
  int64_t key = 0;
  Value value;
  const bool whole = wire::message(in, tag, [&](uint32_t t) {
    if (field(t) == 1) return wire::integer(in, t, key);
    return field(t) == 2 ? read(t, value) : wire::skip(in, t);
  });
  if (whole && out.size() < kMostNames) out.insert_or_assign(key, std::move(value));
  return whole;
}

bool read_stat_name(CodedInputStream& in, uint32_t tag, std::string& out) {
  return wire::message(
      in, tag, [&](uint32_t t) { return field(t) == 2 ? wire::text(in, t, out) : wire::skip(in, t); });
}

bool is_read(const Plane& plane) {
  return plane.name.empty() || is_device_plane(plane.name) || plane.name == "/host:CPU" ||
         plane.name == kMetadataPlane;
}

bool read_plane_tables(CodedInputStream& in, uint32_t tag, Plane& out) {
  return wire::message(in, tag, [&](uint32_t t) {
    if (field(t) == 2) return wire::text(in, t, out.name);
    if (field(t) == 4 && is_read(out))
      return read_entry(in, t, out.events,
                        [&](uint32_t inner, EventName& value) { return read_event_name(in, inner, value); });
    if (field(t) == 5 && is_read(out))
      return read_entry(in, t, out.texts,
                        [&](uint32_t inner, std::string& value) { return read_stat_name(in, inner, value); });
    if (field(t) == 6 && is_read(out))
      return out.stats.size() < kMostStats ? read_stat(in, t, out.stats.emplace_back()) : wire::skip(in, t);
    return wire::skip(in, t);
  });
}

// "jit_f(12)", an event of the line of modules, says what program 12 is called.
std::optional<std::pair<int64_t, std::string>> numbered_module(const std::string& name) {
  const size_t open = name.rfind('(');
  if (open == std::string::npos || open == 0 || !name.ends_with(')')) return std::nullopt;
  const auto id = parse_int(std::string_view(name).substr(open + 1, name.size() - open - 2));
  return id ? std::optional(std::pair(*id, name.substr(0, open))) : std::nullopt;
}

// An event of the metadata's plane is a module: its one statistic of bytes is its HloProto.
void take_modules(Plane& plane, Space& space) {
  for (auto& [_, event] : plane.events) {
    const auto numbered = numbered_module(event.name);
    const auto proto = std::ranges::max_element(event.stats, {}, [](const Stat& s) { return s.text.size(); });
    if (!numbered || proto == event.stats.end() || proto->text.empty()) continue;
    space.protos.push_back({numbered->second, numbered->first, std::move(proto->text)});
  }
}

std::string chip_of(const Plane& plane) {
  for (const Stat& stat : plane.stats)
    if (const auto key = plane.texts.find(stat.id);
        key != plane.texts.end() && (key->second == "gpu_device_name" || key->second == "device_type_string"))
      return std::string(plane.text_of(stat));
  return {};
}

void finish(Space& space) {
  for (Plane& plane : space.planes) {
    if (plane.name == kMetadataPlane) take_modules(plane, space);
    if (is_device_plane(plane.name) && space.chip.empty()) space.chip = chip_of(plane);
    if (!is_device_plane(plane.name) && plane.name != "/host:CPU") plane = {plane.name, {}, {}, {}, {}};
    for (const auto& [id, text] : plane.texts)
      if (const StatName known = known_name(text); known != StatName::none) plane.known.emplace(id, known);
    for (const auto& [_, event] : plane.events)
      if (auto module = numbered_module(event.name)) space.modules.insert(std::move(*module));
  }
}

}  // namespace

bool read_stat(CodedInputStream& in, uint32_t tag, Stat& out) {
  return wire::message(in, tag, [&](uint32_t t) {
    switch (field(t)) {
      case 1:
        return wire::integer(in, t, out.id);
      case 2:
        return wire::real(in, t, out.real);
      case 3:
      case 4:
        return wire::integer(in, t, out.integer);
      case 5:
        return wire::text(in, t, out.text);
      case 6:
        return wire::text(in, t, out.text, kLongestModule);
      case 7:
        out.refers = true;
        return wire::integer(in, t, out.integer);
      default:
        return wire::skip(in, t);
    }
  });
}

std::string_view Plane::text_of(const Stat& stat) const {
  if (!stat.refers) return stat.text;
  const auto found = texts.find(stat.integer);
  return found == texts.end() ? std::string_view() : std::string_view(found->second);
}

StatName Plane::name_of(const Stat& stat) const {
  const auto found = known.find(stat.id);
  return found == known.end() ? StatName::none : found->second;
}

Result<void> each_plane(ByteSource& source,
                        const std::function<bool(CodedInputStream&, uint32_t, size_t)>& take,
                        const std::function<bool(CodedInputStream&, uint32_t)>& other) {
  wire::SourceStream stream(source);
  size_t place = 0;
  while (!stream.at_end()) {
    CodedInputStream in(&stream);  // one each: it counts in int, a file may be longer
    const uint32_t tag = in.ReadTag();
    const bool is_plane = field(tag) == 1;
    const bool whole = tag != 0 && (is_plane ? place < kMostPlanes && take(in, tag, place) : other(in, tag));
    if (stream.error()) return *stream.error();
    if (!whole)
      return invalid("the protobuf is damaged, ends in the middle, or is not a profile of XLA", source.path(),
                     "copy it again, whole");
    if (is_plane) ++place;
  }
  if (stream.error()) return *stream.error();
  return {};
}

Result<Space> read_tables(ByteSource& source) {
  Space out;
  TRY_VOID(each_plane(
      source,
      [&](CodedInputStream& in, uint32_t tag, size_t) {
        return read_plane_tables(in, tag, out.planes.emplace_back());
      },
      [&](CodedInputStream& in, uint32_t tag) {
        std::string text;
        const bool whole =
            field(tag) >= 2 && field(tag) <= 4 ? wire::text(in, tag, text) : wire::skip(in, tag);
        if (field(tag) == 4 && out.host.empty()) out.host = text;
        if ((field(tag) == 2 || field(tag) == 3) && out.complaints.size() < kMostComplaints)
          out.complaints.push_back(text.substr(0, 200));
        return whole;
      }));
  finish(out);
  return out;
}

}  // namespace shardscope::inline measure::xplane
