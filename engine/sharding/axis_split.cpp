// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/axis_split.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/text.h"
#include "engine/sharding/cursor.h"

namespace shardscope::inline sharding {
namespace {

constexpr const char* kAxisEntry = "an axis in quotes, a tuple of them or None";

// Reads the text of a split and uses each axis once.
class SplitReader {
 public:
  SplitReader(std::string_view text, const Mesh& mesh) : in_(text, "spec"), mesh_(mesh) {}

  Result<SplitText> read(size_t rank) {
    SplitText out;
    if (!in_.accept("PartitionSpec") && !in_.accept("P")) return in_.error("P(...) or PartitionSpec(...)");
    TRY_VOID(in_.expect("("));
    while (!in_.accept(")")) {
      if (in_.accept("unreduced")) {
        TRY_VOID(partial(out));
      } else {
        TRY(out.split.dims.emplace_back(), entry());
      }
      if (!in_.accept(",") && !in_.next_is(")")) return in_.error("',' or ')'");
    }
    if (!in_.at_end()) return in_.error("the end of the text");
    if (out.split.dims.size() > rank)
      return invalid(
          fmt::format("the spec has {} dimensions, the array has {}", out.split.dims.size(), rank));
    out.split.dims.resize(rank);
    std::ranges::sort(out.split.partial);
    return out;
  }

 private:
  Result<void> partial(SplitText& out) {
    TRY_VOID(in_.expect("="));
    if (in_.accept("max")) out.combining = Combining::max;
    if (in_.accept("min")) out.combining = Combining::min;
    in_.accept("sum");
    TRY_VOID(in_.expect("{"));
    TRY(AxisParts parts, axes_until("}"));
    out.split.partial.insert(out.split.partial.end(), parts.begin(), parts.end());
    return {};
  }

  Result<AxisParts> entry() {
    AxisParts out;
    if (in_.accept("None")) return out;
    if (in_.accept("(")) return axes_until(")");
    TRY(out.emplace_back(), axis(kAxisEntry));
    return out;
  }

  Result<AxisParts> axes_until(std::string_view end) {
    AxisParts out;
    while (!in_.accept(end)) {
      TRY(out.emplace_back(), axis("an axis in quotes"));
      if (!in_.accept(",") && !in_.next_is(end)) return in_.error(fmt::format("',' or '{}'", end));
    }
    return out;
  }

  // 'y' or 'y:(1)2'.
  Result<AxisPart> axis(const char* what) {
    TRY(const std::string text, in_.quoted(what));
    const size_t colon = text.find(":(");
    const auto axis = mesh_.axis_index(text.substr(0, colon));
    if (!axis)
      return invalid(fmt::format("axis '{}' is not in the mesh {}", text.substr(0, colon), mesh_.text()));
    AxisPart out{static_cast<size_t>(*axis), 1, mesh_.axis_size(*axis)};
    if (colon != std::string::npos) {
      const size_t close = text.find(')', colon);
      const auto before = parse_int(text.substr(colon + 2, close - colon - 2));
      const auto size = close == std::string::npos ? std::nullopt : parse_int(text.substr(close + 1));
      if (!before || !size || *before < 1 || *size < 1 || *before > out.size || *size > out.size ||
          out.size % (*before * *size) != 0)
        return invalid(fmt::format("'{}' is no part of an axis of {} devices", text, out.size), "",
                       "write it as in 'y:(1)2': the size before it in parentheses, then its own");
      out = {out.axis, *before, *size};
    }
    for (const AxisPart& used : used_)
      if (used.axis == out.axis && used.before < out.before * out.size &&
          out.before < used.before * used.size)
        return invalid(fmt::format("axis '{}' is used twice", text));
    used_.push_back(out);
    return out;
  }

