// SPDX-License-Identifier: Apache-2.0
// Modules side by side as one page: a row for each line, a column for each module.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/base/say.h"
#include "engine/base/xml.h"
#include "engine/report/html_page.h"
#include "engine/report/modules_report.h"
#include "engine/report/page/page_frame.h"

namespace shardscope::inline report {
namespace {

constexpr const char* kModulesStyle = R"(
:root{--only:#ffe2c4;--new:#d5e8ff;--other:#fff4bf}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){--only:#54340f;--new:#143a63;--other:#4a4310}}
:root[data-theme=dark]{--only:#54340f;--new:#143a63;--other:#4a4310}
body{max-width:none}table.plain{width:auto}
table.modules td{font:12px/1.4 "DejaVu Sans Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere;vertical-align:top;min-width:32em;padding:1px 8px}
table.modules th{position:sticky;top:0;background:var(--panel)}
td.gone{background:var(--only)}td.new{background:var(--new)}td.changed{background:var(--other)}td.new.gone{background:linear-gradient(90deg,var(--new),var(--only))}
td.gone::before{content:"− "}td.new::before{content:"+ "}td.changed::before{content:"~ "}td.new.gone::before{content:"± "}
td.head{font-weight:600;padding-top:8px}td.fold{color:var(--soft);text-align:center}
td.on{outline:2px solid var(--hot);outline-offset:-2px}
@media print{table.modules td{min-width:0;font-size:6pt}})";

constexpr size_t kLongestCell = 600;  // bytes of a line; constants may have megabytes
constexpr size_t kContext = 3;        // rows alike before and behind a different one
constexpr size_t kFoldBytes = 120;    // a row that says how many are left out

std::string shortened(std::string text) {
  if (text.size() <= kLongestCell) return text;
  size_t end = kLongestCell;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

// Beside the module before it: new, or changed; beside the next one: gone.
std::string class_of(const ModuleColumns& columns, size_t module, const ColumnCell& cell) {
  if (cell.empty()) return "";
  if (cell.instruction < 0) return "head";
  const auto at = static_cast<size_t>(cell.instruction);
  std::vector<std::string> out;
  if (module > 0) {
    const Fate fate = columns.between[module - 1].after.fate[at];
    if (fate != Fate::same) out.emplace_back(fate == Fate::alone ? "new" : "changed");
  }
  if (module < columns.between.size()) {
    const Fate fate = columns.between[module].before.fate[at];
    if (fate == Fate::alone) out.emplace_back("gone");
    if (fate == Fate::changed && module == 0) out.emplace_back("changed");
  }
  return fmt::format("{}", fmt::join(out, " "));
}

std::string row_html(const ModuleColumns& columns, const ColumnRow& row) {
  std::string out = "<tr>";
  for (size_t module = 0; module < row.size(); ++module) {
    const ColumnCell& cell = row[module];
    const std::string kind = class_of(columns, module, cell);
    out += "<td";
    if (!kind.empty()) out += fmt::format(" class=\"{}\"", kind);
    if (cell.group >= 0) out += fmt::format(" data-group={}", cell.group);
    out += ">" + xml_escaped(shortened(cell_text(columns, module, cell))) + "</td>";
  }
  return out + "</tr>\n";
}

// Which rows a page shows, written, and what the others are.
class PageRows {
 public:
  PageRows(const ModuleColumns& columns, const std::vector<ColumnRow>& rows, size_t room)
      : columns_(columns), rows_(rows), shown_(rows.size()), room_(room) {
    for (const ColumnRow& row : rows) alike_.push_back(same_in_all(columns, row));
  }

  // What differs first, then what stands near it, then all, as far as there is room.
  Result<void> choose(const std::stop_token& stop) {
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (stop.stop_requested()) return cancelled();
      if (!alike_[r] && !add(r)) return {};
    }
    std::vector<bool> near(rows_.size());
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (alike_[r]) continue;
      for (size_t k = r - std::min(r, kContext); k < std::min(rows_.size(), r + kContext + 1); ++k)
        near[k] = true;
    }
    for (size_t r = 0; r < rows_.size(); ++r)
      if (near[r] && !add(r)) return {};
    const auto before = shown_;
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (stop.stop_requested()) return cancelled();
      if (add(r)) continue;
      shown_ = before;
      return {};
    }
    return {};
  }

  std::string html() const {
    std::string out;
    int64_t alike = 0, different = 0;
    const auto fold = [&] {
      if (alike + different == 0) return;
      const std::string words =
          different == 0 ? say_count("… {} line alike …", "… {} lines alike …", alike)
                         : say_count("… {} line that differs, {} alike: left out …",
                                     "… {} lines that differ, {} alike: left out …", different, alike);
      out += fmt::format("<tr><td class=fold colspan={}>{}</td></tr>\n", columns_.modules.size(), words);
      alike = different = 0;
    };
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (!shown_[r]) {
        ++(alike_[r] ? alike : different);
        continue;
      }
      fold();
      out += *shown_[r];
    }
    fold();
    return out;
  }
  // How many lines that are alike, and that differ, are left out.
  std::pair<int64_t, int64_t> left_out() const {
    std::pair<int64_t, int64_t> out;
    for (size_t r = 0; r < rows_.size(); ++r)
      if (!shown_[r]) ++(alike_[r] ? out.first : out.second);
    return out;
  }

