// SPDX-License-Identifier: Apache-2.0
#include "app/window/text/hlo_colors.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/text/hlo_lines.h"

namespace shardscope::inline window {
namespace {

constexpr size_t kNone = std::string_view::npos;

bool is_opcode_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

// Behind the shape that begins at `at`: tuples have blanks inside.
size_t behind_shape(std::string_view line, size_t at) {
  int depth = 0;
  for (; at < line.size(); ++at) {
    if (line[at] == '(') ++depth;
    if (line[at] == ')') --depth;
    if (line[at] == ' ' && depth == 0) break;
  }
  return at;
}

// The operation of a line, [begin, end): "all-reduce", of StableHLO "stablehlo.all_reduce".
std::pair<size_t, size_t> opcode_on(std::string_view line) {
  const size_t equals = line.find(" = ");
  if (equals == kNone) return {0, 0};
  const auto word_at = [&](size_t at) {
    size_t end = at;
    while (end < line.size() && is_opcode_letter(line[end])) ++end;
    return std::pair{at, end};
  };
  size_t at = equals + 3;
  if (at < line.size() && line[at] == '"') ++at;
  const auto [begin, end] = word_at(at);
  const std::string_view word = line.substr(begin, end - begin);
  if (word.starts_with("stablehlo.") || word.starts_with("sdy.") || word.starts_with("mhlo.") ||
      (end < line.size() && line[end] == '(' && !word.empty()))
    return {begin, end};
  const auto behind = word_at(std::min(behind_shape(line, at) + 1, line.size()));
  const bool called =
      behind.second > behind.first && behind.second < line.size() && line[behind.second] == '(';
  return called ? behind : std::pair<size_t, size_t>{0, 0};
}

HloPart part_of_opcode(std::string_view opcode) {
  if (const size_t dot = opcode.find('.'); dot != kNone) opcode.remove_prefix(dot + 1);
  for (const char* each : {"all-", "all_", "reduce-scatter", "reduce_scatter", "collective-", "collective_"})
    if (opcode.starts_with(each)) return HloPart::collective;
  return opcode == "dot" || opcode == "dot_general" ? HloPart::product : HloPart::plain;
}

// Where bookkeeping begins that goes on to the line's end.
size_t bookkeeping_on(std::string_view line) {
  size_t first = line.size();
  for (const char* key : {", metadata=", ", frontend_attributes=", "channel_id=", " loc("})
    first = std::min(first, line.find(key));
  return first;
}

// The value of sdy.sharding or mhlo.sharding on a line of StableHLO; empty: there is none.
HloSpan mlir_sharding(std::string_view line) {
  for (const char* key : {"sdy.sharding = ", "mhlo.sharding = "}) {
    const size_t at = line.find(key);
    if (at == kNone) continue;
    const size_t begin = at + std::string_view(key).size();
    const bool quoted = begin < line.size() && line[begin] == '"';
    const size_t end = quoted ? line.find('"', begin + 1) : line.find('>', begin);
    if (end != kNone) return {begin, end + 1, HloPart::sharding};
  }
  return {};
}

}  // namespace

std::vector<HloSpan> hlo_spans(std::string_view line) {
  std::vector<HloSpan> out;
  const std::string_view rest = trim(line);
  if (rest.starts_with("//") || rest.starts_with("HloModule")) return {{0, line.size(), HloPart::muted}};
  const auto [begin, end] = opcode_on(line);
  if (const HloPart part = part_of_opcode(line.substr(begin, end - begin)); part != HloPart::plain)
    out.push_back({begin, end, part});
  HloSpan sharding = mlir_sharding(line);
  if (const auto span = sharding.end == 0 ? sharding_on(line) : std::nullopt)
    sharding = {span->begin, span->end, HloPart::sharding};
  const size_t muted = std::max(bookkeeping_on(line), end);
  if (sharding.end == 0 || sharding.begin > muted) {
    if (muted < line.size())
      out.push_back({muted, sharding.end == 0 ? line.size() : sharding.begin, HloPart::muted});
    if (sharding.end == 0) return out;
    out.push_back(sharding);
    if (sharding.end < line.size()) out.push_back({sharding.end, line.size(), HloPart::muted});
    return out;
  }
  out.push_back(sharding);
  if (muted < line.size()) out.push_back({std::max(muted, sharding.end), line.size(), HloPart::muted});
  return out;
}

Color hlo_color(const Theme& theme, HloPart part) {
  switch (part) {
    case HloPart::muted:
      return theme.muted_text;
    case HloPart::collective:
      return axis_color(theme, 0, 1);
    case HloPart::sharding:
      return axis_color(theme, 3, 1);
    case HloPart::plain:
    case HloPart::product:
      return theme.text;
  }
  return theme.text;
}

bool is_bold(HloPart part) {
  return part == HloPart::collective || part == HloPart::product;
}

void HloColors::setTheme(const Theme& theme) {
  for (const HloPart part :
       {HloPart::plain, HloPart::muted, HloPart::collective, HloPart::product, HloPart::sharding}) {
    QTextCharFormat& format = formats_[static_cast<size_t>(part)];
    const Color c = hlo_color(theme, part);
    format.setForeground(QColor(c.r, c.g, c.b));
    format.setFontWeight(is_bold(part) ? QFont::Bold : QFont::Normal);
  }
  rehighlight();
}

void HloColors::highlightBlock(const QString& text) {
  // Spans count bytes: lines of other than ASCII are rare, and only their colour would be off.
  for (const HloSpan& span : hlo_spans(text.toLatin1().toStdString()))
    setFormat(static_cast<int>(span.begin), static_cast<int>(span.end - span.begin),
              formats_[static_cast<size_t>(span.part)]);
}

}  // namespace shardscope::inline window
