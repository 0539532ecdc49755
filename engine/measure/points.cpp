// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "engine/base/csv_reader.h"
#include "engine/base/embedded_file.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> measured_point_files();
}  // namespace shardscope::embedded

namespace shardscope::inline measure {

namespace {

constexpr std::array kColumns = {"id", "source", "chip",  "devices", "topology",    "op",   "m",
                                 "k",  "n",      "bytes", "dtype",   "measured_us", "note", "between_us"};
constexpr std::array kOptional = {"id", "source", "note", "between_us"};
constexpr std::array kElementwise = {"softmax", "layernorm", "gelu",      "copy",
                                     "add",     "reduce",    "transpose", "h2d"};
constexpr const char* kBatched = "batched_matmul";
constexpr const char* kSliced = "sliced_matmul";
constexpr const char* kAttention = "attention";

// Sizes beyond these are slips, and their products would not fit.
constexpr double kMostExtent = 1e9, kMostBytes = 1e16, kMostDevices = 1 << 20;

struct Columns {
  std::array<int, kColumns.size()> place;  // in a row, -1: absent
};

Result<Columns> read_header(const CsvRow& header, std::string_view file) {
  Columns out;
  out.place.fill(-1);
  for (size_t c = 0; c < header.cells.size(); ++c) {
    const std::string_view name = trim(header.cells[c]);
    for (size_t k = 0; k < kColumns.size(); ++k) {
      if (name != kColumns[k]) continue;
      if (out.place[k] >= 0)
        return invalid(fmt::format("column '{}' twice", name),
                       fmt::format("{}:{}:{}", file, header.line, header.columns[c]));
      out.place[k] = static_cast<int>(c);
    }
  }
  for (size_t k = 0; k < kColumns.size(); ++k) {
    if (out.place[k] < 0 && std::ranges::find(kOptional, std::string_view(kColumns[k])) == kOptional.end())
      return invalid(fmt::format("column '{}' is missing", kColumns[k]),
                     fmt::format("{}:{}:1", file, header.line),
                     fmt::format("the first line names the columns: {}", fmt::join(kColumns, ",")));
  }
  return out;
}

// The cells of a line by the names of their columns.
class PointLine {
 public:
  PointLine(const CsvRow& row, const Columns& columns, std::string_view file)
      : row_(row), columns_(columns), file_(file) {}

  std::string text(std::string_view column) const {
    const int place = place_of(column);
    return place < 0 ? "" : std::string(trim(row_.cells[static_cast<size_t>(place)]));
  }

  Error wrong(std::string_view column, std::string what, std::string fix = "") const {
    const int place = place_of(column);
    const int at = place < 0 ? 1 : row_.columns[static_cast<size_t>(place)];
    return invalid(std::move(what), fmt::format("{}:{}:{}", file_, row_.line, at), std::move(fix));
  }

  // A whole number from 1 to `most`; 0 for an empty cell.
  Result<int64_t> count(std::string_view column, double most) const {
    const std::string cell = text(column);
    if (cell.empty()) return int64_t{0};
    const auto value = parse_int(cell);
    if (!value || *value < 1 || static_cast<double>(*value) > most)
      return wrong(column,
                   fmt::format("'{}' must be a whole number from 1 to {:g}, got '{}'", column, most, cell));
    return *value;
  }

  // Of a cell with microseconds.
  Result<double> seconds(std::string_view column) const {
    const std::string cell = text(column);
    const auto us = parse_double(cell);
    if (us && std::isfinite(*us) && *us > 0 && *us <= 1e12) return *us * 1e-6;
    return wrong(column,
                 fmt::format("'{}' must be a positive number of microseconds, got '{}'", column, cell));
  }

 private:
  int place_of(std::string_view column) const {
    const auto k = static_cast<size_t>(std::ranges::find(kColumns, column) - kColumns.begin());
    return columns_.place[k];
  }

  const CsvRow& row_;
  const Columns& columns_;
  std::string_view file_;
};

// "matmul", "matmul batch 4": how many products at once.
std::optional<int64_t> batch_of(std::string_view op) {
  if (op == "matmul") return 1;
  constexpr std::string_view prefix = "matmul batch ";
  if (!op.starts_with(prefix)) return std::nullopt;
  const auto batch = parse_int(op.substr(prefix.size()));
  return batch && *batch >= 1 && *batch <= 1'000'000 ? batch : std::nullopt;
}

// "collective-permute ring shift" is a permute; which pattern: CollectiveLoad::one_peer.
std::optional<CollectiveKind> collective_of(std::string_view op) {
  for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                    CollectiveKind::all_reduce, CollectiveKind::all_to_all})
    if (op == name(kind)) return kind;
  if (op.substr(0, op.find(' ')) == name(CollectiveKind::permute) || op == "send-recv")
    return CollectiveKind::permute;
  return std::nullopt;
}

