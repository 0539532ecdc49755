// SPDX-License-Identifier: Apache-2.0
#include "engine/request/value_text.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"

namespace shardscope::inline request {
namespace {

template <class T>
Result<void> read_word(std::string_view text, const auto& words, T& out) {
  for (const T word : words) {
    if (text != name(word)) continue;
    out = word;
    return {};
  }
  return invalid(fmt::format("unknown word '{}'", text));
}

template <class T>
Result<void> read_all(std::string_view text, Result<T> (*read)(std::string_view), std::vector<T>& out) {
  out.clear();
  for (const std::string& part : split(text, ',')) {
    TRY(out.emplace_back(), read(part));
  }
  return {};
}

template <class T>
std::string all_texts(const std::vector<T>& values) {
  std::vector<std::string> parts;
  for (const T& value : values) parts.push_back(text(value));
  return join(parts, ",");
}

}  // namespace

std::string to_text(const std::string& value) {
  return value;
}
std::string to_text(bool value) {
  return value ? "on" : "off";
}
std::string to_text(int32_t value) {
  return std::to_string(value);
}
std::string to_text(int64_t value) {
  return std::to_string(value);
}
std::string to_text(uint64_t value) {
  return std::to_string(value);
}
std::string to_text(double value) {
  return fmt::format("{}", value);
}
std::string to_text(ElementType value) {
  return name(value);
}
std::string to_text(Fill value) {
  return name(value);
}
std::string to_text(KernelTiming value) {
  return name(value);
}
std::string to_text(SumType value) {
  return name(value);
}
std::string to_text(Propagation value) {
  return name(value);
}
std::string to_text(Results value) {
  return name(value);
}
std::string to_text(Partitioner value) {
  return name(value);
}
std::string to_text(CompileAs value) {
  return name(value);
}
std::string to_text(const RegionGrid& value) {
  return fmt::format("{}x{}", value.rows, value.columns);
}
std::string to_text(CollectiveAlgorithm value) {
  return name(value);
}
std::string to_text(const PartitionSpec& value) {
  return value.text();
}
std::string to_text(const std::map<std::string, std::string>& value) {
  std::vector<std::string> parts;
  for (const auto& [role, axis] : value) parts.push_back(role + "=" + axis);
  return join(parts, ",");
}
std::string to_text(const std::vector<std::string>& value) {
  return value.empty() ? "" : nlohmann::json(value).dump();
}
std::string to_text(const std::vector<DeviceOverride>& value) {
  return all_texts(value);
}
std::string to_text(const std::vector<LinkOverride>& value) {
  return all_texts(value);
}
std::string to_text(const std::vector<AxisOverride>& value) {
  return all_texts(value);
}
std::string to_text(const NumberChange& value) {
  return shardscope::text(value);
}
std::string to_text(const AxisPlacement& value) {
  return shardscope::text(value);
}
std::string to_text(const std::vector<int32_t>& device_order) {
  return fmt::format("{}", fmt::join(device_order, ","));
}

Result<void> from_text(std::string_view text, std::string& out) {
  out = text;
  return {};
}

Result<void> from_text(std::string_view text, bool& out) {
  if (text != "on" && text != "off") return invalid(fmt::format("expected on or off, got '{}'", text));
  out = text == "on";
  return {};
}

Result<void> from_text(std::string_view text, int64_t& out) {
  const auto number = parse_int(trim(text));
  if (!number) return invalid(fmt::format("expected a whole number, got '{}'", text));
  out = *number;
  return {};
}

Result<void> from_text(std::string_view text, int32_t& out) {
  int64_t wide = 0;
  TRY_VOID(from_text(text, wide));
  if (wide != static_cast<int32_t>(wide)) return invalid(fmt::format("{} is too large", text));
  out = static_cast<int32_t>(wide);
  return {};
}

Result<void> from_text(std::string_view text, uint64_t& out) {
  const std::string_view digits = trim(text);
  uint64_t value = 0;
  bool good = !digits.empty();
  for (const char digit : digits) {
    good = good && digit >= '0' && digit <= '9' && !__builtin_mul_overflow(value, uint64_t{10}, &value) &&
           !__builtin_add_overflow(value, static_cast<uint64_t>(digit - '0'), &value);
  }
  if (!good) return invalid(fmt::format("expected a whole number from 0 to 2^64 - 1, got '{}'", text));
  out = value;
  return {};
}

Result<void> from_text(std::string_view text, double& out) {
  const auto number = parse_double(trim(text));
  if (!number || !std::isfinite(*number) || *number < 0)
    return invalid(fmt::format("expected a number that is not negative, got '{}'", text));
  out = *number;
  return {};
}

Result<void> from_text(std::string_view text, ElementType& out) {
  const auto type = parse_element_type(text);
  if (!type) return invalid(fmt::format("unknown type '{}'", text));
  out = *type;
  return {};
}

Result<void> from_text(std::string_view text, Fill& out) {
  return read_word(text, kFills, out);
}

Result<void> from_text(std::string_view text, KernelTiming& out) {
  return read_word(text, kKernelTimings, out);
}

Result<void> from_text(std::string_view text, SumType& out) {
  return read_word(text, kSumTypes, out);
}

Result<void> from_text(std::string_view text, Propagation& out) {
  return read_word(text, kPropagations, out);
}
Result<void> from_text(std::string_view text, Results& out) {
  return read_word(text, kResults, out);
}
Result<void> from_text(std::string_view text, Partitioner& out) {
  return read_word(text, kPartitioners, out);
}
Result<void> from_text(std::string_view text, CompileAs& out) {
  return read_word(text, kCompileAs, out);
}

Result<void> from_text(std::string_view text, RegionGrid& out) {
  constexpr int64_t kMost = 256;
  const size_t by = std::min(text.find('x'), text.size());
  const auto rows = parse_int(text.substr(0, by)),
             columns = parse_int(text.substr(std::min(by + 1, text.size())));
  if (!rows || !columns || *rows < 1 || *columns < 1 || *rows > kMost || *columns > kMost)
    return invalid(
        fmt::format("expected rows x columns, 1x1 to {}x{}, as in 8x8, got '{}'", kMost, kMost, text));
  out = {*rows, *columns};
  return {};
}
Result<void> from_text(std::string_view text, CollectiveAlgorithm& out) {
  TRY(out, parse_collective_algorithm(text));
  return {};
}

Result<void> from_text(std::string_view text, PartitionSpec& out) {
  TRY(out, PartitionSpec::parse(text));
  return {};
}

Result<void> from_text(std::string_view text, std::map<std::string, std::string>& out) {
  out.clear();
  for (const std::string& part : split(text, ',')) {
    const size_t equals = part.find('=');
    const std::string role(trim(std::string_view(part).substr(0, equals)));
    const std::string axis(equals == std::string::npos ? ""
                                                       : trim(std::string_view(part).substr(equals + 1)));
    if (role.empty() || axis.empty())
      return invalid(fmt::format("expected a role and an axis, got '{}'", trim(part)), "",
                     "write role=axis, as in row=b,col=a");
    if (!out.emplace(role, axis).second) return invalid(fmt::format("role '{}' is there twice", role));
  }
  return {};
}

Result<void> from_text(std::string_view text, std::vector<std::string>& out) {
  out.clear();
  if (text.empty()) return {};
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array()) return invalid("expected a JSON array of texts");
  for (const auto& entry : json) {
    if (!entry.is_string()) return invalid("expected a JSON array of texts");
    out.push_back(entry.get<std::string>());
  }
  return {};
}

Result<void> from_text(std::string_view text, std::vector<DeviceOverride>& out) {
  return read_all(text, parse_device_override, out);
}

Result<void> from_text(std::string_view text, std::vector<LinkOverride>& out) {
  return read_all(text, parse_link_override, out);
}

Result<void> from_text(std::string_view text, std::vector<AxisOverride>& out) {
  return read_all(text, parse_axis_override, out);
}

Result<void> from_text(std::string_view text, NumberChange& out) {
  TRY(out, parse_number_change(text));
  return {};
}

Result<void> from_text(std::string_view text, AxisPlacement& out) {
  out = {};
  if (text.empty()) return {};
  TRY(out, parse_placement(text));
  return {};
}

Result<void> from_text(std::string_view text, std::vector<int32_t>& device_order) {
  device_order.clear();
  for (const std::string& part : split(text, ',')) {
    const auto id = parse_int(trim(part));
    if (!id || *id < 0 || *id >= Mesh::kMaxDevices)
      return invalid(fmt::format("'{}' is not a device id", trim(part)), "", "write ids as in 0,2,1,3");
    device_order.push_back(static_cast<int32_t>(*id));
  }
  return {};
}

}  // namespace shardscope::inline request
