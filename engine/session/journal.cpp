// SPDX-License-Identifier: Apache-2.0
#include "engine/session/journal.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shardscope::inline session {
namespace {

namespace fs = std::filesystem;

const std::string kState = "window";
const std::string kEnding = ".journal";  // of nothing that a user may have put there

std::string lock_path(const std::string& path) {
  return path + ".lock";
}

int64_t bytes_of(const std::string& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(bytes);
}

// The database with what SQLite keeps beside it. The lock goes last.
void remove_files(const std::string& path) {
  std::error_code error;
  for (const char* part : {"", "-wal", "-shm", "-journal", ".lock"}) fs::remove(path + part, error);
}

// Those of the folder, the newest first: their names begin with the time. A lock without a database, of a
// window that ended before it had one, counts too.
std::vector<std::string> journals_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path& file = entry.path();
    if (file.extension() == kEnding) paths.push_back(file.string());
    const fs::path alone = fs::path(file).replace_extension();
    if (file.extension() == ".lock" && !fs::exists(alone, error)) paths.push_back(alone.string());
  }
  std::sort(paths.rbegin(), paths.rend());
  return paths;
}

}  // namespace

// Held by an open file: it ends with the process at the latest.
class Journal::Lock {
 public:
  static std::unique_ptr<Lock> take(const std::string& path) {
    const std::string file = lock_path(path);
    const int handle = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (handle < 0) return nullptr;
    auto lock = std::unique_ptr<Lock>(new Lock(handle));
    if (::flock(handle, LOCK_EX | LOCK_NB) != 0) return nullptr;
    // Whoever held it before may have removed the file: then this is the lock of nothing.
    struct stat held {
    }, named{};
    if (::fstat(handle, &held) != 0 || ::stat(file.c_str(), &named) != 0 || held.st_ino != named.st_ino)
      return nullptr;
    return lock;
  }
  ~Lock() { ::close(handle_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  explicit Lock(int handle) : handle_(handle) {}
  int handle_;
};

Journal::Journal(std::string path, std::unique_ptr<Lock> lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

Journal::~Journal() {
  workspace_.reset();
  if (discarded_) remove_files(path_);
}

Result<std::unique_ptr<Journal>> Journal::begin(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return io_error("cannot make the folder of journals: " + error.message(), folder);
  // Names that sort by time; the process and a number tell windows of one moment apart.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  for (int number = 0; number < 1000; ++number) {
    const std::string name =
        std::to_string(ms) + "-" + std::to_string(getpid()) + "-" + std::to_string(number) + kEnding;
    const std::string path = (fs::path(folder) / name).string();
    if (fs::exists(path, error)) continue;
    auto lock = Lock::take(path);
    if (lock == nullptr) {
      if (errno == EACCES || errno == EROFS || errno == ENOSPC)
        return io_error(std::string("cannot begin a journal: ") + std::strerror(errno), path);
      continue;
    }
    std::unique_ptr<Journal> journal(new Journal(path, std::move(lock)));
    auto workspace = Workspace::open(path);
    if (!workspace.ok()) {
      journal->discard();
      return workspace.error();
    }
    journal->workspace_ = *std::move(workspace);
    return journal;
  }
  return io_error("cannot begin a journal: no free name", folder);
}

Result<std::unique_ptr<Journal>> Journal::take(const std::string& path) {
  auto lock = Lock::take(path);
  if (lock == nullptr) return io_error("another window works on it", path);
  std::unique_ptr<Journal> journal(new Journal(path, std::move(lock)));
  TRY(journal->workspace_, Workspace::open(path));
  return journal;
}

std::vector<LeftJournal> Journal::left(const std::string& folder) {
  std::vector<LeftJournal> out;
  int64_t all = 0;
  for (const std::string& path : journals_in(folder)) {
    const auto lock = Lock::take(path);
    if (lock == nullptr) continue;
    auto workspace = Workspace::open(path, true);
    if (!workspace.ok()) workspace = Workspace::open(path);  // one that was lost with power becomes empty
    if (!workspace.ok()) {
      if (bytes_of(path) == 0) remove_files(path);  // begun and no more
      continue;
    }
    LeftJournal journal{path, "", 0, bytes_of(path) + bytes_of(path + "-wal")};
    if (const auto state = (*workspace)->kept(kState); state.ok()) journal.state = state->value_or("");
    if (const auto runs = (*workspace)->runs(); runs.ok()) journal.runs = std::ssize(*runs);
    all += journal.bytes;
    const bool empty = journal.state.empty() && journal.runs == 0;
    if (empty || std::ssize(out) >= kMostLeft || (all > kMostLeftBytes && !out.empty())) {
      remove_files(path);
    } else {
      out.push_back(std::move(journal));
    }
  }
  return out;
}

void Journal::remove(const std::string& path) {
  if (const auto lock = Lock::take(path)) remove_files(path);
}

void Journal::keep(const std::string& state) {
  static_cast<void>(workspace_->keep(kState, state));  // an error is said by the next wait()
}

Result<std::string> Journal::state() const {
  TRY(const std::optional<std::string> state, workspace_->kept(kState));
  return state.value_or("");
}

}  // namespace shardscope::inline session
