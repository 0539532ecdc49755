// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/row_pages.h"

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace shardscope::row_pages_test {
namespace {

constexpr const char* kTable =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, whole INTEGER, real REAL NOT NULL, maybe INTEGER) STRICT";

Database new_database() {
  Database db = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).value();
  EXPECT_TRUE(db.execute(kTable).ok());
  return db;
}

std::string text_of(const Database& db, const std::string& sql) {
  Statement query = db.prepare(sql).value();
  return query.step().value() ? query.text(0) : "no rows";
}

void add_row(RowPages& pages, int64_t id, int64_t whole, double real, bool is_null) {
  const int64_t bits = std::bit_cast<int64_t>(real), maybe = is_null ? -1 : id;
  const std::array<RowColumn, 3> columns = {
      RowColumn{{&whole, 1}}, {{&bits, 1}, RowColumn::Kind::real}, {{&maybe, 1}, RowColumn::Kind::optional}};
  pages.add(id, 1, columns);
}

void append(const Database& db, const RowPages& pages) {
  ASSERT_TRUE(db.execute("BEGIN IMMEDIATE").ok());
  const auto outcome = pages.append();
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  ASSERT_TRUE(db.execute("COMMIT").ok());
}

// Numbers on either side of each width in which a record keeps them.
std::vector<int64_t> edges() {
  std::vector<int64_t> values = {0, 1, -1, std::numeric_limits<int64_t>::max(),
                                 std::numeric_limits<int64_t>::min()};
  for (int bits = 1; bits < 63; ++bits)
    for (const int64_t nearby : {-1, 0, 1})
      for (const int64_t sign : {-1, 1}) values.push_back(sign * ((int64_t{1} << bits) + nearby));
  return values;
}

TEST(RowPages, HoldEveryNumberAsSqliteDoes) {
  const Database db = new_database();
  RowPages pages = RowPages::of(db, "t").value();
  const std::vector<int64_t> whole = edges();
  const std::vector<double> real = {0.0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.5,
                                    1e9,
                                    1e300,
                                    -5e-324,
                                    140'737'488'355'328.0,
                                    std::numeric_limits<double>::infinity()};
  for (size_t i = 0; i < whole.size(); ++i)
    add_row(pages, static_cast<int64_t>(i + 1), whole[i], real[i % real.size()], i % 2 == 0);
  EXPECT_EQ(pages.rows(), static_cast<int64_t>(whole.size()));
  ASSERT_TRUE(pages.show().ok());
  append(db, pages);
  EXPECT_EQ(text_of(db, "PRAGMA made.integrity_check"), "ok");
  EXPECT_EQ(text_of(db, "PRAGMA main.integrity_check"), "ok");
  Statement rows = db.prepare("SELECT id, whole, real, maybe FROM main.t ORDER BY id").value();
  for (size_t i = 0; i < whole.size(); ++i) {
    ASSERT_TRUE(rows.step().value());
    EXPECT_EQ(rows.integer(1), whole[i]);
    EXPECT_EQ(rows.real(2), real[i % real.size()]);
    EXPECT_EQ(std::signbit(rows.real(2)), std::signbit(real[i % real.size()]));
    EXPECT_EQ(rows.is_null(3), i % 2 == 0);
  }
  EXPECT_FALSE(rows.step().value());
}

// Ids of one to nine bytes, over many pages, shown in several pieces.
TEST(RowPages, GoOnWhereTheLastPieceEnded) {
  const Database db = new_database();
  RowPages pages = RowPages::of(db, "t").value();
  int64_t id = 1, sum = 0, count = 0;
  for (const int rows : {1, 0, 20'000, 5, 40'000}) {
    for (int r = 0; r < rows; ++r, id += 1 + id / 1800) {
      add_row(pages, id, r, 1.5 * r, r % 3 == 0);
      sum ^= id;
      ++count;
    }
    ASSERT_TRUE(pages.show().ok());
    EXPECT_EQ(text_of(db, "PRAGMA made.integrity_check"), "ok");
    EXPECT_EQ(text_of(db, "SELECT count(*) FROM made.rows"), std::to_string(rows));
    append(db, pages);
  }
  EXPECT_EQ(db.integer("SELECT count(*) FROM t").value(), count);
  Statement ids = db.prepare("SELECT id FROM main.t").value();
  while (ids.step().value()) sum ^= ids.integer(0);
  EXPECT_EQ(sum, 0);
  // Each row is found by its id.
  EXPECT_EQ(db.integer("SELECT count(*) FROM made.rows a JOIN main.t b ON b.id = a.rowid").value(), 40'000);
}

// The statements that a connection runs.
std::vector<std::string> statements_of(const Database& db, const std::function<void()>& work) {
  std::vector<std::string> statements;
  const auto note = [](unsigned, void* to, void*, void* text) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(static_cast<const char*>(text));
    return 0;
  };
  sqlite3_trace_v2(db.handle(), SQLITE_TRACE_STMT, note, &statements);
  work();
  sqlite3_trace_v2(db.handle(), 0, nullptr, nullptr);
  return statements;
}

