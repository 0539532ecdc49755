// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/format.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/measure/import/event_words.h"

namespace shardscope::inline measure {
namespace {

// The columns of measured.csv that a point cannot do without.
bool is_points_header(std::string_view line) {
  const std::vector<std::string> cells = split(trim(line), ',');
  const auto has = [&](const char* name) { return std::ranges::find(cells, name) != cells.end(); };
  return has("op") && has("measured_us");
}

// XSpace begins with a plane (field 1), or with what went wrong (2, 3) or its hosts (4): all of a length.
bool is_wire_format(std::string_view head) {
  return head.size() > 1 && (head[0] == 0x0a || head[0] == 0x12 || head[0] == 0x1a || head[0] == 0x22) &&
         std::ranges::any_of(head, [](char c) { return static_cast<unsigned char>(c) < 9; });
}

// An object, or a list of objects: mpirun writes "[1,3]<stdout>:" before lines.
bool is_json(std::string_view text) {
  if (text.front() == '{') return true;
  if (text.front() != '[') return false;
  const std::string_view first = trim(text.substr(1));
  return first.empty() || first.front() == '{' || first.front() == ']';
}

// nccl-tests say which NCCL they ran in front of all that is long, as PyTorch's traces do.
bool is_nccl_json(std::string_view text) {
  if (holds(text, "\"traceEvents\"") || holds(text, "\"schemaVersion\"")) return false;
  return holds(text, "\"bus_bw\"") || (holds(text, "\"args\"") && holds(text, "\"nccl_version\""));
}

}  // namespace

Result<ProfileFormat> format_of_bytes(std::string_view head, const std::string& path) {
  if (head.starts_with(std::string_view("SQLite format 3\0", 16))) return ProfileFormat::nsys;
  if (is_wire_format(head)) return ProfileFormat::xplane;
  std::string_view text = head.starts_with("\xEF\xBB\xBF") ? head.substr(3) : head;
  text = trim(text);
  if (text.empty()) return invalid("the file is empty", path);
  if (is_json(text)) return is_nccl_json(text) ? ProfileFormat::nccl_json : ProfileFormat::json;
  if (is_points_header(text.substr(0, text.find('\n')))) return ProfileFormat::csv;
  if (holds(text, "busbw") || (holds(text, "nThread") && holds(text, "nGpus")) || holds(text, "nccl-tests"))
    return ProfileFormat::nccl_tests;
  return invalid(
      "not a profile that Shardscope reads", path,
      "give xplane.pb or trace.json.gz of JAX, a PyTorch trace, an Nsight Systems .sqlite export, the "
      "output of nccl-tests, or a CSV of points with the columns op and measured_us");
}

Result<ProfileFormat> format_of(const std::string& path, const ReadingContext& context) {
  TRY(const auto source, ByteSource::open(path, {context.stop, {}}));
  std::string head;
  while (head.size() < size_t{1} << 16) {
    TRY(const std::string_view piece, source->next());
    if (piece.empty()) break;
    head += piece;
  }
  TRY(const ProfileFormat format, format_of_bytes(head, path));
  if (format == ProfileFormat::nsys && source->zipped())
    return invalid("the SQLite file is gzipped", path, "unzip it first");
  return format;
}

}  // namespace shardscope::inline measure
