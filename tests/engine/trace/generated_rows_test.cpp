// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/generated_rows.h"

#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <limits>

namespace shardscope::generated_rows_test {
namespace {

constexpr const char* kTable =
    "CREATE TABLE t (whole INTEGER, real REAL NOT NULL, maybe INTEGER, id INTEGER PRIMARY KEY) STRICT";

Database new_database() {
  Database db = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).value();
  EXPECT_TRUE(db.execute(kTable).ok());
  return db;
}

std::string text_of(const Database& db, const std::string& sql) {
  Statement query = db.prepare(sql).value();
  return query.step().value() ? query.text(0) : "no rows";
}

void add_row(GeneratedRows& generated, int64_t id, int64_t whole, double real, bool is_null) {
  const int64_t bits = std::bit_cast<int64_t>(real), maybe = is_null ? -1 : id;
  const std::array<RowColumn, 3> columns = {
      RowColumn{{&whole, 1}}, {{&bits, 1}, RowColumn::Kind::real}, {{&maybe, 1}, RowColumn::Kind::optional}};
  generated.add(id, 1, columns);
}

void append(const Database& db, GeneratedRows& generated) {
  generated.show();
  ASSERT_TRUE(db.execute("BEGIN IMMEDIATE").ok());
  const auto outcome = generated.append();
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

TEST(GeneratedRows, HoldEveryNumber) {
  const Database db = new_database();
  const auto generated = GeneratedRows::of(db, "t").value();
  const std::vector<int64_t> whole = edges();
  const std::vector<double> real = {
      0.0, 1, -1, 0.5, 1e9, 1e300, -5e-324, 140'737'488'355'328.0, std::numeric_limits<double>::infinity()};
  for (size_t i = 0; i < whole.size(); ++i)
    add_row(*generated, static_cast<int64_t>(i + 1), whole[i], real[i % real.size()], i % 2 == 0);
  EXPECT_EQ(generated->rows(), static_cast<int64_t>(whole.size()));
  append(db, *generated);
  EXPECT_EQ(generated->rows(), 0);
  EXPECT_EQ(text_of(db, "PRAGMA integrity_check"), "ok");
  Statement rows = db.prepare("SELECT id, whole, real, maybe FROM t ORDER BY id").value();
  for (size_t i = 0; i < whole.size(); ++i) {
    ASSERT_TRUE(rows.step().value());
    EXPECT_EQ(rows.integer(0), static_cast<int64_t>(i + 1));
    EXPECT_EQ(rows.integer(1), whole[i]);
    EXPECT_EQ(rows.real(2), real[i % real.size()]);
    EXPECT_EQ(rows.is_null(3), i % 2 == 0);
  }
  EXPECT_FALSE(rows.step().value());
}

// A value that all rows have, in one call or over several, is as any other.
TEST(GeneratedRows, HoldValuesThatAreAllAlike) {
  const Database db = new_database();
  const auto generated = GeneratedRows::of(db, "t").value();
  int64_t id = 1;
  for (const int64_t whole : edges()) {
    const std::vector<int64_t> same(2, whole), none(2, -1), real(2, std::bit_cast<int64_t>(0.1));
    const std::vector<RowColumn> columns = {
        {same}, {real, RowColumn::Kind::real}, {none, RowColumn::Kind::optional}};
    for (int i = 0; i < 3; ++i, id += 2) generated->add(id, 2, columns);
    append(db, *generated);
    const std::string answer = text_of(
        db,
        "SELECT count(*) || ' ' || count(DISTINCT whole) || ' ' || max(whole) || ' ' || min(real) || ' ' ||"
        " count(maybe) FROM (SELECT * FROM t ORDER BY id DESC LIMIT 6)");
    ASSERT_EQ(answer, "6 1 " + std::to_string(whole) + " 0.1 0");
  }
}

// In pieces of any size, with gaps between ids and without.
TEST(GeneratedRows, GoOnWhereTheLastPieceEnded) {
  const Database db = new_database();
  const auto generated = GeneratedRows::of(db, "t").value();
  int64_t id = 1, sum = 0, count = 0;
  for (const int rows : {1, 0, 20'000, 5, 40'000}) {
    for (int r = 0; r < rows; ++r, id += 1 + id / 1800) {
      add_row(*generated, id, r, 1.5 * r, r % 3 == 0);
      sum ^= id;
      ++count;
    }
    append(db, *generated);
  }
  EXPECT_EQ(db.integer("SELECT count(*) FROM t").value(), count);
  Statement ids = db.prepare("SELECT id FROM t").value();
  while (ids.step().value()) sum ^= ids.integer(0);
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(text_of(db, "PRAGMA integrity_check"), "ok");
}

// A hundred rows from `id` on, `step` apart.
void append_hundred(const Database& db, GeneratedRows& generated, int64_t id, int64_t step = 1) {
  for (int r = 0; r < 100; ++r) add_row(generated, id + r * step, r, 0.25 * r, r % 2 == 0);
  append(db, generated);
  EXPECT_EQ(db.integer("SELECT count(*) FROM t WHERE whole = (id - " + std::to_string(id) + ") / " +
                       std::to_string(step) + " AND real = whole * 0.25 AND id BETWEEN " +
                       std::to_string(id) + " AND " + std::to_string(id + 99 * step))
                .value(),
            100)
      << id;
}

TEST(GeneratedRows, HaveTheirIdsWhateverIsThereAlready) {
  const Database db = new_database();
  ASSERT_TRUE(db.execute("CREATE INDEX theirs ON t (whole)").ok());
  const auto generated = GeneratedRows::of(db, "t").value();
  append_hundred(db, *generated, 1);
  append_hundred(db, *generated, 101);
  append_hundred(db, *generated, 500);  // a gap before them
  append_hundred(db, *generated, 600);
  append_hundred(db, *generated, 700, 2);  // gaps between them
  ASSERT_TRUE(db.execute("INSERT INTO t VALUES (1, 1, 1, 10000)").ok());
  append_hundred(db, *generated, 1000);  // somebody's row behind them
  EXPECT_EQ(db.integer("SELECT count(*) FROM t INDEXED BY theirs WHERE whole >= 0").value(), 601);
  EXPECT_EQ(text_of(db, "PRAGMA integrity_check"), "ok");
}

TEST(GeneratedRows, WithAnIdThatIsThereAreRefused) {
  const Database db = new_database();
  const auto generated = GeneratedRows::of(db, "t").value();
  ASSERT_TRUE(db.execute("INSERT INTO t VALUES (1, 1, 1, 3)").ok());
  for (const int64_t id : {1, 2, 3, 4}) add_row(*generated, id, 7, 0.5, true);
  generated->show();
  {
    const Transaction transaction = Transaction::begin(db).value();
    const auto outcome = generated->append();
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().kind, ErrorKind::io);
  }
  EXPECT_EQ(db.integer("SELECT count(*) FROM t").value(), 1);
}

TEST(GeneratedRows, LeaveTheConnectionAndItsSchemaAsTheyWere) {
  const Database db = new_database();
  const std::string before = text_of(db, "SELECT group_concat(name || sql) FROM sqlite_schema");
  for (int round = 0; round < 2; ++round) {
    const auto generated = GeneratedRows::of(db, "t").value();
    append_hundred(db, *generated, 1 + 100 * round);
    EXPECT_EQ(db.integer("SELECT count(*) FROM sqlite_generated_rows").value(), 100);
  }
  EXPECT_FALSE(db.integer("SELECT count(*) FROM sqlite_generated_rows").ok());
  EXPECT_EQ(text_of(db, "SELECT group_concat(name || sql) FROM sqlite_schema"), before);
  EXPECT_FALSE(GeneratedRows::of(db, "nothing").ok());
  ASSERT_TRUE(db.execute("CREATE TABLE first (id INTEGER PRIMARY KEY, x); CREATE TABLE none (x, y)").ok());
  EXPECT_FALSE(GeneratedRows::of(db, "first").ok());
  EXPECT_FALSE(GeneratedRows::of(db, "none").ok());
}

}  // namespace
}  // namespace shardscope::generated_rows_test
