// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <set>

#include "engine/base/escape.h"
#include "engine/base/text.h"
#include "engine/report/document/writers.h"

namespace shardscope::inline report {
namespace {

// A4 with these margins has so many columns of tiny type; a table with more is broken across.
constexpr size_t kLineSigns = 118;
constexpr size_t kMostCellSigns = 44;  // wider columns are paragraphs

constexpr const char* kPreamble = R"(% Made with Shardscope: pdflatex reads this file as it is.
\documentclass[a4paper,10pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\usepackage{lmodern}
\usepackage[a4paper,margin=18mm]{geometry}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{array}
\usepackage{siunitx}
\providecommand{\qty}[2]{\SI{#1}{#2}}
\DeclareSIUnit{\byte}{B}
\sisetup{retain-explicit-plus=true,per-mode=symbol}
\usepackage{graphicx}
\usepackage[hidelinks]{hyperref}
\setlength{\tabcolsep}{3pt}
\setlength{\LTleft}{0pt}
\sloppy
)";

size_t column_signs(const TextTable& table, size_t column) {
  size_t width = display_width(table.header[column]);
  for (const auto& row : table.rows) width = std::max(width, display_width(row[column]));
  return std::min(width, kMostCellSigns) + 2;
}

// The columns of each of the tables that a wide one becomes; each begins with the keys.
std::vector<std::vector<size_t>> bands_of(const TextTable& table, size_t keys) {
  std::vector<std::vector<size_t>> out;
  size_t key_width = 0, width = 0;
  std::vector<size_t> band;
  for (size_t c = 0; c < keys && c < table.header.size(); ++c) {
    band.push_back(c);
    key_width += column_signs(table, c);
  }
  const std::vector<size_t> first = band;
  width = key_width;
  for (size_t c = keys; c < table.header.size(); ++c) {
    const size_t more = column_signs(table, c);
    if (width + more > kLineSigns && band.size() > first.size()) {
      out.push_back(band);
      band = first;
      width = key_width;
    }
    band.push_back(c);
    width += more;
  }
  out.push_back(band);
  return out;
}

std::string band_text(const TextTable& table, const std::vector<size_t>& band) {
  std::string out = "{\\scriptsize\n\\begin{longtable}{@{}";
  for (const size_t c : band) {
    const bool wide = column_signs(table, c) > kMostCellSigns;
    out += wide ? ">{\\raggedright\\arraybackslash}p{55mm}" : table.right_aligned[c] ? "r" : "l";
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::vector<std::string> set;
    for (const size_t c : band) set.push_back(latex_cell(cells[c]));
    // A bracket behind the end of a row would be its distance to the next.
    return "{}" + join(set, " & ") + " \\\\\n";
  };
  out += "@{}}\n\\toprule\n" + line(table.header) + "\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n";
  for (const auto& row : table.rows) out += line(row);
  return out + "\\end{longtable}}\n";
}

// As it is typed: a line a command, two hyphens no dash.
std::string typed(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    std::string safe = latex_escaped(line);
    for (size_t at = 0; (at = safe.find("--", at)) != std::string::npos; at += 3) safe.insert(at + 1, "{}");
    out += "\\noindent\\hangindent=1em " + safe + "\\par\n";
  }
  return "{\\ttfamily\\footnotesize\\raggedright\n" + out + "}\\medskip\n\n";
}

// What inputenc does not know of itself stands as its number, so that any name can be set.
std::string unicode_declarations(const std::string& text) {
  std::set<uint32_t> beyond;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t code = bytes == 1 ? lead : lead & (0xFFU >> (bytes + 1));
    for (size_t k = 1; k < bytes && i + k < text.size(); ++k)
      code = code << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    if (code > 0x17F) beyond.insert(code);
    i += bytes;
  }
  std::string out;
  for (const uint32_t code : beyond) {
    const bool greek = code == 0x3B1 || code == 0x3B2;
    out += greek ? fmt::format("\\DeclareUnicodeCharacter{{{:04X}}}{{${}$}}\n", code,
                               code == 0x3B1 ? "\\alpha" : "\\beta")
                 : fmt::format("\\DeclareUnicodeCharacter{{{0:04X}}}{{\\texttt{{U+{0:04X}}}}}\n", code);
  }
  return out;
}

struct LatexWriter {
  const std::vector<std::string>& pictures;
  std::string out{};

  void operator()(const ReportText& text) {
    out += text.code ? typed(text.text) : latex_escaped(text.text) + "\n\n";
  }
  void operator()(const ReportTable& table) {
    if (!table.caption.empty()) out += "\\noindent " + latex_escaped(table.caption) + "\n\n";
    for (const auto& band : bands_of(table.cells, table.keys)) out += band_text(table.cells, band);
  }
  void operator()(const ReportList& list) {
    out += "\\begin{itemize}\n";
    for (const auto& [head, text] : list.items)
      out += "\\item " + (head.empty() ? "{}" : "\\textbf{" + latex_escaped(head) + "}: ") +
             latex_escaped(text) + "\n";
    out += "\\end{itemize}\n\n";
  }
  void operator()(const ReportFigure& figure) {
    const bool there = figure.picture < pictures.size() && !pictures[figure.picture].empty();
    out += "\\begin{figure}[htbp]\n\\centering\n";
    if (there)
      out +=
          fmt::format("\\includegraphics[width=\\linewidth,height=0.85\\textheight,keepaspectratio]{{{}}}\n",
                      pictures[figure.picture]);
    out += fmt::format("\\caption{{\\textbf{{{}:}} {}}}\n\\end{{figure}}\n", latex_escaped(figure.title),
                       latex_escaped(figure.caption));
  }
};

}  // namespace

std::string report_latex(const Report& report, const std::vector<std::string>& pictures) {
  LatexWriter writer{pictures};
  writer.out = fmt::format(
      "\\title{{{}}}\n\\author{{}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n\\noindent {}\n\n",
      latex_escaped(report.title), latex_escaped(report.verdict));
  for (const ReportSection& section : report.sections) {
    writer.out += fmt::format("\\section*{{{}}}\n", latex_escaped(section.title));
    for (const ReportBlock& block : section.blocks) std::visit(writer, block);
  }
  return kPreamble + unicode_declarations(writer.out) + writer.out + "\\end{document}\n";
}

}  // namespace shardscope::inline report
