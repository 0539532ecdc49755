// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_lines.h"

#include "engine/base/text.h"

namespace shardscope::inline program {
namespace {

constexpr std::string_view kSdy = "sdy.sharding", kMhlo = "mhlo.sharding";

// The end of what begins at `at`, up to one of `ends` outside of brackets and quotes.
size_t end_of(std::string_view line, size_t at, std::string_view ends) {
  int depth = 0;
  bool quoted = false;
  for (; at < line.size(); ++at) {
    const char c = line[at];
    if (quoted) {
      if (c == '\\') ++at;
      quoted = c != '"';
      continue;
    }
    if (depth == 0 && ends.find(c) != std::string_view::npos) return at;
    if (c == '"') quoted = true;
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    const bool arrow = c == '>' && at > 0 && line[at - 1] == '-';
    if ((c == '>' && !arrow) || c == ')' || c == ']' || c == '}') --depth;
  }
  return line.size();
}

// Entries of "{a = 1, b = 2}".
std::vector<std::string_view> entries_of(std::string_view attributes) {
  std::vector<std::string_view> out;
  for (size_t at = 1; at + 1 < attributes.size();) {
    const size_t end = end_of(attributes, at, ",}");
    if (const std::string_view entry = trim(attributes.substr(at, end - at)); !entry.empty())
      out.push_back(entry);
    at = end + 1;
  }
  return out;
}

bool is_sharding(std::string_view entry) {
  return entry.starts_with(kSdy) || entry.starts_with(kMhlo);
}

std::optional<MlirLineArgument> argument_named(std::string_view line, std::string_view name) {
  for (const MlirLineArgument& each : mlir_arguments_on(line))
    if (each.name == name) return each;
  return std::nullopt;
}

std::string_view text_of(std::string_view line, const TextSpan& span) {
  return line.substr(span.begin, span.end - span.begin);
}

}  // namespace

std::vector<MlirLineArgument> mlir_arguments_on(std::string_view line) {
  std::vector<MlirLineArgument> out;
  const size_t function = line.find("func.func ");
  if (function == std::string_view::npos) return out;
  size_t at = line.find('(', function);
  if (at == std::string_view::npos) return out;
  for (++at; at < line.size() && line[at] != ')';) {
    const size_t name = line.find('%', at), colon = line.find(':', at);
    if (name == std::string_view::npos || colon == std::string_view::npos || colon < name) break;
    MlirLineArgument each;
    each.name = trim(line.substr(name + 1, colon - name - 1));
    size_t end = end_of(line, colon + 1, ",){");
    each.type_end = end;
    while (each.type_end > colon && line[each.type_end - 1] == ' ') --each.type_end;
    if (end < line.size() && line[end] == '{') {
      const size_t close = end_of(line, end + 1, "}");
      each.attributes = TextSpan{end, std::min(close + 1, line.size())};
      end = end_of(line, each.attributes->end, ",)");
    }
    each.whole = {name, each.attributes ? each.attributes->end : each.type_end};
    out.push_back(each);
    at = end < line.size() && line[end] == ',' ? end + 1 : end;
  }
  return out;
}

std::string with_argument_sharding(std::string_view line, std::string_view argument,
                                   std::string_view attribute) {
  std::string out(line);
  const auto found = argument_named(line, argument);
  if (!found) return out;
  std::string entries;
  const auto add = [&](std::string_view entry) {
    entries += (entries.empty() ? "" : ", ") + std::string(entry);
  };
  if (!attribute.empty()) add(attribute);
  if (found->attributes)
    for (const std::string_view entry : entries_of(text_of(line, *found->attributes)))
      if (!is_sharding(entry)) add(entry);
  const std::string written = entries.empty() ? "" : " {" + entries + "}";
  const size_t end = found->attributes ? found->attributes->end : found->type_end;
  return out.replace(found->type_end, end - found->type_end, written);
}

std::optional<std::string> argument_sharding_on(std::string_view line, std::string_view argument) {
  const auto found = argument_named(line, argument);
  if (!found || !found->attributes) return std::nullopt;
  for (const std::string_view entry : entries_of(text_of(line, *found->attributes))) {
    if (!is_sharding(entry)) continue;
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    std::string value(trim(entry.substr(equals + 1)));
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> mlir_mesh_on(std::string_view line) {
  const std::string_view rest = trim(line);
  constexpr std::string_view kMesh = "sdy.mesh @";
  if (!rest.starts_with(kMesh)) return std::nullopt;
  const std::string_view name = rest.substr(kMesh.size());
  return name.substr(0, std::min(name.find_first_of(" ="), name.size()));
}

}  // namespace shardscope::inline program
