// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/xml.h"
#include "engine/report/document/writers.h"
#include "engine/report/html_page.h"

namespace shardscope::inline report {
namespace {

struct HtmlWriter {
  const std::vector<std::string>& pictures;
  std::string out{};

  void operator()(const ReportText& text) {
    out += fmt::format("<{}>{}</{}>\n", text.code ? "pre class=\"command\"" : "p", xml_escaped(text.text),
                       text.code ? "pre" : "p");
  }
  void operator()(const ReportTable& table) {
    if (!table.caption.empty())
      out += fmt::format("<p class=\"caption\">{}</p>\n", xml_escaped(table.caption));
    const std::vector<bool> none(table.cells.rows.size(), false);
    out += html_table(table.cells, table.best.empty() ? none : table.best, table.list ? "sort" : "sums");
  }
  void operator()(const ReportList& list) {
    out += "<ul>\n";
    for (const auto& [head, text] : list.items) {
      out += "<li>";
      if (!head.empty()) out += fmt::format("<b>{}</b>: ", xml_escaped(head));
      out += xml_escaped(text) + "</li>\n";
    }
    out += "</ul>\n";
  }
  void operator()(const ReportFigure& figure) {
    const std::string svg = figure.picture < pictures.size() ? inline_svg(pictures[figure.picture]) : "";
    if (svg.empty()) return;
    out +=
        fmt::format("<figure class=\"still\" id=\"{}\">{}<figcaption><b>{}:</b> {}</figcaption></figure>\n",
                    xml_escaped(figure.id), svg, xml_escaped(figure.title), xml_escaped(figure.caption));
  }
};

}  // namespace

std::string report_html(const Report& report, const std::vector<std::string>& pictures,
                        const PagePlayers& players) {
  HtmlWriter writer{pictures};
  writer.out = html_head(report.title, report.verdict);
  writer.out += "<nav class=\"contents\">";
  for (const ReportSection& section : report.sections)
    writer.out +=
        fmt::format("<a href=\"#s-{}\">{}</a> ", xml_escaped(section.id), xml_escaped(section.title));
  writer.out += "</nav>\n";
  for (const ReportSection& section : report.sections) {
    writer.out +=
        fmt::format("<h2 id=\"s-{}\">{}</h2>\n", xml_escaped(section.id), xml_escaped(section.title));
    for (const auto& [of, figure] : players.figures)
      if (of == section.id) writer.out += figure + "\n";
    for (const ReportBlock& block : section.blocks) std::visit(writer, block);
  }
  return writer.out + players.tables + html_foot();
}

}  // namespace shardscope::inline report
