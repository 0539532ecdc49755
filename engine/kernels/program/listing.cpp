// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program/listing.h"

#include <span>
#include <string>

#include "engine/base/embedded_file.h"
#include "engine/base/text.h"

namespace shardscope {

std::span<const EmbeddedFile> kernel_source_files();  // compiled in by CMakeLists.txt

namespace kernels {

namespace {

std::string_view stem(std::string_view path) {
  path = path.substr(path.find_last_of('/') + 1);
  return path.substr(0, path.find('.'));
}

bool opens_function(const std::string& line) {
  return line.rfind("void ", 0) == 0 && line.find("(Kernel& ") != std::string::npos;
}

}  // namespace

KernelListing listing_around(std::string_view path, int32_t line) {
  KernelListing out;
  out.first_line = 1;
  for (const EmbeddedFile& file : kernel_source_files()) {
    if (file.name != stem(path)) continue;
    const std::vector<std::string> lines = split(file.text, '\n');
    size_t first = static_cast<size_t>(line) - 1;
    if (first >= lines.size()) break;
    while (first > 0 && !opens_function(lines[first])) --first;
    size_t last = static_cast<size_t>(line) - 1;
    while (last + 1 < lines.size() && lines[last] != "}") ++last;
    for (size_t above = first; above-- > 0 && lines[above].rfind("// ", 0) == 0;) {
      const std::string sentence = lines[above].substr(3);
      out.comment = out.comment.empty() ? sentence : sentence + " " + out.comment;
    }
    out.file = std::string(file.name) + ".cpp";
    out.first_line = static_cast<int32_t>(first) + 1;
    out.lines.assign(lines.begin() + static_cast<ptrdiff_t>(first),
                     lines.begin() + static_cast<ptrdiff_t>(last) + 1);
  }
  return out;
}

}  // namespace kernels
}  // namespace shardscope
