// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/sql/log_writes.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace shardscope {
namespace {

constexpr const char* kName = "shardscope-log-writes";
constexpr size_t kRoom = 127 << 10;  // SQLite's own file system takes up to 128 KiB less one byte at once
constexpr int kFrameHeader = 24;

// A frame's header says from its fifth byte on how large the file is after the commit that it ends; 0: none.
bool ends_a_commit(const void* header) {
  uint32_t pages = 0;
  std::memcpy(&pages, static_cast<const char*>(header) + 4, sizeof(pages));
  return pages != 0;
}

// Of a log. What waits are frames that end no commit, and at most the header of one more.
class LogFile {
 public:
  explicit LogFile(sqlite3_file* file) : file_(file) {}
  sqlite3_file* file() const { return file_; }

  void begin_commit() { committing_ = true; }
  // What waits now belongs to a commit that failed.
  void end_commit() {
    committing_ = page_follows_ = false;
    size_ = 0;
  }

  // When it fails SQLite undoes the transaction whose frames they are.
  int flush() {
    if (size_ == 0) return SQLITE_OK;
    return file_->pMethods->xWrite(file_, room_.get(), static_cast<int>(std::exchange(size_, 0)), begin_);
  }

  int write(const void* bytes, int size, sqlite3_int64 at) {
    const bool waits = can_wait(bytes, size, at);
    page_follows_ = waits && !page_follows_;
    const auto more = static_cast<size_t>(size);
    if (!waits || at != end() || size_ + more > kRoom)
      if (const int code = flush(); code != SQLITE_OK) return code;
    if (!waits || more > kRoom || !has_room()) return file_->pMethods->xWrite(file_, bytes, size, at);
    if (size_ == 0) begin_ = at;
    std::memcpy(room_.get() + size_, bytes, more);
    size_ += more;
    return SQLITE_OK;
  }

 private:
  sqlite3_int64 end() const { return begin_ + static_cast<sqlite3_int64>(size_); }
  bool can_wait(const void* bytes, int size, sqlite3_int64 at) const {
    if (page_follows_) return size_ > 0 && at == end();
    return committing_ && size == kFrameHeader && !ends_a_commit(bytes);
  }
  bool has_room() {
    if (!room_) room_.reset(new (std::nothrow) char[kRoom]);
    return room_ != nullptr;
  }

  sqlite3_file* file_;
  std::unique_ptr<char[]> room_;
  sqlite3_int64 begin_ = 0;  // where what waits belongs
  size_t size_ = 0;
  bool committing_ = false;
  bool page_follows_ = false;  // a header waits whose page does not
};

// As SQLite sees it; the default file system's own object stands behind it.
struct OpenLog {
  sqlite3_file base;
  LogFile log;
};
constexpr size_t kRealAt =
    (sizeof(OpenLog) + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);

LogFile& log_of(sqlite3_file* file) {
  return reinterpret_cast<OpenLog*>(file)->log;
}

// What is asked of the file after what waits was written.
template <class Ask>
int flushed(sqlite3_file* file, const Ask& ask) {
  LogFile& log = log_of(file);
  const int code = log.flush();
  return code != SQLITE_OK ? code : ask(log.file());
}

int close_log(sqlite3_file* file) {
  LogFile& log = log_of(file);
  const int code = log.file()->pMethods->xClose(log.file());
  log.~LogFile();
  return code;
}

const sqlite3_io_methods kLogMethods = {
    1,
    close_log,
    [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
      return flushed(f, [&](sqlite3_file* real) { return real->pMethods->xRead(real, to, size, at); });
    },
    [](sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
      return log_of(f).write(from, size, at);
    },
    [](sqlite3_file* f, sqlite3_int64 size) {
      return flushed(f, [&](sqlite3_file* real) { return real->pMethods->xTruncate(real, size); });
    },
    [](sqlite3_file* f, int flags) {
      return flushed(f, [&](sqlite3_file* real) { return real->pMethods->xSync(real, flags); });
    },
    [](sqlite3_file* f, sqlite3_int64* size) {
      return flushed(f, [&](sqlite3_file* real) { return real->pMethods->xFileSize(real, size); });
    },
    [](sqlite3_file* f, int kind) { return log_of(f).file()->pMethods->xLock(log_of(f).file(), kind); },
    [](sqlite3_file* f, int kind) { return log_of(f).file()->pMethods->xUnlock(log_of(f).file(), kind); },
    [](sqlite3_file* f, int* held) {
      return log_of(f).file()->pMethods->xCheckReservedLock(log_of(f).file(), held);
    },
    [](sqlite3_file* f, int operation, void* argument) {
      return flushed(
          f, [&](sqlite3_file* real) { return real->pMethods->xFileControl(real, operation, argument); });
    },
    [](sqlite3_file* f) { return log_of(f).file()->pMethods->xSectorSize(log_of(f).file()); },
    [](sqlite3_file* f) { return log_of(f).file()->pMethods->xDeviceCharacteristics(log_of(f).file()); },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
  if ((flags & SQLITE_OPEN_WAL) == 0) return real->xOpen(real, name, file, flags, flags_out);
  auto* behind = reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + kRealAt);
  behind->pMethods = nullptr;
  file->pMethods = nullptr;
  const int code = real->xOpen(real, name, behind, flags, flags_out);
  // Also after an error there may be something to close: SQLite closes what has methods.
  if (behind->pMethods == nullptr) return code;
  new (&log_of(file)) LogFile(behind);
  file->pMethods = &kLogMethods;
  return code;
}

}  // namespace

const char* log_writes_vfs() {
  static const sqlite3_vfs* made = [] {
    static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
    vfs.szOsFile += static_cast<int>(kRealAt);
    vfs.zName = kName;
    vfs.xOpen = open_file;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? &vfs : nullptr;
  }();
  return made == nullptr ? nullptr : made->zName;
}

OneCommit::OneCommit(sqlite3* db) {
  sqlite3_file* log = nullptr;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK || log == nullptr ||
      log->pMethods != &kLogMethods)
    return;
  log_ = log;
  log_of(log_).begin_commit();
}

OneCommit::~OneCommit() {
  if (log_ != nullptr) log_of(log_).end_commit();
}

}  // namespace shardscope