 private:
  bool add(size_t r) {
    if (shown_[r]) return true;
    std::string written = row_html(columns_, rows_[r]);
    if (written.size() + kFoldBytes > room_) return false;
    room_ -= written.size() + kFoldBytes;
    shown_[r] = std::move(written);
    return true;
  }

  const ModuleColumns& columns_;
  const std::vector<ColumnRow>& rows_;
  std::vector<std::optional<std::string>> shown_;
  std::vector<bool> alike_;
  size_t room_;
};

std::string before_rows(const ModuleColumns& columns, const std::string& title) {
  const TextTable table = modules_table(columns);
  std::string out = page_head({title, kModulesStyle}) +
                    html_table(table, std::vector<bool>(table.rows.size(), false), "plain") + "<ul>\n";
  for (const std::string& sentence : neighbours_sentences(columns))
    out += "<li>" + xml_escaped(sentence) + "</li>\n";
  out +=
      "</ul>\n<p class=\"note\">" +
      said(
          "~ changed from the module before, + not in it, − not in the next one. A click on a line marks all "
          "that belong with it.") +
      "</p>\n";
  for (const ModuleColumn& each : columns.modules) {
    if (each.said.empty()) continue;
    out += "<details><summary>" + xml_escaped(each.name) + "</summary><ul>";
    for (const std::string& line : each.said) out += "<li>" + xml_escaped(shortened(line)) + "</li>";
    out += "</ul></details>\n";
  }
  out += "<div class=\"wide\"><table class=\"modules\"><thead><tr>";
  for (const ModuleColumn& each : columns.modules) out += "<th>" + xml_escaped(each.name) + "</th>";
  return out + "</tr></thead><tbody>\n";
}

}  // namespace

Result<std::string> modules_html(const ModuleColumns& columns, const std::string& title, size_t most,
                                 const std::stop_token& stop) {
  TRY(const std::vector<ColumnRow> rows, aligned_rows(columns, stop));
  const std::string head = before_rows(columns, title), foot = page_foot("");
  const std::string_view end = "</tbody></table></div>\n";
  const size_t frame = head.size() + foot.size() + end.size() + 400;
  PageRows shown(columns, rows, most > frame ? most - frame : 0);
  TRY_VOID(shown.choose(stop));
  const auto [alike, different] = shown.left_out();
  std::string note;
  if (different > 0)
    note = say_count("The page is full: {} line that differs is left out.",
                     "The page is full: {} lines that differ are left out.", different);
  else if (alike > 0)
    note = say_count("{} line that all modules have alike is left out.",
                     "{} lines that all modules have alike are left out.", alike);
  if (!note.empty()) note = "<p class=\"note\">" + note + "</p>\n";
  return head + shown.html() + std::string(end) + note + foot;
}

}  // namespace shardscope::inline report
