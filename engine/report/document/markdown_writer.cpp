// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/escape.h"
#include "engine/report/document/writers.h"

namespace shardscope::inline report {
namespace {

// A fence that is longer than every run of backticks in the text.
std::string fenced(const std::string& text) {
  size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return fmt::format("{0}sh\n{1}\n{0}\n", fence, text);
}

struct MarkdownWriter {
  const std::vector<std::string>& pictures;
  std::string out{};

  void operator()(const ReportText& text) {
    out += "\n" + (text.code ? fenced(text.text) : markdown_escaped(text.text) + "\n");
  }
  void operator()(const ReportTable& table) {
    if (!table.caption.empty()) out += "\n" + markdown_escaped(table.caption) + "\n";
    out += "\n" + markdown_table(table.cells);
  }
  void operator()(const ReportList& list) {
    out += "\n";
    for (const auto& [head, text] : list.items)
      out +=
          "- " + (head.empty() ? "" : "**" + markdown_escaped(head) + "**: ") + markdown_escaped(text) + "\n";
  }
  void operator()(const ReportFigure& figure) {
    const bool there = figure.picture < pictures.size() && !pictures[figure.picture].empty();
    out += "\n";
    if (there) out += fmt::format("![{}]({})\n\n", markdown_escaped(figure.title), pictures[figure.picture]);
    out += fmt::format("**{}:** {}\n", markdown_escaped(figure.title), markdown_escaped(figure.caption));
  }
};

}  // namespace

std::string report_markdown(const Report& report, const std::vector<std::string>& pictures) {
  MarkdownWriter writer{pictures};
  writer.out = fmt::format("# {}\n\n{}\n", markdown_escaped(report.title), markdown_escaped(report.verdict));
  for (const ReportSection& section : report.sections) {
    writer.out += fmt::format("\n## {}\n", markdown_escaped(section.title));
    for (const ReportBlock& block : section.blocks) std::visit(writer, block);
  }
  return writer.out;
}

}  // namespace shardscope::inline report
