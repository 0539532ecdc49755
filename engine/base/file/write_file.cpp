// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file/write_file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace shardscope {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const std::string& path, int problem) {
  return io_error(
      std::string("cannot write: ") + std::strerror(problem), path,
      problem == ENOSPC || problem == EDQUOT ? "free some space on the disk" : "choose another place");
}

// A name that no other writer has, of this process or of another.
std::string name_beside(const std::string& target) {
  static std::atomic<int> writers{0};
  return target + "." + std::to_string(getpid()) + "-" + std::to_string(++writers) + ".part";
}

// What is being written, for a process that ends in the middle.
struct Unfinished {
  std::mutex mutex;
  std::set<std::string> names;
};
Unfinished& unfinished() {
  static Unfinished all;
  return all;
}
void remember(const std::string& name) {
  const std::lock_guard lock(unfinished().mutex);
  unfinished().names.insert(name);
}
void forget(const std::string& name) {
  const std::lock_guard lock(unfinished().mutex);
  unfinished().names.erase(name);
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

FileWriter::FileWriter(std::string path, std::string target, std::string beside, int handle)
    : path_(std::move(path)), target_(std::move(target)), beside_(std::move(beside)), handle_(handle) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      beside_(std::exchange(other.beside_, {})),
      handle_(std::exchange(other.handle_, -1)) {}

FileWriter::~FileWriter() {
  if (handle_ >= 0) close(handle_);
  if (beside_.empty()) return;
  unlink(beside_.c_str());
  forget(beside_);
}

Error FileWriter::failed(int problem) const {
  return cannot_write(path_, problem);
}

Result<FileWriter> FileWriter::open(const std::string& path) {
  struct stat found {};
  const bool there = stat(path.c_str(), &found) == 0;
  if (there && !S_ISREG(found.st_mode)) {
    // Of a pipe that nobody reads open() would wait.
    const int handle = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (handle < 0) return cannot_write(path, errno);
    fcntl(handle, F_SETFL, fcntl(handle, F_GETFL) & ~O_NONBLOCK);
    return FileWriter(path, path, "", handle);
  }
  if (there && access(path.c_str(), W_OK) != 0) return cannot_write(path, errno);
  std::error_code ignored;
  const fs::path resolved = there ? fs::canonical(path, ignored) : fs::path(path);
  const std::string target = resolved.empty() ? path : resolved.string();
  const std::string beside = name_beside(target);
  FileWriter out(path, target, beside, -1);  // before there is a file: it goes with the writer
  remember(beside);
  out.handle_ = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (out.handle_ < 0) return cannot_write(path, errno);
  if (there) fchmod(out.handle_, found.st_mode & 07777);
  return out;
}

Result<void> FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(handle_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return failed(errno);
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return {};
}

Result<void> FileWriter::commit() {
  // Errors of a full or a remote disk may come this late.
  if (!beside_.empty() && fsync(handle_) != 0) return failed(errno);
  if (close(std::exchange(handle_, -1)) != 0) return failed(errno);
  if (beside_.empty()) return {};
  if (rename(beside_.c_str(), target_.c_str()) != 0) return failed(errno);
  forget(beside_);
  beside_.clear();
  return {};
}

void remove_unfinished_files() {
  const std::lock_guard lock(unfinished().mutex);
  for (const std::string& name : unfinished().names) unlink(name.c_str());
}

Result<void> write_file(const std::string& path, std::string_view bytes) {
  TRY(FileWriter file, FileWriter::open(path));
  TRY_VOID(file.write(bytes));
  return file.commit();
}

Result<void> check_new_file(const std::string& path) {
  std::error_code ignored;
  const fs::file_status found = fs::status(path, ignored);
  if (fs::is_directory(found)) return io_error("cannot write: it is a folder", path, "name a file in it");
  if (fs::exists(found) && access(path.c_str(), W_OK) != 0) return cannot_write(path, errno);
  if (fs::exists(found) && !fs::is_regular_file(found)) return {};
  const std::string folder = folder_of(path);
  if (!fs::is_directory(folder, ignored))
    return io_error("cannot write: no folder " + folder, path, "make the folder first");
  if (access(folder.c_str(), W_OK | X_OK) != 0) return cannot_write(path, errno);
  return {};
}

Result<void> check_new_folder(const std::string& path) {
  std::error_code ignored;
  fs::path nearest = fs::absolute(path, ignored);
  while (!fs::exists(nearest, ignored) && nearest.has_relative_path()) nearest = nearest.parent_path();
  if (!fs::is_directory(nearest, ignored))
    return io_error("cannot write: " + nearest.string() + " is not a folder", path, "choose another place");
  if (access(nearest.c_str(), W_OK | X_OK) != 0) return cannot_write(path, errno);
  return {};
}

}  // namespace shardscope
