// SPDX-License-Identifier: Apache-2.0
#include "engine/base/read_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/units.h"

namespace shardscope {
namespace {

Error too_long(const std::string& path, int64_t max_bytes) {
  return io_error(fmt::format("'{}' is longer than {}", path, format_bytes(static_cast<double>(max_bytes))));
}

Error cannot(const char* what, const std::string& path) {
  return io_error(fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno)));
}

// Its size, of a file that can be read to its end.
Result<int64_t> size_of(const struct stat& found, const std::string& path) {
  if (S_ISREG(found.st_mode)) return static_cast<int64_t>(found.st_size);
  const char* kind = S_ISDIR(found.st_mode) ? "a folder" : S_ISFIFO(found.st_mode) ? "a pipe" : "a device";
  return io_error(fmt::format("cannot read '{}': it is {}", path, kind), "",
                  S_ISDIR(found.st_mode) ? "" : "save it to a file first");
}

}  // namespace

Result<FileToRead> open_to_read(const std::string& path) {
  // Of a pipe that nobody writes to open() would wait.
  const int handle = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (handle < 0) return cannot("open", path);
  FileToRead out{FileHandle(fdopen(handle, "rb")), 0};
  if (!out.file) {
    close(handle);
    return cannot("open", path);
  }
  struct stat found {};
  if (fstat(handle, &found) != 0) return cannot("read", path);
  TRY(out.bytes, size_of(found, path));
  return out;
}

Result<int64_t> bytes_of_file(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return cannot("open", path);
  return size_of(found, path);
}

Result<std::string> read_file(const std::string& path, int64_t max_bytes) {
  TRY(const FileToRead opened, open_to_read(path));
  if (opened.bytes > max_bytes) return too_long(path, max_bytes);
  std::string text;
  text.reserve(static_cast<size_t>(opened.bytes));
  std::array<char, 65536> buffer;
  // To its end, which may have moved; files of the system say that they hold nothing.
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), opened.file.get())) {
    text.append(buffer.data(), got);
    if (static_cast<int64_t>(text.size()) > max_bytes) return too_long(path, max_bytes);
  }
  if (std::ferror(opened.file.get()) != 0) return cannot("read", path);
  return text;
}

}  // namespace shardscope
