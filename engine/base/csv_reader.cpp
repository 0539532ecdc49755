// SPDX-License-Identifier: Apache-2.0
#include "engine/base/csv_reader.h"

#include <fmt/format.h>

namespace shardscope {
namespace {

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_start_ = 3;
  }

  Result<std::vector<CsvRow>> read() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      CsvRow row;
      TRY_VOID(read_row(row));
      if (row.cells.size() == 1 && row.cells[0].empty()) continue;
      if (rows.size() == kMostCsvRows) return wrong(fmt::format("more than {} rows", kMostCsvRows), at_);
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  Error wrong(std::string what, size_t at) const {
    return invalid(std::move(what), fmt::format("{}:{}:{}", file_, line_, at - line_start_ + 1));
  }

  bool at_line_end() const { return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }

  void pass_line_end() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
    line_start_ = at_;
  }

  Result<void> read_row(CsvRow& row) {
    row.line = line_;
    for (;;) {
      if (row.cells.size() == kMostCsvCells)
        return wrong(fmt::format("more than {} cells in a line", kMostCsvCells), at_);
      row.columns.push_back(static_cast<int>(at_ - line_start_ + 1));
      std::string& cell = row.cells.emplace_back();
      TRY_VOID(at_ < text_.size() && text_[at_] == '"' ? read_quoted(cell) : read_plain(cell));
      if (at_line_end()) break;
      ++at_;  // the comma
    }
    pass_line_end();
    return {};
  }

  Result<void> read_plain(std::string& cell) {
    const size_t start = at_;
    while (!at_line_end() && text_[at_] != ',') ++at_;
    cell = text_.substr(start, at_ - start);
    return check_length(cell, start);
  }

  Result<void> read_quoted(std::string& cell) {
    const size_t start = at_++;
    const Error open = wrong("a quote that is never closed", start);
    for (;; ++at_) {
      if (at_ == text_.size()) return open;
      if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      }
      cell += text_[at_];
      if (text_[at_] != '\n') continue;
      ++line_;
      line_start_ = at_ + 1;
    }
    ++at_;
    if (!at_line_end() && text_[at_] != ',')
      return wrong(fmt::format("expected a comma behind the closing quote, got '{}'", text_[at_]), at_);
    return check_length(cell, start);
  }

  Result<void> check_length(const std::string& cell, size_t start) const {
    if (cell.size() <= kMostCsvCell) return {};
    return wrong(fmt::format("a cell of more than {} bytes", kMostCsvCell), start);
  }

  std::string_view text_;
  std::string_view file_;
  size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text, std::string_view file_name) {
  return CsvReader(text, file_name).read();
}

}  // namespace shardscope
