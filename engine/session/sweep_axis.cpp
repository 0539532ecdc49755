// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/hardware/hardware.h"
#include "engine/request/fields.h"
#include "engine/session/sweep_over.h"

namespace shardscope::inline session {
namespace {

constexpr auto kMostValues = static_cast<size_t>(kMostSweepPoints);

const Field* find_parameter(std::string_view name) {
  const Field* field = find_field(name);
  return field != nullptr && field->has(kAxis) ? field : nullptr;
}

Error unknown_parameter(const std::string& name) {
  std::vector<std::string> names;
  for (const Field& field : fields()) {
    if (field.has(kAxis)) names.push_back(field.key);
  }
  const auto near = nearest(name, names);
  return invalid(fmt::format("cannot sweep over '{}'", name), "--over",
                 near ? fmt::format("did you mean {}", *near) : "use " + join(names, ", "));
}

Result<void> check_value(const Field& field, const std::string& value) {
  if (value.empty()) return invalid("a value is empty");
  if (field.key == "hardware") TRY_VOID(find_hardware(value));
  Experiment probe;
  probe.runs.emplace_back();
  TRY_VOID(check_range(field, value));
  return put(field, probe, value);
}

// "a..b", "a..bxF" or "a..b+S"; the end counts when it is hit.
Result<std::vector<std::string>> range_values(const std::string& text) {
  const size_t dots = text.find("..");
  const std::string tail = text.substr(dots + 2);
  const size_t sign = tail.find_first_of("x+");
  const bool factor = sign != std::string::npos && tail[sign] == 'x';
  const auto from = parse_int(trim(text.substr(0, dots)));
  const auto to = parse_int(trim(tail.substr(0, sign)));
  const auto step =
      sign == std::string::npos ? std::optional<int64_t>(1) : parse_int(trim(tail.substr(sign + 1)));
  if (!from || !to || !step)
    return invalid(fmt::format("'{}' is not a range", text), "--over",
                   "write 1024..65536x2, 1..8 or 64..512+64");
  if (*from < 1 || *to < *from)
    return invalid(fmt::format("range '{}' is empty or not positive", text), "--over",
                   "count upwards from 1 or more");
  if (*step < (factor ? 2 : 1))
    return invalid(fmt::format("range '{}' never ends", text), "--over", "use x2 or more, +1 or more");
  std::vector<std::string> out;
  for (std::optional<int64_t> v = from; v && *v <= *to;
       v = factor ? checked_multiply(*v, *step) : checked_add(*v, *step)) {
    if (out.size() == kMostValues)
      return invalid(fmt::format("range '{}' has more than {} values", text, kMostValues), "--over",
                     "use a larger step");
    out.push_back(std::to_string(*v));
  }
  return out;
}

Result<void> append_values(SweepAxis& axis, const std::string& text) {
  const Field& field = *find_parameter(axis.name);
  std::vector<std::string> values = {std::string(trim(text))};
  if (field.spelling == Spelling::count && text.find("..") != std::string::npos) {
    TRY(values, range_values(values[0]));
  }
  std::set<std::string> known(axis.values.begin(), axis.values.end());
  for (const std::string& value : values) {
    if (const Result<void> fine = check_value(field, value); !fine.ok()) {
      Error error = fine.error();
      error.where = "--over " + axis.name;
      return error;
    }
    if (!known.insert(value).second)
      return invalid(fmt::format("value {} is there twice", value), "--over " + axis.name);
    axis.values.push_back(value);
  }
  return {};
}

}  // namespace

Result<std::vector<SweepAxis>> parse_sweep_axes(std::string_view text) {
  std::vector<SweepAxis> axes;
  std::string rest(text);
  // A mesh may have commas in it: it is the last axis of its text and its values are split at ';'.
  for (std::vector<std::string> parts = split(rest, ','); !parts.empty();) {
    const std::string part(trim(parts.front()));
    const size_t equals = part.find('=');
    const std::string name = equals == std::string::npos ? "" : std::string(trim(part.substr(0, equals)));
    if (equals == std::string::npos && axes.empty())
      return invalid(fmt::format("'{}' names no parameter", part), "--over",
                     "write n=1024..65536x2 or slices=1,2,4");
    if (equals != std::string::npos) {
      if (find_parameter(name) == nullptr) return unknown_parameter(name);
      axes.push_back({name, {}});
    }
    if (name == "mesh") {
      const std::string meshes = join(parts, ",").substr(parts.front().find('=') + 1);
      const char between = meshes.find('=') == std::string::npos ? ',' : ';';
      for (const std::string& mesh : split(meshes, between)) TRY_VOID(append_values(axes.back(), mesh));
      break;
    }
    TRY_VOID(append_values(axes.back(), equals == std::string::npos ? part : part.substr(equals + 1)));
    parts.erase(parts.begin());
  }
  if (axes.empty()) return invalid("no parameter named", "--over", "write n=1024..65536x2 or slices=1,2,4");
  return axes;
}

Result<Experiment> experiment_at(const Experiment& base, const std::vector<SweepAxis>& axes,
                                 const std::vector<int32_t>& at) {
  Experiment out = base;
  for (size_t a = 0; a < axes.size(); ++a) {
    const Field* field = find_parameter(axes[a].name);
    if (field == nullptr) return unknown_parameter(axes[a].name);
    TRY_VOID(put(*field, out, axes[a].values[static_cast<size_t>(at[a])]));
  }
  return out;
}

}  // namespace shardscope::inline session
