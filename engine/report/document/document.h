// SPDX-License-Identifier: Apache-2.0
// A report as a value: titles, texts, tables, lists and places of pictures. It is made once of a comparison;
// each format is a writer that prints it and decides nothing of what it says.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "engine/report/table.h"

namespace shardscope::inline report {

struct ReportText {
  std::string text;
  bool code = false;  // as it is typed
};

struct ReportTable {
  std::string caption;  // may be empty
  TextTable cells;
  std::vector<bool> best{};  // rows that stand out; empty: none
  size_t keys = 1;           // columns that say what a row is: repeated where a table is broken across
  bool list = false;         // its rows may stand in any order: no sums
};

struct ReportItem {
  std::string head, text;  // no head: the text alone
};
struct ReportList {
  std::vector<ReportItem> items;
};

// A picture and what is said below it. The pictures themselves go to the writers beside the report.
struct ReportFigure {
  std::string id;       // "timelines": of files and links
  std::string title;    // "Timelines"
  std::string caption;  // what it shows, and of which moment
  size_t picture = 0;   // its place among them
};

using ReportBlock = std::variant<ReportText, ReportTable, ReportList, ReportFigure>;

struct ReportSection {
  std::string id, title;
  std::vector<ReportBlock> blocks;
};

struct Report {
  std::string title, verdict;
  std::vector<ReportSection> sections;  // the first is the first page, below the verdict
};

}  // namespace shardscope::inline report
