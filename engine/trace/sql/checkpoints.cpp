// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/checkpoints.h"

#include <system_error>
#include <utility>

namespace shardscope {
namespace {

// In pages, 64 to a MiB in files of ours. Closing a file waits for what is not copied yet: 192 MiB are less
// than a second of a disk that does nothing else.
constexpr int kWorthIt = 1000;  // SQLite's own measure
constexpr int kFarAhead = 12'288;
constexpr int kLongLog = 16'384;

int copy_log(const Database& db) {
  int in_log = 0, copied = 0;
  const int code =
      sqlite3_wal_checkpoint_v2(db.handle(), "main", SQLITE_CHECKPOINT_PASSIVE, &in_log, &copied);
  return code == SQLITE_OK ? copied : 0;
}

}  // namespace

Checkpoints::Checkpoints(const Database& writer) : writer_(writer) {
  sqlite3_wal_hook(writer_.handle(), &Checkpoints::committed, this);
}

Checkpoints::~Checkpoints() {
  sqlite3_wal_autocheckpoint(writer_.handle(), kWorthIt);  // instead of the hook
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

int Checkpoints::committed(void* self, sqlite3*, const char*, int pages) {
  static_cast<Checkpoints*>(self)->copy_behind(pages);
  return SQLITE_OK;
}

void Checkpoints::copy_behind(int pages) {
  std::unique_lock lock(mutex_);
  if (pages < copied_) copied_ = 0;  // the log has begun anew
  if (pages - copied_ < kWorthIt) return;
  if (!start()) {
    copied_ = copy_log(writer_);
    return;
  }
  wanted_ = true;
  wake_.notify_all();
  done_.wait(lock, [&] {
    const bool done = !wanted_ && !copying_;
    return done || (pages < kLongLog && pages - copied_ < kFarAhead);
  });
}

// With the mutex. False: the machine has no thread or no connection to give.
bool Checkpoints::start() {
  if (thread_.joinable()) return true;
  auto db = Database::open(writer_.path(), SQLITE_OPEN_READWRITE);
  if (!db.ok() || !db->integer("PRAGMA schema_version").ok())
    return false;  // it learns of the log by reading
  db_.emplace(std::move(*db));
  try {
    thread_ = std::thread([this] { loop(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

// What a full disk keeps from being copied stays in the log, until the next time or the file is closed.
void Checkpoints::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return wanted_ || stopping_; });
    if (stopping_) return;
    copying_ = true;
    wanted_ = false;
    lock.unlock();
    const int copied = copy_log(*db_);
    lock.lock();
    copied_ = copied;
    copying_ = false;
    done_.notify_all();
  }
}

}  // namespace shardscope
