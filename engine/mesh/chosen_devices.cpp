// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/chosen_devices.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline mesh {
namespace {

constexpr const char* kFix = "write row=0, col=2..5, row=0,3 col=1, 7 12..15 or (0,1)";

Error no_choice(std::string what) {
  return invalid(std::move(what), "choice of devices", kFix);
}

struct Span {
  int64_t first = 0, last = 0;
};

// "3" or "2..5", each from 0 to `count` - 1.
Result<Span> parse_span(std::string_view item, int64_t count, const std::string& of) {
  const size_t dots = item.find("..");
  const auto first = parse_int(trim(item.substr(0, dots)));
  const auto last = dots == std::string_view::npos ? first : parse_int(trim(item.substr(dots + 2)));
  if (!first || !last) return no_choice(fmt::format("'{}' is not a number or range of {}", item, of));
  for (const int64_t end : {*first, *last}) {
    if (end < 0 || end >= count)
      return no_choice(fmt::format("{} {} is not there, expected 0 to {}", of, end, count - 1));
  }
  if (*last < *first) return no_choice(fmt::format("'{}' runs backwards", item));
  return Span{*first, *last};
}

// What has been read so far: which coordinates of each axis, and which devices one by one.
class Choice {
 public:
  explicit Choice(const Mesh& mesh) : mesh_(mesh), axes_(static_cast<size_t>(mesh.rank())) {}

  // A word without blanks: "row=0,3", "row=0,col=1", "7", "(0,1)".
  Result<void> add(std::string_view word) {
    int axis = -1;
    while (!word.empty()) {
      const size_t end = word.starts_with('(') ? word.find(')') : word.find(',');
      if (word.starts_with('(') && end == std::string_view::npos)
        return no_choice(fmt::format("'{}' has no closing bracket", word));
      const bool place = word.starts_with('(');
      const std::string_view item = word.substr(0, place ? end + 1 : end);
      TRY_VOID(place ? add_place(item) : add_item(item, axis));
      word.remove_prefix(std::min(word.size(), item.size()));
      if (word.empty()) break;
      if (word.front() != ',') return no_choice(fmt::format("'{}' follows '{}'", word, item));
      word.remove_prefix(1);
      if (word.empty()) return no_choice("a comma at the end");
    }
    return {};
  }

  std::vector<int32_t> devices() const {
    std::vector<int32_t> out;
    for (int64_t d = 0; d < mesh_.device_count(); ++d)
      if (holds(d)) out.push_back(static_cast<int32_t>(d));
    return out;
  }

 private:
  Result<void> add_item(std::string_view item, int& axis) {
    const size_t equals = item.find('=');
    if (equals != std::string_view::npos) {
      const std::string name(item.substr(0, equals));
      const auto found = mesh_.axis_index(name);
      if (!found) return no_choice(fmt::format("the mesh {} has no axis '{}'", mesh_.text(), name));
      axis = *found;
      if (!axes_[static_cast<size_t>(axis)].empty())
        return no_choice(fmt::format("axis '{}' is there twice", name));
      item.remove_prefix(equals + 1);
    }
    if (axis < 0) {
      TRY(const Span span, parse_span(item, mesh_.device_count(), "device"));
      listed_.push_back(span);
      return {};
    }
    const MeshAxis& of = mesh_.axes()[static_cast<size_t>(axis)];
    TRY(const Span span, parse_span(item, of.size, of.name));
    axes_[static_cast<size_t>(axis)].push_back(span);
    return {};
  }

  // "(0,1)"
  Result<void> add_place(std::string_view text) {
    const auto parts = split(text.substr(1, text.size() - 2), ',');
    if (static_cast<int>(parts.size()) != mesh_.rank())
      return no_choice(fmt::format("'{}' has {} coordinates, the mesh {} has {} axes", text, parts.size(),
                                   mesh_.text(), mesh_.rank()));
    std::vector<int64_t> at;
    for (size_t a = 0; a < parts.size(); ++a) {
      const MeshAxis& of = mesh_.axes()[a];
      if (!parse_int(parts[a])) return no_choice(fmt::format("'{}' in '{}' is not a number", parts[a], text));
      TRY(const Span span, parse_span(parts[a], of.size, of.name));
      at.push_back(span.first);
    }
    const int64_t device = mesh_.device_at(at).value;
    listed_.push_back({device, device});
    return {};
  }

  static bool in(const std::vector<Span>& spans, int64_t number) {
    return std::ranges::any_of(spans, [&](const Span& s) { return s.first <= number && number <= s.last; });
  }

  bool holds(int64_t device) const {
    if (!listed_.empty() && !in(listed_, device)) return false;
    for (int a = 0; a < mesh_.rank(); ++a) {
      const std::vector<Span>& spans = axes_[static_cast<size_t>(a)];
      if (!spans.empty() && !in(spans, mesh_.coordinate(DeviceId(device), a))) return false;
    }
    return true;
  }

  const Mesh& mesh_;
  std::vector<std::vector<Span>> axes_;  // by axis; empty: any
  std::vector<Span> listed_;             // empty: any
};

// Without the blanks round what joins: "row = 0, 3" is "row=0,3".
std::string joined(std::string_view text) {
  const auto joins = [](char c) { return c == '=' || c == ',' || c == '.' || c == '('; };
  std::string out;
  bool blank = false, inside = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    if (blank && !out.empty() && !inside && !joins(out.back()) && (!joins(c) || c == '(')) out += ' ';
    blank = false;
    if (c == '(') inside = true;
    if (c == ')') inside = false;
    out += c;
  }
  return out;
}

}  // namespace

Result<std::vector<int32_t>> chosen_devices(const Mesh& mesh, std::string_view text) {
  constexpr size_t kMostCharacters = 4096;
  if (text.size() > kMostCharacters)
    return no_choice(
        fmt::format("the text has {} characters, expected at most {}", text.size(), kMostCharacters));
  Choice choice(mesh);
  for (const std::string& word : split(joined(text), ' ')) TRY_VOID(choice.add(word));
  std::vector<int32_t> devices = choice.devices();
  if (devices.empty()) return no_choice(fmt::format("no device of {} is '{}'", mesh.text(), trim(text)));
  return devices;
}

}  // namespace shardscope::inline mesh
