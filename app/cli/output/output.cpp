// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/cli/options/backend_option.h"
#include "app/cli/output/terminal.h"
#include "engine/base/escape.h"
#include "engine/base/file/write_file.h"
#include "engine/report/fit_width.h"

namespace shardscope::inline cli {
namespace {

size_t screen = 0;
bool quiet = false;
KeptOutput* innermost = nullptr;

}  // namespace

void set_screen(size_t columns) {
  screen = columns;
}

void set_quiet(bool asked) {
  quiet = asked;
}

bool is_quiet() {
  return quiet;
}

void note(std::string_view text) {
  if (!quiet) std::fputs(marked_line("note", text).c_str(), stderr);
}

KeptOutput::KeptOutput() : outer_(innermost) {
  innermost = this;
}

KeptOutput::~KeptOutput() {
  innermost = outer_;
}

bool keeps_output() {
  return innermost != nullptr;
}

void note_file(const std::string& path) {
  if (innermost != nullptr) innermost->files.push_back(path);
}

Result<void> print_text(std::string_view text) {
  const bool fits = screen > 0 && innermost == nullptr;  // what is kept is nobody's screen
  return write_output(fits ? fit_width(text, screen) : std::string(text), "");
}

bool StdoutWriter::write(std::string_view text) {
  if (!outcome_.ok()) return false;
  if (innermost != nullptr) {
    innermost->text += text;
    return true;
  }
  const std::string safe = terminal_text(text);
  if (std::fwrite(safe.data(), 1, safe.size(), stdout) == safe.size()) return true;
  if (errno != EPIPE)
    outcome_ = io_error(std::string("cannot write all of it: ") + std::strerror(errno), "stdout");
  return false;
}

Result<void> StdoutWriter::finish() {
  if (innermost != nullptr) return outcome_;
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
  TRY_VOID(write_file(path, text));
  note_file(path);
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

}  // namespace shardscope::inline cli
