// SPDX-License-Identifier: Apache-2.0
#include "engine/report/document/folders.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace shardscope::inline report {
namespace {

constexpr std::string_view kBetween = " \t\n\"'`()=,;|";

bool begins_at_root(std::string_view word) {
  constexpr std::array<std::string_view, 4> kBeginnings{"/", "~/", "./", "../"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view begin) {
    return word.starts_with(begin) && word.size() > begin.size() &&
           (std::isalnum(static_cast<unsigned char>(word[begin.size()])) != 0 || word[begin.size()] == '.');
  });
}

std::string_view last_part(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

template <class IsPath>
std::string shortened(std::string_view text, bool quoted_is_one, IsPath is_path) {
  std::string out;
  bool quoted = false;
  for (size_t k = 0; k < text.size();) {
    if (kBetween.find(text[k]) != std::string_view::npos) {
      if (quoted_is_one && text[k] == '\'') quoted = !quoted;
      out += text[k++];
      continue;
    }
    const size_t end = std::min(text.find_first_of(quoted ? "'" : kBetween, k), text.size());
    const std::string_view word = text.substr(k, end - k);
    out += is_path(word) ? last_part(word) : word;
    k = end;
  }
  return out;
}

struct ShortenBlock {
  static void shorten(std::string& text) { text = without_folders(text); }

  void operator()(ReportText& text) const {
    text.text = text.code ? command_without_folders(text.text) : without_folders(text.text);
  }
  void operator()(ReportTable& table) const {
    shorten(table.caption);
    for (auto& row : table.cells.rows) std::ranges::for_each(row, shorten);
  }
  void operator()(ReportList& list) const {
    for (ReportItem& item : list.items) shorten(item.head), shorten(item.text);
  }
  void operator()(ReportFigure& figure) const { shorten(figure.title), shorten(figure.caption); }
};

}  // namespace

std::string without_folders(std::string_view text) {
  return shortened(text, false, begins_at_root);
}

std::string command_without_folders(std::string_view line) {
  return shortened(line, true,
                   [](std::string_view word) { return word.find('/') != std::string_view::npos; });
}

void leave_out_folders(Report& report) {
  ShortenBlock::shorten(report.title);
  ShortenBlock::shorten(report.verdict);
  for (ReportSection& section : report.sections)
    for (ReportBlock& block : section.blocks) std::visit(ShortenBlock{}, block);
}

}  // namespace shardscope::inline report
