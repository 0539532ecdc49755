// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/row_pages.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/base/check.h"
#include "engine/trace/sql/stored_number.h"

namespace shardscope {
namespace {

constexpr size_t kPage = 65'536;
constexpr size_t kLeafHeader = 8, kInteriorHeader = 12;
constexpr uint8_t kLeaf = 13, kInterior = 5;
constexpr size_t kMostColumns = 100;  // a record's header is then short
constexpr size_t kPageCells = 1024;   // a page of rows has room for as many places of cells
constexpr size_t kFirstCell = kLeafHeader + 2 * kPageCells;
constexpr size_t kChunk = 16;         // what a record begins with is copied in such pieces
constexpr size_t kMostPages = 4'000;  // as many as one root can name

template <class T>
void put_big_endian(uint8_t* to, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<uint8_t>(value >> (8 * (sizeof(T) - 1 - i)));
}

// Seven bits a byte, the largest first, all but the last marked; a ninth byte holds eight. `value` is not
// negative.
size_t varint_size(int64_t value) {
  const auto bits = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(value | 1)));
  return bits > 56 ? 9 : (bits + 6) / 7;
}

size_t put_varint(uint8_t* to, int64_t value) {
  const size_t size = varint_size(value);
  size_t last = size;
  if (size == 9) {
    to[--last] = static_cast<uint8_t>(value);
    value >>= 8;
  }
  for (size_t i = last; i-- > 0; value >>= 7) to[i] = static_cast<uint8_t>((value & 0x7f) | 0x80);
  if (size < 9) to[size - 1] &= 0x7f;
  return size;
}

StoredNumber stored_number(int64_t value, RowColumn::Kind kind) {
  switch (kind) {
    case RowColumn::Kind::whole:
      return stored_whole(value);
    case RowColumn::Kind::real:
      return stored_real(std::bit_cast<double>(value));
    case RowColumn::Kind::optional:
      break;
  }
  return value < 0 ? StoredNumber{} : stored_whole(value);
}

// Without a branch, so that several are compared at once.
bool all_equal(std::span<const int64_t> values) {
  int64_t different = 0;
  for (const int64_t value : values) different |= value ^ values.front();
  return different == 0;
}

uint8_t* bytes_of(std::vector<uint8_t, LargePages<uint8_t>>& pages, size_t page) {
  return pages.data() + page * kPage;
}

// The header of a page of a table; `content` is where its cells begin.
void put_page_header(uint8_t* page, uint8_t kind, size_t cells, size_t content) {
  std::memset(page, 0, kLeafHeader);
  page[0] = kind;
  put_big_endian(page + 3, static_cast<uint16_t>(cells));
  put_big_endian(page + 5, static_cast<uint16_t>(content));
}

// A table of so many columns, in which every record stays as it is.
std::string table_of(const std::string& name, size_t columns) {
  std::string text = "CREATE TABLE " + name + " (";
  for (size_t c = 0; c < columns; ++c) text += (c == 0 ? "c" : ", c") + std::to_string(c);
  return text + ")";
}

Result<std::string> empty_database(size_t columns) {
  TRY(const Database db, Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  TRY_VOID(db.execute("PRAGMA page_size = " + std::to_string(kPage) + "; PRAGMA auto_vacuum = 0"));
  TRY_VOID(db.execute(table_of("rows", columns)));
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(
      sqlite3_serialize(db.handle(), "main", &size, 0), &sqlite3_free);
  if (bytes == nullptr || size != 2 * kPage) return io_error("database: the table cannot be copied");
  return std::string(reinterpret_cast<const char*>(bytes.get()), static_cast<size_t>(size));
}

// A second name that a table of main has for one connection: its rows, without the rule that the first column
// is their id (an "imposter table", https://www.sqlite.org/imposter.html). The file does not learn of it.
class SecondName {
 public:
  static constexpr const char* kName = "sqlite_rows";  // no table of a user's can be called so
  explicit SecondName(const Database& db) : db_(db) {}
  SecondName(const SecondName&) = delete;
  SecondName& operator=(const SecondName&) = delete;
  ~SecondName() { sqlite3_test_control(SQLITE_TESTCTRL_IMPOSTER, db_.handle(), "main", 0, 1); }
  Result<void> give(int64_t root, size_t columns) const {
    sqlite3_test_control(SQLITE_TESTCTRL_IMPOSTER, db_.handle(), "main", 1, static_cast<int>(root));
    Result<void> outcome = db_.execute(table_of(kName, columns));
    sqlite3_test_control(SQLITE_TESTCTRL_IMPOSTER, db_.handle(), "main", 0, 0);
    return outcome;
  }

 private:
  const Database& db_;
};

}  // namespace

