// SPDX-License-Identifier: Apache-2.0
// Pieces of pyramids and of event numbers: by columns, as arrays of before, and damaged.
#include <limits>

#include "engine/trace/blocks/bins.h"
#include "engine/trace/blocks/event_numbers.h"
#include "engine/trace/sql/database.h"
#include "engine/trace/workspace.h"
#include "tests/engine/run/made_timeline.h"
#include "tests/engine/run/trace_conformance.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::stored_pieces_test {
namespace {

// As versions until 9 stored them.
template <class Item>
std::string array_of(const std::vector<Item>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item)};
}

std::vector<StoredBin> all_of(const StoredBins& bins) {
  std::vector<StoredBin> all;
  for (size_t i = 0; i < bins.size(); ++i)
    all.push_back(
        {bins.bin(i), static_cast<int32_t>(bins.number(i)), static_cast<int32_t>(bins.permutation(i))});
  return all;
}

void expect_equal(const std::vector<StoredBin>& a, const std::vector<StoredBin>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].bin, b[i].bin) << i;
    EXPECT_EQ(a[i].number, b[i].number) << i;
    EXPECT_EQ(a[i].permutation, b[i].permutation) << i;
  }
}

std::vector<StoredBin> sample_bins() {
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  constexpr Picoseconds kLong = std::numeric_limits<Picoseconds>::max();
  return {{{0, 10, 7, 1 << 30, 0, 3}, 5, -1},
          {{12, kLong, kLong - 12, std::numeric_limits<int64_t>::max(), 3, 1}, kMost, 0},
          {{13, 13, 0, 0, 4, kMost}, 0, kMost}};
}

TEST(StoredPieces, HoldBins) {
  const std::vector<StoredBin> bins = sample_bins();
  StoredBins read;
  ASSERT_TRUE(read.read(bins_blob(bins)) && read.read(bins_blob(bins)));
  const std::string packed = bins_blob(bins), array = array_of(bins);
  ASSERT_TRUE(read.read(packed));
  expect_equal(all_of(read), bins);
  ASSERT_TRUE(read.read(array));
  expect_equal(all_of(read), bins);
  ASSERT_TRUE(read.read(packed)) << "after an array";
  expect_equal(all_of(read), bins);
}

TEST(StoredPieces, HoldNumbers) {
  const std::vector<NumberedRow> rows = {{0, 70'000}, {1, 2}, {std::numeric_limits<int32_t>::max(), 0}};
  for (const std::string& blob : {numbers_blob(rows), array_of(rows)}) {
    std::vector<NumberedRow> read(7);
    ASSERT_TRUE(read_numbers(blob, read));
    ASSERT_EQ(read.size(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(read[i].number, rows[i].number);
      EXPECT_EQ(read[i].row, rows[i].row);
    }
  }
}

// Blobs in memory that ends where they end, so that a sanitizer sees what is read behind them.
TEST(StoredPieces, ThatAreCutAreRefused) {
  const std::string bins = bins_blob(sample_bins()),
                    rows = numbers_blob(std::vector<NumberedRow>{{1, 2}, {300, 4}});
  StoredBins read_bins;
  std::vector<NumberedRow> read_rows;
  for (size_t size = 8; size < bins.size(); ++size)
    EXPECT_FALSE(
        read_bins.read(std::string_view(std::vector<char>(bins.begin(), bins.begin() + size).data(), size)))
        << size;
  for (size_t size = 8; size < rows.size(); ++size)
    EXPECT_FALSE(read_numbers(rows.substr(0, size), read_rows)) << size;
  std::string many = bins;
  many[1] = '\x01';  // of the count, which is negative
  EXPECT_FALSE(read_bins.read(many));
}

// Writes the pieces of all runs as version 9 did.
void make_older(const std::string& path) {
  const Database db = Database::open(path, SQLITE_OPEN_READWRITE).value();
  Statement pyramid = db.prepare("SELECT rowid, bins FROM pyramid").value();
  StoredBins bins;
  int64_t pieces = 0;
  for (; pyramid.step().value(); ++pieces) {
    ASSERT_TRUE(bins.read(pyramid.blob(1)));
    Statement update = db.prepare("UPDATE pyramid SET bins = ? WHERE rowid = ?").value();
    const std::string array = array_of(all_of(bins));
    update.bind_blob(0, array);
    update.bind(1, pyramid.integer(0));
    ASSERT_TRUE(update.run().ok());
  }
  Statement numbers = db.prepare("SELECT rowid, rows FROM event_number").value();
  for (; numbers.step().value(); ++pieces) {
    std::vector<NumberedRow> rows;
    ASSERT_TRUE(read_numbers(numbers.blob(1), rows));
    Statement update = db.prepare("UPDATE event_number SET rows = ? WHERE rowid = ?").value();
    const std::string array = array_of(rows);
    update.bind_blob(0, array);
    update.bind(1, numbers.integer(0));
    ASSERT_TRUE(update.run().ok());
  }
  EXPECT_GT(pieces, 10);
  ASSERT_TRUE(db.execute("ALTER TABLE numerics DROP COLUMN proof_size; ALTER TABLE numerics DROP COLUMN "
                         "proof_scale; ALTER TABLE numerics DROP COLUMN proof_reason; PRAGMA user_version = 9")
                  .ok());
}

TEST(StoredPieces, OfVersion9AreReadAsTheyAre) {
  const TemporaryFolder folder;
  auto run = sample_run("psum", "row=2,col=2");
  run->timeline = made_timeline(4, 2, 1'000, 5);
  {
    const auto workspace = Workspace::open(folder.file("a.db")).value();
    ASSERT_EQ(workspace->record(run).value(), 1);
    ASSERT_TRUE(workspace->wait().ok());
    check_trace(*workspace->trace(1).value(), run->timeline, true);
  }
  make_older(folder.file("a.db"));
  {
    const auto reading = Workspace::open(folder.file("a.db"), true).value();
    check_trace(*reading->trace(1).value(), run->timeline, true);
  }
  const auto workspace = Workspace::open(folder.file("a.db")).value();
  ASSERT_EQ(workspace->record(run).value(), 2) << "in a file with both forms";
  ASSERT_TRUE(workspace->wait().ok());
  for (const int64_t id : {1, 2}) check_trace(*workspace->trace(id).value(), run->timeline, true);
}

}  // namespace
}  // namespace shardscope::stored_pieces_test
