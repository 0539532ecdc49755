// SPDX-License-Identifier: Apache-2.0
// The one door to files that others made: whoever reads one opens it here.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "engine/base/result.h"

namespace shardscope {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

struct FileToRead {
  FileHandle file;
  int64_t bytes = 0;  // when it was opened
};

// Opens a file of bytes that lie somewhere. Refuses (io) what cannot be opened, folders, and pipes and
// devices, which may have no end and make whoever opens them wait.
Result<FileToRead> open_to_read(const std::string& path);

// The same without opening it: its size.
Result<int64_t> bytes_of_file(const std::string& path);

// The whole content of a file of text. Refuses (io) what cannot be opened or read, and, before a byte of it
// is read, what is longer than `max_bytes`.
Result<std::string> read_file(const std::string& path, int64_t max_bytes = int64_t{64} << 20);

}  // namespace shardscope
