// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace shardscope {

Result<void> write_output(std::string_view text, const std::string& path) {
  const bool to_stdout = path.empty() || path == "-";
  std::FILE* file = to_stdout ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) return io_error(std::string("cannot write: ") + std::strerror(errno), path);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int problem = errno;
  const bool closed = to_stdout || std::fclose(file) == 0;
  if (!written || !closed) {
    return io_error(std::string("cannot write all of it: ") + std::strerror(problem),
                    to_stdout ? "stdout" : path);
  }
  return {};
}

int exit_code(const Error& error) {
  switch (error.kind) {
    case ErrorKind::invalid:
    case ErrorKind::too_big:
      return kExitRequest;
    case ErrorKind::io:
      return kExitFile;
    case ErrorKind::cancelled:
      return kExitCancelled;
  }
  return kExitRequest;
}

}  // namespace shardscope