Result<RowPages> RowPages::of(const Database& db, const std::string& table) {
  TRY(Statement definition,
      db.prepare("SELECT count(*), min(CASE WHEN cid = 0 THEN pk = 1 AND type = 'INTEGER' ELSE pk = 0 END)"
                 " FROM pragma_table_info(?, 'main')"));
  definition.bind_all(table);
  TRY(const bool found, definition.step());
  const int64_t columns = definition.integer(0);
  if (!found || columns < 2 || columns > static_cast<int64_t>(kMostColumns) || definition.integer(1) != 1)
    return io_error("database: no table " + table + " as it should be", db.path());
  definition.reset();
  TRY(std::string empty, empty_database(static_cast<size_t>(columns)));
  TRY_VOID(db.execute("ATTACH ':memory:' AS made"));
  RowPages pages(db);
  pages.table_ = table;
  pages.empty_ = std::move(empty);
  pages.columns_ = static_cast<size_t>(columns);
  pages.begin_pages();
  return pages;
}

void RowPages::Detach::operator()(const Database* db) const {
  sqlite3_exec(db->handle(), "DETACH made", nullptr, nullptr, nullptr);
}

// Pages 1 and 2: the schema and the table's root.
void RowPages::begin_pages() {
  pages_.memory.resize(std::max(pages_.memory.size(), empty_.size()));
  std::memcpy(pages_.memory.data(), empty_.data(), empty_.size());
  pages_.count = 2;
}

void RowPages::begin_page() {
  CHECK(last_.size() < kMostPages);
  ++pages_.count;
  if (pages_.memory.size() < pages_.count * kPage) pages_.memory.resize(2 * pages_.count * kPage);
  cell_ = kFirstCell;
}

// A column that the rows do not have all alike, or that takes bytes.
struct RowPages::Part {
  RowColumn column;
  size_t kind = 0;  // where its kind stands in the record
  bool alike = false;
  StoredNumber stored;  // of the first row
};

// Writes what records begin with: the size of that, the kind of none for the id, which stands beside the
// record, and the kinds of what the rows have alike.
std::vector<RowPages::Part> RowPages::begin_records(size_t rows, std::span<const RowColumn> columns) {
  CHECK(columns.size() + 1 == columns_, columns.size(), columns_);
  kinds_[0] = static_cast<uint8_t>(columns_ + 1);
  kinds_[1] = 0;
  std::vector<Part> parts;
  for (size_t c = 0; c < columns.size(); ++c) {
    const std::span<const int64_t> values = columns[c].values.first(rows);
    const Part part{columns[c], 2 + c, all_equal(values), stored_number(values.front(), columns[c].kind)};
    kinds_[part.kind] = part.stored.kind;
    if (!part.alike || part.stored.size > 0) parts.push_back(part);
  }
  return parts;
}

void RowPages::add(int64_t first_id, size_t rows, std::span<const RowColumn> columns) {
  if (rows == 0) return;
  CHECK(first_id > last_id_, first_id, last_id_);
  if (rows_ == 0) first_id_ = first_id;
  gaps_ = gaps_ || first_id != first_id_ + rows_;
  const std::vector<Part> parts = begin_records(rows, columns);
  const size_t most = 2 + 9 + columns_ + 1 + parts.size() * sizeof(uint64_t) + kChunk;  // bytes of a cell
  for (size_t i = 0; i < rows; ++i) {
    if (cells_ > 0 && (cells_ == kPageCells || cell_ + most > kPage)) end_page();
    if (cells_ == 0) begin_page();
    last_id_ = first_id + static_cast<int64_t>(i);
    add_cell(parts, i);
  }
  rows_ += static_cast<int64_t>(rows);
}

// Cells follow each other upwards: a record is written where it stays, and its size into two bytes before it.
// What is written too far the next one writes over.
void RowPages::add_cell(std::span<const Part> parts, size_t row) {
  uint8_t* page = bytes_of(pages_.memory, last_.size() + 2);
  uint8_t* cell = page + cell_;
  uint8_t* record = cell + 2;
  record += put_varint(record, last_id_);
  for (size_t at = 0; at < columns_ + 1; at += kChunk) std::memcpy(record + at, kinds_.data() + at, kChunk);
  uint8_t* to = record + columns_ + 1;
  for (const Part& part : parts) {
    StoredNumber stored = part.stored;
    if (!part.alike) {
      stored = stored_number(part.column.values[row], part.column.kind);
      record[part.kind] = stored.kind;
    }
    std::memcpy(to, &stored.bytes, sizeof(stored.bytes));
    to += stored.size;
  }
  const auto size = static_cast<size_t>(to - record);
  cell[0] = static_cast<uint8_t>(0x80 | size >> 7);
  cell[1] = static_cast<uint8_t>(size & 0x7f);
  put_big_endian(page + kLeafHeader + 2 * cells_++, static_cast<uint16_t>(cell_));
  cell_ += static_cast<size_t>(to - cell);
}