// A hundred rows from `id` on, `step` apart; whether they were copied record by record.
bool copies(const Database& db, RowPages& pages, int64_t id, int64_t step = 1) {
  for (int r = 0; r < 100; ++r) add_row(pages, id + r * step, r, 0.25 * r, r % 2 == 0);
  EXPECT_TRUE(pages.show().ok());
  for (const std::string& sql : statements_of(db, [&] { append(db, pages); }))
    if (sql.find("SELECT * FROM made.rows") != std::string::npos) return true;
  return false;
}

// SQLite then unpacks no column and looks for no row's place, which is what makes it fast.
TEST(RowPages, AreCopiedRecordByRecordWhereTheyFollowTheLastRow) {
  const Database db = new_database();
  RowPages pages = RowPages::of(db, "t").value();
  EXPECT_TRUE(copies(db, pages, 1));
  EXPECT_TRUE(copies(db, pages, 101));
  EXPECT_FALSE(copies(db, pages, 500)) << "a gap before them";
  EXPECT_TRUE(copies(db, pages, 600));
  EXPECT_FALSE(copies(db, pages, 700, 2)) << "gaps between them";
  ASSERT_TRUE(db.execute("INSERT INTO t VALUES (10000, 1, 1, 1)").ok());
  EXPECT_FALSE(copies(db, pages, 1000)) << "somebody's row behind them";
  EXPECT_EQ(db.integer("SELECT count(*) FROM t").value(), 601);
  EXPECT_EQ(db.integer("SELECT sum(id = 1000 + whole AND real = whole * 0.25) FROM t WHERE id BETWEEN 1000"
                       " AND 1099")
                .value(),
            100);
  EXPECT_EQ(text_of(db, "PRAGMA main.integrity_check"), "ok");
}

TEST(RowPages, EnterIndexesThatATableHas) {
  const Database db = new_database();
  ASSERT_TRUE(db.execute("CREATE INDEX theirs ON t (whole)").ok());
  RowPages pages = RowPages::of(db, "t").value();
  EXPECT_FALSE(copies(db, pages, 1));
  EXPECT_EQ(db.integer("SELECT count(*) FROM t INDEXED BY theirs WHERE whole >= 0").value(), 100);
  EXPECT_EQ(text_of(db, "PRAGMA main.integrity_check"), "ok");
}

// The table's second name is this connection's, and only while rows are copied.
TEST(RowPages, LeaveTheSchemaAsItWas) {
  const Database db = new_database();
  RowPages pages = RowPages::of(db, "t").value();
  const std::string before = text_of(db, "SELECT group_concat(name || sql) FROM main.sqlite_schema");
  EXPECT_TRUE(copies(db, pages, 1));
  EXPECT_EQ(text_of(db, "SELECT group_concat(name || sql) FROM main.sqlite_schema"), before);
  EXPECT_EQ(text_of(db,
                    "SELECT group_concat(name) FROM pragma_table_list WHERE schema = 'main'"
                    " AND name <> 'sqlite_schema'"),
            "t");
}

TEST(RowPages, LeaveTheConnectionAsItWas) {
  const Database db = new_database();
  { const RowPages pages = RowPages::of(db, "t").value(); }
  EXPECT_EQ(db.integer("SELECT count(*) FROM pragma_database_list WHERE name = 'made'").value(), 0);
  EXPECT_TRUE(RowPages::of(db, "t").ok());
  EXPECT_FALSE(RowPages::of(db, "nothing").ok());
}

}  // namespace
}  // namespace shardscope::row_pages_test
