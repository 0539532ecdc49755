// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html_page.h"

#include <fmt/format.h>

#include "engine/base/xml.h"
#include "engine/report/page/page_frame.h"

namespace shardscope::inline report {
namespace {

// Beside the style of all pages (page_frame.h). On paper every column is there: texts wrap, numbers do not.
constexpr const char* kStyle = R"(
h1{overflow-wrap:anywhere}p,li{overflow-wrap:anywhere}p.verdict{font-size:17px;font-weight:400;margin:8px 0 16px}p.caption{margin:16px 0 4px;color:var(--soft)}
nav.contents{font-size:13px;color:var(--soft)}nav.contents a{margin-right:10px;white-space:nowrap}
table{width:auto;font-size:13px}th,td{padding:3px 8px}th{vertical-align:bottom}td{vertical-align:top}td.long{white-space:normal;min-width:16em}
pre.command{white-space:pre-wrap;overflow-wrap:anywhere}
figure.still svg{width:100%;border:1px solid var(--rule);box-sizing:border-box}figure.still figcaption{font-weight:400;font-size:13px;color:var(--soft);margin:4px 0 0}
@page{size:A4 landscape;margin:12mm}
@media print{nav.contents{display:none}table{font-size:6.4pt}td.right{white-space:nowrap}td.long{min-width:0}
figure,pre{break-inside:avoid}p.caption{break-after:avoid}figure.still svg{max-height:160mm}})";

constexpr size_t kLongCell = 48;  // signs from which on a cell is set in lines

}  // namespace

// An inline <svg> must not carry an XML declaration or doctype.
std::string inline_svg(const std::string& svg) {
  const size_t start = svg.find("<svg");
  return start == std::string::npos ? "" : svg.substr(start);
}

std::string html_head(const std::string& title, const std::string& verdict) {
  return page_head({title, kStyle}) + fmt::format("<p class=\"verdict\">{}</p>\n", xml_escaped(verdict));
}

std::string html_table(const TextTable& table, const std::vector<bool>& best, const char* kind) {
  std::string out = fmt::format("<div class=\"wide\"><table class=\"{}\">\n<thead><tr>", kind);
  const auto cell = [&](const char* tag, size_t c, const std::string& text) {
    const char* shape = table.right_aligned[c]            ? " class=\"right\""
                        : display_width(text) > kLongCell ? " class=\"long\""
                                                          : "";
    return fmt::format("<{}{}>{}</{}>", tag, shape, xml_escaped(text), tag);
  };
  for (size_t c = 0; c < table.header.size(); ++c) out += cell("th", c, table.header[c]);
  out += "</tr></thead>\n<tbody>\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    out += best[r] ? "<tr class=\"best\">" : "<tr>";
    for (size_t c = 0; c < table.rows[r].size(); ++c) out += cell("td", c, table.rows[r][c]);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string html_foot() {
  return page_foot("");
}

}  // namespace shardscope::inline report