// Of "switch 8, 2 groups of 4" the 4; without groups all devices.
Result<int64_t> read_group(const PointLine& line, const MeasuredPoint& point) {
  const size_t at = point.topology.find(" groups of ");
  if (at == std::string::npos) return point.devices;
  const std::string_view before = std::string_view(point.topology).substr(0, at);
  const std::string_view after = std::string_view(point.topology).substr(at + 11);
  const auto groups =
      parse_int(trim(before.substr(before.rfind(',') == std::string::npos ? 0 : before.rfind(',') + 1)));
  const auto size = parse_int(trim(after.substr(0, after.find(','))));
  if (!groups || !size || *groups < 1 || *size < 1 || *size > point.devices || *groups > point.devices ||
      *groups * *size != point.devices)
    return line.wrong("topology",
                      fmt::format("the groups of '{}' are not {} devices", point.topology, point.devices),
                      "write it as switch 8, 2 groups of 4");
  return *size;
}

// Of "ring of 4, mesh axis 1" the 1.
std::optional<int64_t> axis_of(std::string_view topology) {
  constexpr std::string_view kAxis = "mesh axis ";
  const size_t at = topology.find(kAxis);
  if (at == std::string_view::npos) return std::nullopt;
  const auto axis = parse_int(trim(topology.substr(at + kAxis.size())));
  return axis && *axis >= 0 ? axis : std::nullopt;
}

Result<void> read_product(const PointLine& line, MeasuredPoint& point) {
  int64_t* const extents[] = {&point.size.m, &point.size.k, &point.size.n};
  const char* const names[] = {"m", "k", "n"};
  for (size_t e = 0; e < 3; ++e) {
    TRY(*extents[e], line.count(names[e], kMostExtent));
    if (*extents[e] == 0) return line.wrong(names[e], fmt::format("a product needs '{}'", names[e]));
  }
  if (!point.dtype) return line.wrong("dtype", "a product needs 'dtype'", "bf16, f16, f32, …");
  return {};
}

// Its column `bytes` says how many.
Result<void> read_several(const PointLine& line, MeasuredPoint& point) {
  const bool attends = point.op == kAttention;
  point.kind = attends ? PointKind::attention : PointKind::product;
  const int64_t count = std::max<int64_t>(point.bytes, 1);
  (point.op == kSliced ? point.slices : point.size.batch) = count;
  point.causal = attends && point.note.find("causal") != std::string::npos;
  point.bytes = 0;
  TRY_VOID(read_product(line, point));
  if (point.size.k % point.slices == 0) return {};
  return line.wrong("bytes", fmt::format("{} slices do not divide k = {}", point.slices, point.size.k));
}

// Rows and their elements, where the columns say them.
Result<void> read_rows(const PointLine& line, MeasuredPoint& point) {
  if (point.op != "softmax") return {};
  TRY(const int64_t rows, line.count("m", kMostExtent));
  TRY(const int64_t elements, line.count("n", kMostExtent));
  if (rows > 0 && elements > 0) point.size = {1, rows, 1, elements};
  return {};
}

Result<void> read_what(const PointLine& line, MeasuredPoint& point) {
  const std::string dtype = line.text("dtype");
  if (!dtype.empty()) {
    point.dtype = parse_element_type(dtype);
    if (!point.dtype)
      return line.wrong("dtype", fmt::format("unknown dtype '{}'", dtype), "use HLO's names, as bf16");
  }
  TRY(point.bytes, line.count("bytes", kMostBytes));
  if (const auto batch = batch_of(point.op)) {
    point.kind = PointKind::product;
    point.size.batch = *batch;
    return read_product(line, point);
  }
  if (point.op == kBatched || point.op == kSliced || point.op == kAttention) return read_several(line, point);
  const auto collective = collective_of(point.op);
  const bool elementwise = std::ranges::find(kElementwise, point.op) != kElementwise.end();
  if (!collective && !elementwise) return {};
  point.kind = collective ? PointKind::collective : PointKind::elementwise;
  if (point.bytes == 0) return line.wrong("bytes", fmt::format("{} needs 'bytes'", point.op));
  if (!collective) return read_rows(line, point);
  point.collective = *collective;
  TRY(point.group, read_group(line, point));
  point.axis = axis_of(point.topology);
  if (point.group < 2) return line.wrong("devices", "a collective needs at least 2 devices");
  return {};
}

