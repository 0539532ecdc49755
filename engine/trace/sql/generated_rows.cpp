// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/generated_rows.h"

#include <bit>
#include <new>
#include <utility>

#include "engine/base/check.h"

namespace shardscope::inline trace {
namespace {

constexpr const char* kGeneratedRows = "sqlite_generated_rows";  // no table of a user's can be called so

// Without a branch, so that several are compared at once.
bool all_equal(std::span<const int64_t> values) {
  int64_t different = 0;
  for (const int64_t value : values) different |= value ^ values.front();
  return different == 0;
}

// As SQL says a value that all rows have.
std::string said(RowColumn::Kind kind, int64_t number) {
  if (kind == RowColumn::Kind::real) return "?";
  return kind == RowColumn::Kind::optional && number < 0 ? "NULL" : std::to_string(number);
}

struct RowsTable {
  sqlite3_vtab base;
  const GeneratedRows* rows;
};

struct RowsCursor {
  sqlite3_vtab_cursor base;
  const RowPiece* piece;
  const RowPiece::Part *part, *end;
  size_t row;
};

RowsCursor& cursor_of(sqlite3_vtab_cursor* cursor) {
  return *reinterpret_cast<RowsCursor*>(cursor);
}

int connect_rows(sqlite3* db, void* rows, int, const char* const*, sqlite3_vtab** to, char**) {
  const auto* generated = static_cast<const GeneratedRows*>(rows);
  if (const int code = sqlite3_declare_vtab(db, generated->declaration().c_str()); code != SQLITE_OK)
    return code;
  auto* table = new (std::nothrow) RowsTable{{}, generated};
  if (table == nullptr) return SQLITE_NOMEM;
  *to = &table->base;
  return SQLITE_OK;
}

int disconnect_rows(sqlite3_vtab* table) {
  delete reinterpret_cast<RowsTable*>(table);
  return SQLITE_OK;
}

// There is one way to read them: all.
int plan_rows(sqlite3_vtab*, sqlite3_index_info*) {
  return SQLITE_OK;
}

int open_rows(sqlite3_vtab*, sqlite3_vtab_cursor** to) {
  auto* cursor = new (std::nothrow) RowsCursor{};
  if (cursor == nullptr) return SQLITE_NOMEM;
  *to = &cursor->base;
  return SQLITE_OK;
}

int close_rows(sqlite3_vtab_cursor* cursor) {
  delete &cursor_of(cursor);
  return SQLITE_OK;
}

int first_row(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  RowsCursor& c = cursor_of(cursor);
  c.piece = &reinterpret_cast<RowsTable*>(cursor->pVtab)->rows->shown();
  c.part = c.piece->parts().data();
  c.end = c.part + c.piece->parts().size();
  c.row = 0;
  return SQLITE_OK;
}

int next_row(sqlite3_vtab_cursor* cursor) {
  RowsCursor& c = cursor_of(cursor);
  if (++c.row < c.part->rows) return SQLITE_OK;
  c.row = 0;
  ++c.part;
  return SQLITE_OK;
}

int no_row_left(sqlite3_vtab_cursor* cursor) {
  return cursor_of(cursor).part == cursor_of(cursor).end ? 1 : 0;
}

int id_of_row(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = cursor_of(cursor).part->first_id + static_cast<int64_t>(cursor_of(cursor).row);
  return SQLITE_OK;
}

// A value that is not set is null.
int value_of_row(sqlite3_vtab_cursor* cursor, sqlite3_context* to, int place) {
  const RowsCursor& c = cursor_of(cursor);
  if (static_cast<size_t>(place) == c.part->columns.size()) {
    sqlite3_result_int64(to, c.part->first_id + static_cast<int64_t>(c.row));
    return SQLITE_OK;
  }
  const RowPiece::Part::Column& column = c.part->columns[static_cast<size_t>(place)];
  const int64_t number = c.piece->number(column, c.row);
  if (column.kind == RowColumn::Kind::real)
    sqlite3_result_double(to, std::bit_cast<double>(number));
  else if (number >= 0 || column.kind == RowColumn::Kind::whole)
    sqlite3_result_int64(to, number);
  return SQLITE_OK;
}

// Without a way to be created: it is there under its own name.
constexpr sqlite3_module kRowsModule = [] {
  sqlite3_module module{};
  module.xConnect = connect_rows;
  module.xBestIndex = plan_rows;
  module.xDisconnect = disconnect_rows;
  module.xOpen = open_rows;
  module.xClose = close_rows;
  module.xFilter = first_row;
  module.xNext = next_row;
  module.xEof = no_row_left;
  module.xColumn = value_of_row;
  module.xRowid = id_of_row;
  return module;
}();

}  // namespace

void RowPiece::clear() {
  used_ = 0;
  numbers_.clear();
  rows_ = 0;
  gaps_ = false;
}

void RowPiece::add(int64_t first_id, size_t rows, std::span<const RowColumn> columns) {
  if (rows_ == 0) first_id_ = first_id;
  gaps_ = gaps_ || first_id != first_id_ + rows_;
  if (used_ == parts_.size()) parts_.emplace_back();
  Part& part = parts_[used_++];
  part.first_id = first_id;
  part.rows = rows;
  part.columns.clear();
  for (const RowColumn& column : columns) {
    const std::span<const int64_t> values = column.values.first(rows);
    const bool alike = all_equal(values);
    part.columns.push_back({numbers_.size(), alike ? 0 : ~size_t{0}, column.kind});
    numbers_.insert(numbers_.end(), values.begin(), alike ? values.begin() + 1 : values.end());
  }
  rows_ += static_cast<int64_t>(rows);
}

std::optional<int64_t> RowPiece::of_all(size_t place) const {
  const Part::Column& first = parts_.front().columns[place];
  const int64_t number = this->number(first, 0);
  for (const Part& part : parts()) {
    const Part::Column& column = part.columns[place];
    if (column.each != 0 || column.kind != first.kind || this->number(column, 0) != number) return {};
  }
  return number;
}

Result<std::unique_ptr<GeneratedRows>> GeneratedRows::of(const Database& db, const std::string& table) {
  TRY(Statement definition,
      db.prepare("SELECT format('\"%w\"', name), pk, type FROM pragma_table_info(?, 'main')"
                 " ORDER BY cid"));
  definition.bind_all(table);
  std::vector<std::string> columns;
  bool fine = true, has_id = false;
  while (true) {
    TRY(const bool more, definition.step());
    if (!more) break;
    fine = fine && !has_id;
    has_id = definition.integer(1) != 0 && definition.text(2) == "INTEGER";
    columns.push_back(definition.text(0));
  }
  if (!fine || !has_id || columns.size() < 2)
    return io_error("database: no table " + table + " as it should be", db.path());
  std::unique_ptr<GeneratedRows> rows(new GeneratedRows(db, table, std::move(columns)));
  if (sqlite3_create_module_v2(db.handle(), kGeneratedRows, &kRowsModule, rows.get(), nullptr) != SQLITE_OK)
    return db.error();
  return rows;
}

GeneratedRows::~GeneratedRows() {
  sqlite3_create_module_v2(db_.handle(), kGeneratedRows, nullptr, nullptr, nullptr);
}

std::string GeneratedRows::declaration() const {
  std::string list;
  for (const std::string& column : columns_) list += (list.empty() ? "" : ", ") + column;
  return "CREATE TABLE generated (" + list + ")";
}

void GeneratedRows::add(int64_t first_id, size_t rows, std::span<const RowColumn> columns) {
  if (rows == 0) return;
  CHECK(columns.size() + 1 == columns_.size(), columns.size(), columns_.size());
  CHECK(first_id > last_id_, first_id, last_id_);
  last_id_ = first_id + static_cast<int64_t>(rows) - 1;
  collected_.add(first_id, rows, columns);
}

void GeneratedRows::show() {
  std::swap(shown_, collected_);
  collected_.clear();
}

Result<bool> GeneratedRows::follow_the_last() const {
  TRY(const int64_t last, db_.integer("SELECT max(rowid) FROM main." + table_));  // 0: there is none
  return !shown_.gaps() && last == shown_.first_id() - 1;
}

// A table that numbers its rows by itself puts each behind the last one: the way to a row's place is then not
// searched, nor whether its id is taken. A value that all rows have is said in the statement, which saves a
// call and a copy of each row.
Result<void> GeneratedRows::append() const {
  if (shown_.rows() == 0) return {};
  TRY(const bool numbered_on, follow_the_last());
  const std::string& id = columns_.back();
  std::string names, values;
  std::vector<double> reals;  // as parameters: no text stands between them and their bits
  for (size_t c = 0; c + 1 < columns_.size(); ++c) {
    const char* between = c == 0 ? "" : ", ";
    names += between + columns_[c];
    const std::optional<int64_t> alike = shown_.of_all(c);
    if (alike && shown_.kind(c) == RowColumn::Kind::real) reals.push_back(std::bit_cast<double>(*alike));
    values += between + (alike ? said(shown_.kind(c), *alike) : columns_[c]);
  }
  if (!numbered_on) {
    names += ", " + id;
    values += ", " + id;
  }
  TRY(Statement copy, db_.prepare("INSERT INTO main." + table_ + " (" + names + ") SELECT " + values +
                                  " FROM " + kGeneratedRows));
  for (size_t r = 0; r < reals.size(); ++r) copy.bind(static_cast<int>(r), reals[r]);
  return copy.run();
}

}  // namespace shardscope::inline trace