  Cursor in_;
  const Mesh& mesh_;
  AxisParts used_;
};

int64_t coordinate_of(const AxisPart& part, const Mesh& mesh, DeviceId device) {
  const auto axis = static_cast<int>(part.axis);
  const int64_t rest = mesh.axis_size(axis) / (part.before * part.size);
  return mesh.coordinate(device, axis) / rest % part.size;
}

}  // namespace

const char* name(Combining combining) {
  return combining == Combining::max ? "max" : combining == Combining::min ? "min" : "sum";
}

Result<SplitText> parse_axis_split(std::string_view text, const Mesh& mesh, size_t rank) {
  return SplitReader(text, mesh).read(rank);
}

std::string split_text(const AxisSplit& split, const Mesh& mesh, Combining combining) {
  const auto quoted = [&](const AxisParts& parts) {
    std::vector<std::string> out = axis_texts(parts, mesh);
    for (std::string& axis : out) axis = "'" + axis + "'";
    return out;
  };
  std::vector<std::string> entries;
  for (const AxisParts& parts : split.dims) {
    const std::vector<std::string> axes = quoted(parts);
    entries.push_back(axes.empty() ? "None" : axes.size() == 1 ? axes.front() : "(" + join(axes, ", ") + ")");
  }
  if (!split.partial.empty())
    entries.push_back(fmt::format("unreduced={}{{{}}}", combining == Combining::sum ? "" : name(combining),
                                  join(quoted(split.partial), ", ")));
  return "P(" + join(entries, ", ") + ")";
}

AxisParts joined(const AxisParts& parts) {
  AxisParts out;
  for (const AxisPart& part : parts) {
    if (!out.empty() && out.back().axis == part.axis && out.back().before * out.back().size == part.before)
      out.back().size *= part.size;
    else
      out.push_back(part);
  }
  return out;
}

void cut_alike(std::vector<AxisParts>& lists, const AxisParts& by) {
  for (AxisParts& list : lists) {
    AxisParts out;
    for (const AxisPart& part : list) {
      std::vector<int64_t> cuts{part.before, part.before * part.size};
      for (const AxisPart& other : by) {
        if (other.axis != part.axis) continue;
        for (const int64_t cut : {other.before, other.before * other.size})
          if (cut > part.before && cut < part.before * part.size) cuts.push_back(cut);
      }
      std::ranges::sort(cuts);
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      for (size_t c = 1; c < cuts.size(); ++c) out.push_back({part.axis, cuts[c - 1], cuts[c] / cuts[c - 1]});
    }
    list = std::move(out);
  }
}

std::vector<std::string> axis_texts(const AxisParts& parts, const Mesh& mesh) {
  std::vector<std::string> out;
  for (const AxisPart& part : joined(parts)) {
    const MeshAxis& axis = mesh.axes()[part.axis];
    out.push_back(part.size == axis.size ? axis.name
                                         : fmt::format("{}:({}){}", axis.name, part.before, part.size));
  }
  return out;
}

int64_t size_of(const AxisParts& parts) {
  return std::accumulate(parts.begin(), parts.end(), int64_t{1},
                         [](int64_t product, const AxisPart& part) { return product * part.size; });
}

int64_t place_along(const AxisParts& parts, const Mesh& mesh, DeviceId device) {
  int64_t out = 0;
  for (const AxisPart& part : parts) out = out * part.size + coordinate_of(part, mesh, device);
  return out;
}

DeviceGroups groups_along(const AxisParts& parts, const Mesh& mesh) {
  // Devices of a group have the same first one: what they are without their coordinates along the parts.
  const auto first_of = [&](int64_t device) {
    int64_t out = device;
    for (const AxisPart& part : parts) {
      const auto axis = static_cast<int>(part.axis);
      const int64_t rest = mesh.axis_size(axis) / (part.before * part.size);
      out -= coordinate_of(part, mesh, DeviceId(device)) * rest * mesh.stride(axis);
    }
    return out;
  };
  std::vector<std::vector<int64_t>> by_first(static_cast<size_t>(mesh.device_count()));
  for (int64_t device = 0; device < mesh.device_count(); ++device) {
    auto& group = by_first[static_cast<size_t>(first_of(device))];
    group.resize(static_cast<size_t>(size_of(parts)));
    group[static_cast<size_t>(place_along(parts, mesh, DeviceId(device)))] = device;
  }
  std::erase_if(by_first, [](const auto& group) { return group.empty(); });
  return {std::move(by_first)};
}

std::vector<int64_t> part_dims(const AxisSplit& split, const std::vector<int64_t>& dims) {
  std::vector<int64_t> out = dims;
  for (size_t d = 0; d < out.size(); ++d) {
    CHECK(out[d] % size_of(split.dims[d]) == 0, d, out[d]);
    out[d] /= size_of(split.dims[d]);
  }
  return out;
}

Tiling tiling_of(const AxisSplit& split, const Mesh& mesh, bool with_partial) {
  std::vector<AxisParts> dims = split.dims;
  if (with_partial) dims.insert(dims.begin(), split.partial);
  Tiling out = Tiling::replicated(dims.size(), mesh.device_count());
  AxisParts all;
  for (size_t d = 0; d < dims.size(); ++d) {
    out.counts[d] = size_of(dims[d]);
    all.insert(all.end(), dims[d].begin(), dims[d].end());
  }
  std::ranges::stable_sort(out.order.edit(), {},
                           [&](int64_t device) { return place_along(all, mesh, DeviceId(device)); });
  return out;
}

}  // namespace shardscope::inline sharding
