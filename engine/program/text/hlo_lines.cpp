// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/hlo_lines.h"

#include <array>
#include <vector>

#include "engine/base/text.h"

namespace shardscope::inline program {
namespace {

constexpr std::string_view kSharding = "sharding=";

// Of a line of HLO: where its top-level attributes begin (behind their commas), and where its text ends.
struct LineAttributes {
  std::vector<size_t> starts;
  size_t end = 0;
};

LineAttributes attributes_of(std::string_view line) {
  LineAttributes out;
  int depth = 0;
  bool quoted = false;
  size_t at = 0;
  for (; at < line.size(); ++at) {
    const char c = line[at];
    if (quoted) {
      if (c == '\\') ++at;
      quoted = c != '"';
      continue;
    }
    if (line.compare(at, 2, "//") == 0) break;
    if (c == '"') quoted = true;
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) out.starts.push_back(line.find_first_not_of(" \t", at + 1));
  }
  out.end = std::string_view(line.substr(0, std::min(at, line.size()))).find_last_not_of(" \t\r");
  out.end = out.end == std::string_view::npos ? 0 : out.end + 1;
  std::erase(out.starts, std::string_view::npos);
  return out;
}

// From the comma before an attribute on.
size_t comma_before(std::string_view line, size_t start) {
  return line.rfind(',', start);
}

}  // namespace

std::string_view instruction_on(std::string_view line) {
  std::string_view rest = trim(line);
  if (!rest.empty() && rest.front() == '#') rest = trim(rest.substr(1));
  if (rest.substr(0, 5) == "ROOT ") rest = trim(rest.substr(5));
  if (rest.substr(0, 2) == "//") return {};
  if (!rest.empty() && rest.front() == '%') rest.remove_prefix(1);
  const size_t equals = rest.find(" = ");
  if (equals == std::string_view::npos) return {};
  const std::string_view name = trim(rest.substr(0, equals));
  return name.find_first_of(" ({") == std::string_view::npos ? name : std::string_view();
}

std::optional<TextSpan> sharding_on(std::string_view line) {
  return attribute_on(line, "sharding");
}

std::optional<TextSpan> attribute_on(std::string_view line, std::string_view key) {
  if (instruction_on(line).empty()) return std::nullopt;
  const LineAttributes attributes = attributes_of(line);
  for (size_t k = 0; k < attributes.starts.size(); ++k) {
    const size_t start = attributes.starts[k];
    if (line.compare(start, key.size(), key) != 0 || line.compare(start + key.size(), 1, "=") != 0) continue;
    size_t end =
        k + 1 < attributes.starts.size() ? comma_before(line, attributes.starts[k + 1]) : attributes.end;
    while (end > start && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
    return TextSpan{start + key.size() + 1, end};
  }
  return std::nullopt;
}

std::string with_sharding(std::string_view line, std::string_view sharding) {
  std::string out(line);
  if (instruction_on(line).empty()) return out;
  if (const auto span = sharding_on(line)) {
    if (!sharding.empty()) return out.replace(span->begin, span->end - span->begin, sharding);
    const size_t comma = comma_before(line, span->begin - kSharding.size());
    return out.erase(comma, span->end - comma);
  }
  if (sharding.empty()) return out;
  const LineAttributes attributes = attributes_of(line);
  size_t at = attributes.end;
  // Where XLA prints it: before what only tells of the instruction.
  for (const size_t start : attributes.starts) {
    for (const std::string_view key : {"metadata=", "frontend_attributes=", "backend_config="}) {
      if (at == attributes.end && line.compare(start, key.size(), key) == 0) at = comma_before(line, start);
    }
  }
  return out.insert(at, ", " + std::string(kSharding) + std::string(sharding));
}

}  // namespace shardscope::inline program
