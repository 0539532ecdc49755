// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/measure/profile_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <zlib.h>

#include "engine/base/text.h"

namespace shardscope {

std::string ProfileFolder::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(file(name), std::ios::binary) << bytes;
  return file(name);
}

std::string gzipped(const std::string& bytes) {
  z_stream zip{};
  CHECK(deflateInit2(&zip, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&zip, bytes.size()), '\0');
  zip.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zip.avail_in = static_cast<uInt>(bytes.size());
  zip.next_out = reinterpret_cast<Bytef*>(out.data());
  zip.avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(&zip, Z_FINISH) == Z_STREAM_END);
  out.resize(zip.total_out);
  deflateEnd(&zip);
  return out;
}

std::string chrome_file(const std::vector<std::string>& events, const std::string& header) {
  return "{" + header + "\"traceEvents\":[" + join(events, ",\n") + "]}";
}

Result<MeasuredTrace> import_text(const std::string& bytes, const ImportOptions& options) {
  const ProfileFolder folder;
  return import_measured({folder.write("profile", bytes)}, options);
}

const MeasuredOperation& operation_named(const MeasuredTrace& trace, const std::string& op) {
  const auto found = std::ranges::find_if(trace.operations, [&](const auto& o) { return o.op == op; });
  CHECK(found != trace.operations.end(), op);
  return *found;
}

}  // namespace shardscope
