// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/trace/lost_power.h"

#include <algorithm>
#include <fstream>

namespace shardscope {
namespace {

constexpr size_t kPiece = 4096;  // what a disk writes at once

// SQLite's own file stands behind it.
struct WatchedFile {
  sqlite3_file base;
  DiskThatLosesPower* disk;
  std::string* path;
};

WatchedFile& watched(sqlite3_file* file) {
  return *reinterpret_cast<WatchedFile*>(file);
}
sqlite3_file* below(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(&watched(file) + 1);
}

int close_watched(sqlite3_file* file) {
  delete watched(file).path;
  return below(file)->pMethods->xClose(below(file));
}
int write_watched(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 place) {
  const WatchedFile& f = watched(file);
  f.disk->wrote(*f.path, std::string(static_cast<const char*>(bytes), static_cast<size_t>(size)), place);
  return below(file)->pMethods->xWrite(below(file), bytes, size, place);
}
int truncate_watched(sqlite3_file* file, sqlite3_int64 size) {
  watched(file).disk->truncated(*watched(file).path, size);
  return below(file)->pMethods->xTruncate(below(file), size);
}
int sync_watched(sqlite3_file* file, int flags) {
  const int code = below(file)->pMethods->xSync(below(file), flags);
  watched(file).disk->synced(*watched(file).path);
  return code;
}

// All others go on to SQLite's own file.
template <auto Method, class... Arguments>
auto go_on(sqlite3_file* file, Arguments... arguments) {
  return (below(file)->pMethods->*Method)(below(file), arguments...);
}

using Methods = sqlite3_io_methods;
constexpr Methods kWatched = {
    2,
    close_watched,
    go_on<&Methods::xRead, void*, int, sqlite3_int64>,
    write_watched,
    truncate_watched,
    sync_watched,
    go_on<&Methods::xFileSize, sqlite3_int64*>,
    go_on<&Methods::xLock, int>,
    go_on<&Methods::xUnlock, int>,
    go_on<&Methods::xCheckReservedLock, int*>,
    go_on<&Methods::xFileControl, int, void*>,
    go_on<&Methods::xSectorSize>,
    go_on<&Methods::xDeviceCharacteristics>,
    go_on<&Methods::xShmMap, int, int, int, void volatile**>,
    go_on<&Methods::xShmLock, int, int, int>,
    go_on<&Methods::xShmBarrier>,
    go_on<&Methods::xShmUnmap, int>,
    nullptr,
    nullptr,
};

DiskThatLosesPower& disk_of(sqlite3_vfs* vfs) {
  return *static_cast<DiskThatLosesPower*>(vfs->pAppData);
}

int open_watched(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  DiskThatLosesPower& disk = disk_of(vfs);
  file->pMethods = nullptr;
  const int code = disk.below().xOpen(&disk.below(), name, below(file), flags, flags_out);
  if (below(file)->pMethods == nullptr) return code;
  watched(file).disk = &disk;
  watched(file).path = new std::string(name == nullptr ? "" : name);
  file->pMethods = &kWatched;
  return code;
}
int delete_watched(sqlite3_vfs* vfs, const char* name, int sync) {
  DiskThatLosesPower& disk = disk_of(vfs);
  const int code = disk.below().xDelete(&disk.below(), name, sync);
  disk.removed(name);
  return code;
}

}  // namespace

DiskThatLosesPower::DiskThatLosesPower() : below_(sqlite3_vfs_find(nullptr)), own_(*below_) {
  own_.zName = "disk-that-loses-power";
  own_.szOsFile = static_cast<int>(sizeof(WatchedFile)) + below_->szOsFile;
  own_.pAppData = this;
  own_.xOpen = open_watched;
  own_.xDelete = delete_watched;
  sqlite3_vfs_register(&own_, 1);
}

DiskThatLosesPower::~DiskThatLosesPower() {
  sqlite3_vfs_unregister(&own_);
  sqlite3_vfs_register(below_, 1);
}

void DiskThatLosesPower::wrote(const std::string& path, std::string bytes, int64_t place) {
  const std::lock_guard lock(mutex_);
  if (before_write) before_write(writes_);
  ++writes_;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.size(), begin + kPiece - (static_cast<size_t>(place) + begin) % kPiece);
    files_[path].since.emplace_back(place + static_cast<int64_t>(begin), bytes.substr(begin, end - begin));
    begin = end;
  }
}

namespace {

void put(std::string& file, int64_t place, const std::string& bytes) {
  const auto at = static_cast<size_t>(place);
  file.resize(std::max(file.size(), at + bytes.size()));
  bytes.copy(file.data() + at, bytes.size());
}

}  // namespace

// File systems keep sizes as they keep names: at once, here.
void DiskThatLosesPower::truncated(const std::string& path, int64_t size) {
  synced(path);
  const std::lock_guard lock(mutex_);
  std::string& safe = files_[path].safe;
  safe.resize(std::min(safe.size(), static_cast<size_t>(size)));
}

void DiskThatLosesPower::synced(const std::string& path) {
  const std::lock_guard lock(mutex_);
  File& file = files_[path];
  for (const auto& [place, bytes] : file.since) put(file.safe, place, bytes);
  file.since.clear();
}

void DiskThatLosesPower::removed(const std::string& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
}

void DiskThatLosesPower::leave(const std::string& path, const std::string& to, unsigned kept) {
  for (const char* part : {"", "-wal", "-journal"}) {
    const auto found = files_.find(path + part);
    if (found == files_.end()) continue;
    std::string left = found->second.safe;
    for (const auto& [place, bytes] : found->second.since)
      if (random_() % 100 < kept) put(left, place, bytes);
    std::ofstream(to + part, std::ios::binary) << left;
  }
}

}  // namespace shardscope
