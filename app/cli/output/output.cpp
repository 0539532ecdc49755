// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/cli/options/backend_option.h"
#include "engine/base/escape.h"
#include "engine/base/file/write_file.h"

namespace shardscope {

bool StdoutWriter::write(std::string_view text) {
  if (!outcome_.ok()) return false;
  const std::string safe = terminal_text(text);
  if (std::fwrite(safe.data(), 1, safe.size(), stdout) == safe.size()) return true;
  if (errno != EPIPE)
    outcome_ = io_error(std::string("cannot write all of it: ") + std::strerror(errno), "stdout");
  return false;
}

Result<void> StdoutWriter::finish() {
  if (outcome_.ok() && std::fflush(stdout) != 0 && errno != EPIPE)
    return io_error(std::string("cannot write all of it: ") + std::strerror(errno), "stdout");
  return outcome_;
}

Result<void> write_output(std::string_view text, const std::string& path) {
  if (is_quiet_rank()) return {};
  if (path.empty() || path == "-") {
    StdoutWriter writer;
    writer.write(text);
    return writer.finish();
  }
  return write_file(path, text);
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
