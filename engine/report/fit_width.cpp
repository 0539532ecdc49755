// SPDX-License-Identifier: Apache-2.0
#include "engine/report/fit_width.h"

#include <algorithm>
#include <vector>

#include "engine/base/text.h"
#include "engine/report/table.h"

namespace shardscope::inline report {
namespace {

constexpr size_t kLeast = 20;  // of a narrower screen nothing can be made
constexpr double kMostIndent = 0.6;

using Glyphs = std::vector<std::string>;  // a column of the screen each

Glyphs glyphs_of(std::string_view line) {
  Glyphs out;
  for (const char c : line) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80 && !out.empty())
      out.back() += c;
    else
      out.emplace_back(1, c);
  }
  return out;
}

std::string text_of(const Glyphs& line, size_t from, size_t to) {
  std::string out;
  for (size_t i = from; i < std::min(to, line.size()); ++i) out += line[i];
  return out;
}

std::string without_blanks_behind(std::string text) {
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

// From its first column to behind its last one.
struct Column {
  size_t from = 0, to = 0;
  size_t width() const { return to - from; }
};

// Two blanks in every line part columns, one does where a cell fills its column.
std::vector<Column> columns_of(const std::vector<Glyphs>& lines) {
  size_t width = 0;
  for (const Glyphs& line : lines) width = std::max(width, line.size());
  std::vector<bool> blank(width + 2, true);
  for (const Glyphs& line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      if (line[i] != " ") blank[i] = false;
  std::vector<Column> out;
  for (size_t i = 0; i < width; ++i) {
    if (blank[i]) continue;
    size_t end = i;
    while (!blank[end] || !blank[end + 1]) ++end;
    out.push_back({i, end});
    i = end;
  }
  return out;
}

// One line in lines of so many columns, broken between words; all but the first begin at `indent`.
void wrap(const Glyphs& line, size_t indent, size_t columns, std::string& out) {
  const std::string front(indent, ' ');
  size_t from = 0, room = columns;
  while (line.size() - from > room) {
    size_t end = from + room;
    const size_t least = from == 0 ? indent : from;
    while (end > least && line[end] != " ") --end;
    if (end <= least) {  // a word longer than the line stands in one that is too long
      end = from + room;
      while (end < line.size() && line[end] != " ") ++end;
    }
    out += without_blanks_behind((from == 0 ? "" : front) + text_of(line, from, end)) + "\n";
    from = end;
    while (from < line.size() && line[from] == " ") ++from;
    room = columns - indent;
    if (from == line.size()) return;
  }
  out += (from == 0 ? "" : front) + text_of(line, from, line.size()) + "\n";
}

size_t blanks_before(const Glyphs& line) {
  size_t blanks = 0;
  while (blanks < line.size() && line[blanks] == " ") ++blanks;
  return blanks;
}

// Columns side by side as far as they fit, then the others below.
void fold(const std::vector<Glyphs>& lines, const std::vector<Column>& parts, size_t columns,
          std::string& out) {
  constexpr size_t kApart = 2;
  for (size_t next = 1; next < parts.size();) {
    size_t width = parts[0].to, end = next;
    while (end < parts.size() && (end == next || width + kApart + parts[end].width() <= columns)) {
      width += kApart + parts[end].width();
      ++end;
    }
    if (next > 1) out += "\n";
    for (const Glyphs& line : lines) {
      std::string shown = text_of(line, 0, parts[0].to);
      for (size_t part = next; part < end; ++part) {
        const size_t at = display_width(shown);
        size_t begins = parts[0].to;
        for (size_t before = next; before < part; ++before) begins += kApart + parts[before].width();
        shown += std::string(begins + kApart - at, ' ') + text_of(line, parts[part].from, parts[part].to);
      }
      out += without_blanks_behind(std::move(shown)) + "\n";
    }
    next = end;
  }
}

// Lines without an empty one between them.
void fit_block(const std::vector<Glyphs>& lines, size_t columns, std::string& out) {
  const auto is_too_long = [&](const Glyphs& line) { return line.size() > columns; };
  if (std::ranges::none_of(lines, is_too_long)) {
    for (const Glyphs& line : lines) out += text_of(line, 0, line.size()) + "\n";
    return;
  }
  const std::vector<Column> parts = columns_of(lines);
  const bool table = lines.size() > 1 && parts.size() > 1;
  const auto most_indent = static_cast<size_t>(static_cast<double>(columns) * kMostIndent);
  if (table && parts.back().from > most_indent) {
    const auto fits = [&](const Column& part) { return parts[0].to + 2 + part.width() <= columns; };
    if (std::all_of(parts.begin() + 1, parts.end(), fits)) return fold(lines, parts, columns, out);
  }
  for (const Glyphs& line : lines) {
    const bool last_column = table && parts.back().from <= most_indent;
    const size_t indent = last_column ? parts.back().from : std::min(blanks_before(line) + 2, most_indent);
    wrap(line, indent, columns, out);
  }
}

}  // namespace

std::string fit_width(std::string_view text, size_t columns) {
  if (columns < kLeast) return std::string(text);
  std::vector<std::string> lines = split(text, '\n');
  const bool ends_in_line = !lines.empty() && lines.back().empty();
  if (ends_in_line) lines.pop_back();
  std::string out;
  std::vector<Glyphs> block;
  const auto end_block = [&] {
    fit_block(block, columns, out);
    block.clear();
  };
  for (const std::string& line : lines) {
    if (!line.empty()) {
      block.push_back(glyphs_of(line));
      continue;
    }
    end_block();
    out += "\n";
  }
  end_block();
  if (!ends_in_line && !out.empty()) out.pop_back();
  return out;
}

}  // namespace shardscope::inline report