Result<MeasuredPoint> read_point(const PointLine& line) {
  MeasuredPoint point;
  point.id = line.text("id");
  point.source = line.text("source");
  point.chip = line.text("chip");
  point.topology = line.text("topology");
  point.op = line.text("op");
  point.note = line.text("note");
  point.cache_is_written = point.note.find("cold L2") != std::string::npos;
  if (point.chip.empty()) return line.wrong("chip", "a point needs 'chip'");
  if (point.op.empty()) return line.wrong("op", "a point needs 'op'");
  TRY(const int64_t devices, line.count("devices", kMostDevices));
  point.devices = std::max<int64_t>(devices, 1);
  TRY(point.measured_s, line.seconds("measured_us"));
  if (!line.text("between_us").empty()) {
    TRY(point.between_s, line.seconds("between_us"));
  }
  TRY_VOID(read_what(line, point));
  return point;
}

}  // namespace

std::string group_of(const MeasuredPoint& point) {
  switch (point.kind) {
    case PointKind::product:
      return point.slices > 1 ? "sliced matmul" : "matmul";
    case PointKind::attention:
    case PointKind::elementwise:
    case PointKind::unknown:
      return point.op;
    case PointKind::collective:
      break;
  }
  if (point.collective == CollectiveKind::permute) return name(point.collective);
  return fmt::format("{} {}", name(point.collective), point.group);
}

double size_of(const MeasuredPoint& point) {
  if (point.kind != PointKind::product && point.kind != PointKind::attention)
    return static_cast<double>(point.bytes);
  const auto& [batch, m, k, n] = point.size;
  const double pass = point.kind == PointKind::attention ? (point.causal ? 1 : 2) : 1;  // scores, then values
  return pass * 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(k) *
         static_cast<double>(n);
}

std::string what_of(const MeasuredPoint& point) {
  if (point.kind != PointKind::product && point.kind != PointKind::attention)
    return fmt::format("{}, {}", format_bytes(static_cast<double>(point.bytes)), point.topology);
  const auto& [batch, m, k, n] = point.size;
  return fmt::format("{}{}×{}×{} {}", batch == 1 ? "" : fmt::format("{} × ", batch), m, k, n,
                     point.dtype ? name(*point.dtype) : "");
}

Result<std::vector<MeasuredPoint>> parse_points(std::string_view csv, std::string_view file_name) {
  TRY(const std::vector<CsvRow> rows, parse_csv(csv, file_name));
  if (rows.empty())
    return invalid("no points: the file is empty", std::string(file_name),
                   fmt::format("its first line names the columns: {}", fmt::join(kColumns, ",")));
  TRY(const Columns columns, read_header(rows[0], file_name));
  std::vector<MeasuredPoint> points;
  for (size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].cells.size() != rows[0].cells.size())
      return invalid(fmt::format("{} cells in a line, the first line has {}", rows[r].cells.size(),
                                 rows[0].cells.size()),
                     fmt::format("{}:{}:1", file_name, rows[r].line));
    TRY(MeasuredPoint point, read_point(PointLine(rows[r], columns, file_name)));
    points.push_back(std::move(point));
  }
  if (points.empty()) return invalid("no points: the file has its first line alone", std::string(file_name));
  return points;
}

Result<std::vector<MeasuredPoint>> read_points(const std::string& path) {
  TRY(const std::string text, read_file(path));
  return parse_points(text, path);
}

const std::vector<MeasuredPoint>& published_points() {
  static const std::vector<MeasuredPoint> points = [] {
    std::vector<MeasuredPoint> out;
    for (const EmbeddedFile& file : embedded::measured_point_files()) {
      const auto points_of_file = parse_points(file.text, fmt::format("{}.csv", file.name));
      out.insert(out.end(), points_of_file->begin(), points_of_file->end());
    }
    return out;
  }();
  return points;
}

}  // namespace shardscope::inline measure
