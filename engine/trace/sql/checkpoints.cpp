// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/checkpoints.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include "engine/trace/sql/unsynced.h"

namespace shardscope::inline trace {
namespace {

// In pages, 64 to a MiB in files of ours. Closing a file waits until the disk has what is not copied yet in
// the log, of which most is there already, and in the file: of 160 MiB 0.55 to 0.75 s at 250 MB/s.
constexpr int kWorthIt = 1000;  // SQLite's own measure
constexpr int kFarAhead = 10'240;
constexpr int kLongLog = 16'384;

struct CopiedLog {
  int pages = 0, copied = 0;  // of the log; -1: the file has none
  bool whole = false;
};

CopiedLog copy_log(const Database& db) {
  CopiedLog out;
  const int code =
      sqlite3_wal_checkpoint_v2(db.handle(), "main", SQLITE_CHECKPOINT_PASSIVE, &out.pages, &out.copied);
  if (code != SQLITE_OK) return {};
  out.whole = out.pages == out.copied;
  return out;
}

// What commits go through: "wal", "persist".
std::string journal_of(const Database& db) {
  auto mode = db.prepare("PRAGMA journal_mode");
  if (!mode.ok()) return "";
  const auto row = mode->step();
  return row.ok() && *row ? mode->text(0) : "";
}

// SQLite waits for the disk only where nothing was committed meanwhile.
bool sync_file(const Database& db) {
  sqlite3_file* file = nullptr;
  return sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
         file->pMethods != nullptr && file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

}  // namespace

Checkpoints::Checkpoints(const Database& writer) : writer_(writer) {
  sqlite3_wal_hook(writer_.handle(), &Checkpoints::committed, this);
}

Checkpoints::~Checkpoints() {
  if (straight_) end_straight();
  sqlite3_wal_autocheckpoint(writer_.handle(), kWorthIt);  // instead of the hook
  if (copying_.valid()) copying_.wait();
}

int Checkpoints::committed(void* self, sqlite3*, const char*, int pages) {
  auto& checkpoints = *static_cast<Checkpoints*>(self);
  if (checkpoints.straight_) checkpoints.log_is_back();
  checkpoints.copy_behind(pages);
  return SQLITE_OK;
}

// What a full disk or a reader keeps from being copied stays in the log, until the next time or the file is
// closed.
void Checkpoints::copy_behind(int pages) {
  if (copying_.valid() && copying_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) end();
  if (pages < copied_) copied_ = 0;  // the log has begun anew
  if (pages - copied_ < kWorthIt) return;
  const bool is_long = pages >= kLongLog;
  if (copying_.valid() && (is_long || pages - copied_ >= kFarAhead)) end();
  if (!copying_.valid()) begin();
  if (copying_.valid() && is_long) end();
}

bool Checkpoints::connect() {
  if (db_) return true;
  auto db = Database::open(writer_.path(), SQLITE_OPEN_READWRITE);
  if (!db.ok() || !db->integer("PRAGMA schema_version").ok())
    return false;  // it learns of the log by reading
  db_.emplace(std::move(*db));
  return true;
}

// Where the machine has nothing to give for it the writer's connection copies.
void Checkpoints::begin() {
  try {
    if (connect()) {
      copying_ = std::async(std::launch::async, [this] {
        const int copied = copy_log(*db_).copied;
        return sync_file(*db_) ? copied : 0;
      });
      return;
    }
  } catch (const std::exception&) {  // of no thread, or no memory; none goes through SQLite
  }
  copied_ = copy_log(writer_).copied;
}

void Checkpoints::go_straight(bool straight) {
  if (straight == straight_) return;
  if (straight)
    begin_straight();
  else
    end_straight();
}

// SQLite gives a log up only for who has the file alone, and says which way it is then.
void Checkpoints::begin_straight() {
  const auto version = writer_.integer("PRAGMA user_version");
  if (journal_of(writer_) != "wal" || !version.ok()) return;  // in memory
  version_ = *version;
  if (copying_.valid()) end();
  db_.reset();
  if (!writer_.execute("PRAGMA journal_mode = PERSIST").ok()) return;
  straight_ = journal_of(writer_) == "persist";
  // Where it cannot be, commits wait for the disk, and where the log is back already, they should.
  if (straight_) static_cast<void>(stop_syncing(writer_));
  if (!straight_) static_cast<void>(writer_.execute("PRAGMA synchronous = NORMAL"));
}

// False: somebody reads.
bool Checkpoints::end_straight() {
  const bool ended = sync_again(writer_, version_).ok() &&
                     writer_.execute("PRAGMA journal_mode = WAL").ok() && journal_of(writer_) == "wal";
  straight_ = !ended;
  copied_ = 0;
  return ended;
}

// Another program has opened the file to write, and has waited for the disk.
void Checkpoints::log_is_back() {
  straight_ = false;
  copied_ = 0;
  static_cast<void>(sync_again(writer_, version_));
}

bool Checkpoints::rest() {
  if (straight_ && !end_straight()) return false;
  if (copying_.valid()) end();
  const CopiedLog log = copy_log(writer_);
  copied_ = std::max(0, log.copied);
  return log.whole;
}

void Checkpoints::end() {
  copied_ = copying_.get();
}

}  // namespace shardscope::inline trace
