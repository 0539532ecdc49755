// SPDX-License-Identifier: Apache-2.0
#include "engine/request/module_timing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline request {
namespace {

// The one with that name, else the one for all that are not named.
template <class T>
const T* find_named(const std::vector<T>& all, std::string_view name) {
  const auto named = std::ranges::find(all, name, &T::name);
  const auto found = named != all.end() ? named : std::ranges::find(all, std::string(), &T::name);
  return found == all.end() ? nullptr : &*found;
}

// "name=value"; without '=' the name is empty.
struct NamedText {
  std::string name, value;
};
NamedText named_text(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return {"", std::string(trim(text))};
  return {std::string(trim(text.substr(0, equals))), std::string(trim(text.substr(equals + 1)))};
}

template <class T>
Result<void> refuse_twice(const std::vector<T>& all) {
  for (size_t k = 0; k < all.size(); ++k)
    for (size_t j = 0; j < k; ++j)
      if (all[j].name == all[k].name)
        return invalid(all[k].name.empty() ? std::string("a value for all that are not named is there twice")
                                           : fmt::format("'{}' is there twice", all[k].name));
  return {};
}

std::string prefix(const std::string& name) {
  return name.empty() ? "" : name + "=";
}

Result<double> amount(std::string_view text, const char* what) {
  const auto number = parse_double(trim(text));
  if (!number || !std::isfinite(*number) || *number < 0)
    return invalid(fmt::format("expected {} of a custom-call, got '{}'", what, trim(text)), "",
                   "write NAME=flops,bytes or NAME=flops,bytes,seconds");
  return *number;
}

}  // namespace

const TakenBranch* find_branch(const ModuleTiming& timing, std::string_view conditional) {
  return find_named(timing.take, conditional);
}

const TripCount* find_trip_count(const ModuleTiming& timing, std::string_view loop) {
  return find_named(timing.trip_counts, loop);
}

const CustomCallCost* find_custom_call(const ModuleTiming& timing, const Instruction& call) {
  const auto named = std::ranges::find(timing.custom_calls, call.name, &CustomCallCost::name);
  if (named != timing.custom_calls.end()) return &*named;
  return timing.custom_calls.empty() ? nullptr : find_named(timing.custom_calls, custom_call_target(call));
}

std::string to_text(const std::vector<TakenBranch>& value) {
  std::vector<std::string> parts;
  for (const TakenBranch& it : value) parts.push_back(prefix(it.name) + it.branch);
  return join(parts, ",");
}

std::string to_text(const std::vector<TripCount>& value) {
  std::vector<std::string> parts;
  for (const TripCount& it : value) parts.push_back(prefix(it.name) + std::to_string(it.rounds));
  return join(parts, ",");
}

std::string to_text(const std::vector<CustomCallCost>& value) {
  std::vector<std::string> parts;
  for (const CustomCallCost& it : value) {
    parts.push_back(fmt::format("{}={},{}", it.name, it.flops, it.bytes));
    if (it.seconds) parts.back() += fmt::format(",{}", *it.seconds);
  }
  return join(parts, ",");
}

Result<void> from_text(std::string_view text, std::vector<TakenBranch>& out) {
  out.clear();
  for (const std::string& part : split(text, ',')) {
    const NamedText said = named_text(part);
    if (said.value.empty())
      return invalid(fmt::format("expected a branch, got '{}'", trim(part)), "",
                     "write NAME=2, NAME=true, or 2 for all conditionals");
    out.push_back({said.name, said.value});
  }
  return refuse_twice(out);
}

Result<void> from_text(std::string_view text, std::vector<TripCount>& out) {
  constexpr int64_t kMost = 1'000'000'000;
  out.clear();
  for (const std::string& part : split(text, ',')) {
    const NamedText said = named_text(part);
    const auto rounds = parse_int(said.value);
    if (!rounds || *rounds < 0 || *rounds > kMost)
      return invalid(fmt::format("expected the rounds of a loop, 0 to {}, got '{}'", kMost, trim(part)), "",
                     "write NAME=126, or 126 for all loops whose rounds are not known");
    out.push_back({said.name, *rounds});
  }
  return refuse_twice(out);
}

Result<void> from_text(std::string_view text, std::vector<CustomCallCost>& out) {
  out.clear();
  const std::vector<std::string> parts = split(text, ',');
  for (size_t k = 0; k < parts.size();) {
    const size_t equals = parts[k].rfind('=');
    if (equals == std::string::npos || k + 1 == parts.size())
      return invalid(fmt::format("expected NAME=flops,bytes, got '{}'", trim(parts[k])), "",
                     "NAME is an instruction's or its target, as in flash_attention=1e12,3e9");
    CustomCallCost& it = out.emplace_back();
    it.name = trim(std::string_view(parts[k]).substr(0, equals));
    TRY(it.flops, amount(std::string_view(parts[k]).substr(equals + 1), "the flops"));
    TRY(const double bytes, amount(parts[k + 1], "the bytes"));
    if (bytes > 9e18) return invalid(fmt::format("{} bytes are too many", parts[k + 1]));
    it.bytes = std::llround(bytes);
    k += 2;
    if (k == parts.size() || parts[k].find('=') != std::string::npos) continue;
    TRY(it.seconds, amount(parts[k], "the seconds"));
    if (*it.seconds > 1e6) return invalid(fmt::format("{} seconds are too many", parts[k]));
    ++k;
  }
  return refuse_twice(out);
}

}  // namespace shardscope::inline request
