// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/unsynced.h"

#include <array>
#include <chrono>
#include <fstream>
#include <thread>

#include "engine/base/hash.h"

namespace shardscope::inline trace {
namespace {

constexpr size_t kWriteVersion = 18, kUserVersion = 60, kApplication = 68;  // places in a header
constexpr int kThroughLog = 2;  // write version of files with a log
constexpr int kTries = 400;
constexpr std::chrono::milliseconds kPause{25};

// Of 31 bits, and not 0.
int64_t number_of(const std::string& boot) {
  return static_cast<int64_t>(text_hash(boot) & 0x7ffffffeU) + 1;
}

sqlite3_file* file_of(const Database& db) {
  sqlite3_file* file = nullptr;
  const int code = sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return code == SQLITE_OK && file != nullptr && file->pMethods != nullptr ? file : nullptr;
}

using Header = std::array<unsigned char, 100>;

int64_t number_at(const Header& header, size_t place) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number = number << 8 | header[place + i];
  return static_cast<int32_t>(number);
}

// Past SQLite, which reads no header of a damaged file, but through its file: to open and close another one
// would give up all locks that this process has on it.
bool says_lost(sqlite3_file* file, int64_t application) {
  Header header{};
  if (file->pMethods->xRead(file, header.data(), header.size(), 0) != SQLITE_OK) return false;  // shorter
  const int64_t number = number_at(header, kUserVersion);
  const std::string boot = boot_id();
  // A log came back behind a wait for the disk.
  return is_unsynced(number) && header[kWriteVersion] != kThroughLog &&
         number_at(header, kApplication) == application && !boot.empty() && number != -number_of(boot);
}

// With the file to itself: another process may have been faster, and then it is lost no longer.
int empty_alone(sqlite3_file* file, int64_t application) {
  const sqlite3_io_methods& io = *file->pMethods;
  int code = SQLITE_OK;
  for (const int lock : {SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE})
    if (code == SQLITE_OK) code = io.xLock(file, lock);
  if (code == SQLITE_OK && says_lost(file, application)) {
    code = io.xTruncate(file, 0);
    if (code == SQLITE_OK) code = io.xSync(file, SQLITE_SYNC_NORMAL);
  }
  io.xUnlock(file, SQLITE_LOCK_NONE);
  return code;
}

Result<void> set_version(const Database& db, int64_t version) {
  return db.execute("PRAGMA user_version = " + std::to_string(version));
}

}  // namespace

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

Result<void> stop_syncing(const Database& db) {
  const std::string boot = boot_id();
  if (boot.empty()) return io_error("the kernel does not say when the machine was started", db.path());
  TRY_VOID(set_version(db, -number_of(boot)));
  return db.execute("PRAGMA synchronous = OFF");
}

Result<void> sync_again(const Database& db, int64_t version) {
  TRY_VOID(db.execute("PRAGMA synchronous = NORMAL"));
  return set_version(db, version);
}

bool lost_with_power(const Database& db, int64_t application) {
  sqlite3_file* const file = file_of(db);
  return file != nullptr && says_lost(file, application);
}

Result<void> empty_lost(const Database& db, int64_t application) {
  int code = SQLITE_BUSY;
  for (int tries = 0; code == SQLITE_BUSY && tries < kTries; ++tries) {
    if (!lost_with_power(db, application)) return {};
    if (tries > 0) std::this_thread::sleep_for(kPause);
    code = empty_alone(file_of(db), application);
  }
  if (code == SQLITE_OK) return {};
  return io_error(std::string("database: ") + sqlite3_errstr(code), db.path(),
                  "close what has the file open, or choose another");
}

}  // namespace shardscope::inline trace
