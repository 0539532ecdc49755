// SPDX-License-Identifier: Apache-2.0
// Nsight Systems' export to SQLite: kernels, copies and fills of CUDA by their times. It holds no shapes;
// tables are there only when something was recorded in them.
#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "engine/measure/import/event_words.h"
#include "engine/measure/import/reader.h"
#include "engine/trace/sql/foreign.h"

namespace shardscope::inline measure {
namespace {

constexpr int64_t kBetweenLooks = 10'000;  // rows

// "Kernel" and "Kernel2" are what CUTLASS calls all of its own: then the whole name says more.
std::string op_of(const std::string& short_name, const std::string& whole_name) {
  const bool says_nothing = short_name.empty() || short_name == "Kernel" || short_name == "Kernel2";
  if (says_nothing && !whole_name.empty()) return whole_name;
  return short_name.empty() ? "(kernel without a name)" : short_name;
}

const char* copy_name(int64_t kind) {
  switch (kind) {  // CUpti_ActivityMemcpyKind
    case 1:
      return "Memcpy HtoD";
    case 2:
      return "Memcpy DtoH";
    case 8:
      return "Memcpy DtoD";
    case 9:
      return "Memcpy HtoH";
    case 10:
      return "Memcpy PtoP";
    default:
      return "Memcpy";
  }
}

class NsysProfile {
 public:
  NsysProfile(const Database& db, std::string path, Importing& into)
      : db_(db), path_(std::move(path)), into_(into) {}

  Result<void> read() {
    TRY(const bool kernels, has_column(db_, "CUPTI_ACTIVITY_KIND_KERNEL", "streamId"));
    TRY(const bool copies, has_column(db_, "CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind"));
    TRY(const bool fills, has_column(db_, "CUPTI_ACTIVITY_KIND_MEMSET", "bytes"));
    if (!kernels && !copies && !fills)
      return invalid("the SQLite file holds no work of a GPU that Nsight Systems recorded", path_,
                     "record with nsys profile -t cuda and export with nsys export -t sqlite");
    if (kernels) TRY_VOID(read_kernels());
    if (copies) TRY_VOID(read_copies());
    if (fills) TRY_VOID(read_fills());
    return {};
  }

 private:
  Result<void> read_kernels() {
    TRY(const bool has_names, has_column(db_, "StringIds", "value"));
    TRY(const bool has_whole, has_column(db_, "CUPTI_ACTIVITY_KIND_KERNEL", "demangledName"));
    const std::string whole = has_names && has_whole ? "w.value" : "NULL";
    const std::string join =
        has_names ? " LEFT JOIN StringIds s ON s.id = k.shortName" +
                        std::string(has_whole ? " LEFT JOIN StringIds w ON w.id = k.demangledName" : "")
                  : "";
    return each_row(fmt::format("SELECT k.start, k.end, k.deviceId, k.streamId, {}, {} FROM"
                                " CUPTI_ACTIVITY_KIND_KERNEL k{}",
                                has_names ? "s.value" : "NULL", whole, join),
                    [](const Statement& row) {
                      const std::string short_name = row.text(4), whole_name = row.text(5);
                      ProfiledOperation out = describe_kernel(whole_name.empty() ? short_name : whole_name);
                      out.op = out.kernel = op_of(short_name, whole_name);
                      return out;
                    });
  }
  Result<void> read_copies() {
    return each_row("SELECT start, end, deviceId, streamId, bytes, copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY",
                    [](const Statement& row) { return copy_of(copy_name(row.integer(5)), row.integer(4)); });
  }
  Result<void> read_fills() {
    return each_row("SELECT start, end, deviceId, streamId, bytes FROM CUPTI_ACTIVITY_KIND_MEMSET",
                    [](const Statement& row) { return copy_of("Memset", row.integer(4)); });
  }
  static ProfiledOperation copy_of(const char* name, int64_t bytes) {
    ProfiledOperation out = describe_kernel(name);
    out.kernel = out.op;
    out.bytes = std::max<int64_t>(bytes, 0);
    return out;
  }

  // Times in nanoseconds, device and stream stand in the first four columns of each.
  template <class Describe>
  Result<void> each_row(const std::string& sql, Describe describe) {
    TRY(Statement row, db_.prepare(sql));
    for (int64_t rows = 0;; ++rows) {
      if (rows % kBetweenLooks == 0 && into_.context.stop.stop_requested()) return cancelled();
      TRY(const bool more, row.step());
      if (!more) return {};
      const auto duration = checked_add(row.integer(1), -std::max(row.integer(0), -kFarthest));
      const auto ps = duration ? checked_multiply(*duration, 1000) : std::nullopt;
      if (!ps) return invalid("a time is out of range", path_);
      TRY(const int16_t device, into_.builder.device(fmt::format("GPU {}", row.integer(2))));
      TRY(const int16_t lane, into_.builder.lane(fmt::format("stream {}", row.integer(3))));
      TRY(const int32_t operation, into_.operation(describe(row)));
      TRY_VOID(into_.builder.add({row.integer(0), 0}, *ps,
                                 {.device = device, .lane = lane, .operation = operation}));
    }
  }

  static constexpr int64_t kFarthest = std::numeric_limits<int64_t>::max();
  const Database& db_;
  std::string path_;
  Importing& into_;
};

}  // namespace

Result<void> read_nsys(const std::string& path, Importing& into) {
  into.format = "nsys";
  into.begin_file();
  TRY(const Database db, open_foreign(path));
  into.builder.note("Nsight Systems records no shapes: kinds of kernels follow from their names");
  TRY(const bool names_chip, has_column(db, "TARGET_INFO_GPU", "name"));
  if (names_chip) {
    TRY(Statement row, db.prepare("SELECT name FROM TARGET_INFO_GPU LIMIT 1"));
    TRY(const bool named, row.step());
    if (named) into.chip = row.text(0);
  }
  return NsysProfile(db, path, into).read();
}

}  // namespace shardscope::inline measure