// What is left behind the cells is free, which a page says of four bytes or more in these, of less in its
// header.
void RowPages::end_page() {
  uint8_t* page = bytes_of(pages_.memory, last_.size() + 2);
  put_page_header(page, kLeaf, cells_, kFirstCell);
  const size_t left = kPage - cell_;
  if (left < 4) page[7] = static_cast<uint8_t>(left);
  if (left >= 4) {
    put_big_endian(page + 1, static_cast<uint16_t>(cell_));
    put_big_endian(page + cell_, static_cast<uint16_t>(0));
    put_big_endian(page + cell_ + 2, static_cast<uint16_t>(left));
  }
  last_.push_back(last_id_);
  cells_ = 0;
}

// Page 2 names each page of rows and the largest id there; the last one's is open.
void RowPages::write_root() {
  uint8_t* root = bytes_of(pages_.memory, 1);
  size_t content = kPage;
  for (size_t i = 0; i + 1 < last_.size(); ++i) {
    std::array<uint8_t, 13> cell;
    put_big_endian(cell.data(), static_cast<uint32_t>(i + 3));
    const size_t size = 4 + put_varint(cell.data() + 4, last_[i]);
    content -= size;
    std::memcpy(root + content, cell.data(), size);
    put_big_endian(root + kInteriorHeader + 2 * i, static_cast<uint16_t>(content));
  }
  put_page_header(root, kInterior, last_.size() - 1, content);
  put_big_endian(root + 8, static_cast<uint32_t>(last_.size() + 2));
}

Result<void> RowPages::show() {
  if (cells_ > 0) end_page();
  if (last_.size() == 1) {  // the page of rows is the root
    std::memcpy(bytes_of(pages_.memory, 1), bytes_of(pages_.memory, 2), kPage);
    pages_.count = 2;
  }
  if (last_.size() > 1) write_root();
  put_big_endian(bytes_of(pages_.memory, 0) + 28, static_cast<uint32_t>(pages_.count));
  std::swap(shown_, pages_);
  const auto size = static_cast<sqlite3_int64>(shown_.count) * static_cast<sqlite3_int64>(kPage);
  if (sqlite3_deserialize(db_->handle(), "made", shown_.memory.data(), size, size, 0) != SQLITE_OK)
    return db_->error();
  begin_pages();
  last_.clear();
  shown_first_ = first_id_;
  shown_rows_ = std::exchange(rows_, 0);
  shown_gaps_ = std::exchange(gaps_, false);
  return {};
}

// Rows that follow the last one of a table without an index are copied record by record and numbered on: the
// way to a row's place is never searched, which takes two thirds of the time otherwise.
Result<bool> RowPages::can_be_copied(int64_t& root) const {
  if (shown_gaps_ || sqlite3_compileoption_used("UNTESTABLE") != 0) return false;
  TRY(Statement table,
      db_->prepare("SELECT s.rootpage, (SELECT count(*) FROM pragma_index_list(s.name, 'main'))"
                   " FROM main.sqlite_schema s WHERE s.type = 'table' AND s.name = ?"));
  table.bind_all(table_);
  TRY(const bool found, table.step());
  root = table.integer(0);
  if (!found || table.integer(1) != 0 || root < 2) return false;
  const Result<int64_t> last = db_->integer("SELECT max(rowid) FROM main." + table_);  // fails without any
  return last.ok() && *last + 1 == shown_first_;
}

Result<void> RowPages::copy_records(int64_t root) const {
  const SecondName name(*db_);
  TRY_VOID(name.give(root, columns_));
  return db_->execute(std::string("INSERT INTO main.") + SecondName::kName + " SELECT * FROM made.rows");
}

Result<void> RowPages::append() const {
  if (shown_rows_ == 0) return {};
  int64_t root = 0;
  TRY(const bool copied, can_be_copied(root));
  if (copied) return copy_records(root);
  std::string columns = "rowid";
  for (size_t c = 1; c < columns_; ++c) columns += ", c" + std::to_string(c);
  return db_->execute("INSERT INTO main." + table_ + " SELECT " + columns + " FROM made.rows");
}

}  // namespace shardscope
