// SPDX-License-Identifier: Apache-2.0
#include "engine/base/read_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>

#include "engine/base/units.h"

namespace shardscope {
namespace {

struct CloseFile {
  void operator()(FILE* file) const { std::fclose(file); }
};

}  // namespace

Result<std::string> read_file(const std::string& path, int64_t max_bytes) {
  const std::unique_ptr<FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) return io_error(fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
  std::string text;
  std::array<char, 65536> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), got);
    if (static_cast<int64_t>(text.size()) > max_bytes) {
      return io_error(
          fmt::format("'{}' is longer than {}", path, format_bytes(static_cast<double>(max_bytes))));
    }
  }
  if (std::ferror(file.get()) != 0)
    return io_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return text;
}

}  // namespace shardscope
