// SPDX-License-Identifier: Apache-2.0
// The one door to files (texts that the window saves in place go through QSaveFile, which does the same): a
// file is there whole, or what was there before is.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace shardscope {

// Writes beside `path` and takes its place on commit(); what is not committed leaves nothing. What is no file
// (/dev/null, a pipe that somebody reads) is written straight away. Errors (io) name the path.
class FileWriter {
 public:
  static Result<FileWriter> open(const std::string& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Result<void> write(std::string_view bytes);
  Result<void> commit();

 private:
  FileWriter(std::string path, std::string target, std::string beside, int handle);
  Error failed(int problem) const;

  std::string path_;    // as it was named
  std::string target_;  // the file behind links
  std::string beside_;  // where the bytes are until commit(); empty: straight into the target
  int handle_ = -1;
};

// For a process that ends in the middle: nothing that is being written stays beside its file.
void remove_unfinished_files();

Result<void> write_file(const std::string& path, std::string_view bytes);

// Whether a file can be written there, as far as can be seen without writing: its folder is there and may be
// written, the name is no folder's.
Result<void> check_new_file(const std::string& path);
// The same of a folder that is there or is to be made.
Result<void> check_new_folder(const std::string& path);

}  // namespace shardscope
