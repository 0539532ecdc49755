// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html_page.h"

#include <fmt/format.h>

#include "engine/base/xml.h"

namespace shardscope {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--best:#e8f3ff;--page:#ffffff}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--rule:#3a424c;--best:#12304d;--page:#0f1419}}
body{font:15px/1.5 system-ui,"DejaVu Sans",sans-serif;color:var(--ink);background:var(--page);max-width:1200px;margin:32px auto;padding:0 24px}
h1{font-size:26px;margin:0 0 8px}h2{font-size:18px;margin:32px 0 8px;border-bottom:1px solid var(--rule);padding-bottom:4px}
p.verdict{font-size:17px;margin:8px 0 24px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{font-weight:600;text-align:left;color:var(--soft)}th,td{padding:4px 10px;border-bottom:1px solid var(--rule);white-space:nowrap}
.right{text-align:right}tr.best{background:var(--best);font-weight:600}.wide{overflow-x:auto}
figure{margin:16px 0;background:#fff;border:1px solid var(--rule)}figure svg{width:100%;height:auto;display:block}
footer{color:var(--soft);margin-top:40px;font-size:13px}
)";

// An inline <svg> must not carry an XML declaration or doctype.
std::string inline_svg(const std::string& svg) {
  const size_t start = svg.find("<svg");
  return start == std::string::npos ? "" : svg.substr(start);
}

}  // namespace

std::string html_head(const std::string& title, const std::string& verdict) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>{0} – Shardscope</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n<p "
      "class=\"verdict\">{2}</p>\n",
      xml_escaped(title), kStyle, xml_escaped(verdict));
}

std::string html_table(const TextTable& table, const std::vector<bool>& best) {
  std::string out = "<div class=\"wide\"><table>\n<tr>";
  const auto cell = [&](const char* tag, size_t c, const std::string& text) {
    return fmt::format("<{}{}>{}</{}>", tag, table.right_aligned[c] ? " class=\"right\"" : "",
                       xml_escaped(text), tag);
  };
  for (size_t c = 0; c < table.header.size(); ++c) out += cell("th", c, table.header[c]);
  out += "</tr>\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    out += best[r] ? "<tr class=\"best\">" : "<tr>";
    for (size_t c = 0; c < table.rows[r].size(); ++c) out += cell("td", c, table.rows[r][c]);
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string html_figure(const NamedPicture& picture) {
  return fmt::format("<h2>{}</h2>\n<figure>{}</figure>\n", xml_escaped(picture.name),
                     inline_svg(picture.svg));
}

std::string html_foot() {
  return "<footer>Times are simulated on a model of the chip; measured times, where shown, are of the "
         "machine "
         "that made this report. Made with Shardscope " SHARDSCOPE_VERSION ".</footer>\n</body></html>\n";
}

}  // namespace shardscope
