// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/measured_record.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/base/utc_now.h"
#include "engine/trace/sql/columns.h"
#include "engine/trace/workspace_file.h"

namespace shardscope::inline trace {
namespace {

using Json = nlohmann::json;

constexpr size_t kBetweenLooks = 10'000;  // rows

// Names in a profile need not be UTF-8, JSON is.
std::string json_list(const std::vector<std::string>& texts) {
  return Json(texts).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> texts_of(const std::string& list) {
  const Json read = Json::parse(list, nullptr, false);
  std::vector<std::string> out;
  if (!read.is_array()) return out;
  for (const Json& text : read)
    if (text.is_string()) out.push_back(text.get<std::string>());
  return out;
}

Result<int64_t> insert_trace(const Database& db, const MeasuredTrace& t) {
  TRY_VOID(NewRow("measured_trace")
               .set("created", utc_now())
               .set("format", t.format)
               .set("source", t.source)
               .set("title", t.title)
               .set("devices", static_cast<int64_t>(t.devices))
               .set("event_count", static_cast<int64_t>(t.events.size()))
               .set("device_time_s", t.device_time_s)
               .set("matched_share", t.matched_share)
               .set("device_names", json_list(t.device_names))
               .set("lanes", json_list(t.lanes))
               .set("notes", json_list(t.notes))
               .insert(db));
  return db.integer("SELECT last_insert_rowid()");
}

Result<void> insert_operations(const Database& db, int64_t id, const MeasuredTrace& t) {
  TRY(Statement insert, db.prepare("INSERT INTO measured_operation VALUES "
                                   "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  for (size_t i = 0; i < t.operations.size(); ++i) {
    const MeasuredOperation& o = t.operations[i];
    insert.bind_all(id, static_cast<int64_t>(i), o.op, name(o.kind), o.opcode, o.module, o.instruction,
                    o.shapes, o.dtype, o.bytes, o.flops, o.batch, o.m, o.k, o.n,
                    static_cast<int64_t>(o.group), o.matched, o.count, o.total_s, o.mean_s, o.p50_s, o.p95_s,
                    o.wait_s);
    TRY_VOID(insert.run());
  }
  return {};
}

Result<void> insert_events(const Database& db, int64_t id, const MeasuredTrace& t,
                           const std::stop_token& stop) {
  TRY(Statement insert, db.prepare("INSERT INTO measured_event VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  for (size_t i = 0; i < t.events.size(); ++i) {
    if (i % kBetweenLooks == 0 && stop.stop_requested()) return cancelled();
    const MeasuredEvent& e = t.events[i];
    insert.bind_all(id, static_cast<int64_t>(i), e.start, e.end, e.wait, int{e.device}, int{e.lane},
                    e.operation);
    TRY_VOID(insert.run());
  }
  for (size_t i = 0; i < t.steps.size(); ++i)
    TRY_VOID(db.run("INSERT INTO measured_step VALUES (?, ?, ?, ?)", id, static_cast<int64_t>(i),
                    t.steps[i].start, t.steps[i].end));
  return {};
}

constexpr const char* kSummaryColumns =
    "id, created, format, source, title, devices, event_count, device_time_s, matched_share";

void read_summary(const Statement& row, MeasuredSummary& out) {
  const NamedRow named(row);
  out.id = named.integer("id");
  out.created = named.text("created");
  out.format = named.text("format");
  out.source = named.text("source");
  out.title = named.text("title");
  out.devices = named.integer32("devices");
  out.event_count = named.integer("event_count");
  out.device_time_s = named.real("device_time_s");
  out.matched_share = named.real("matched_share");
}

Error damaged(const Database& db, int64_t id, const char* what) {
  return io_error(fmt::format("measured trace {} is damaged: {}", id, what), db.path(),
                  "import its files again");
}

Result<void> load_operations(const Database& db, int64_t id, MeasuredTrace& out) {
  TRY(Statement row,
      db.prepare("SELECT op, kind, opcode, module, instruction, shapes, dtype, bytes, flops, batch, m,"
                 " k, n, group_size, matched, count, total_s, mean_s, p50_s, p95_s, wait_s"
                 " FROM measured_operation WHERE trace = ? ORDER BY number"));
  row.bind_all(id);
  while (true) {
    TRY(const bool more, row.step());
    if (!more) return {};
    MeasuredOperation o;
    int c = 0;
    o.op = row.text(c++);
    const auto kind = parse_measured_kind(row.text(c++));
    if (!kind) return damaged(db, id, "an operation is of no kind");
    o.kind = *kind;
    for (std::string* text : {&o.opcode, &o.module, &o.instruction, &o.shapes, &o.dtype})
      *text = row.text(c++);
    o.bytes = row.integer(c++);
    o.flops = row.real(c++);
    for (int64_t* size : {&o.batch, &o.m, &o.k, &o.n}) *size = row.integer(c++);
    o.group = row.integer32(c++);
    o.matched = row.integer(c++) != 0;
    o.count = row.integer(c++);
    for (double* time : {&o.total_s, &o.mean_s, &o.p50_s, &o.p95_s, &o.wait_s}) *time = row.real(c++);
    out.operations.push_back(std::move(o));
  }
}

// Views index by device, lane and operation, and draw from start to end.
bool fits(const MeasuredTrace& trace, int64_t device, int64_t lane, int64_t operation) {
  return device >= 0 && device < trace.devices && lane >= 0 &&
         lane < static_cast<int64_t>(trace.lanes.size()) && operation >= 0 &&
         operation < static_cast<int64_t>(trace.operations.size());
}

Result<void> load_events(const Database& db, int64_t id, MeasuredTrace& out) {
  constexpr Picoseconds kLatest = std::numeric_limits<Picoseconds>::max() / 3;
  TRY(Statement row,
      db.prepare("SELECT start, end, wait, device, lane, operation FROM measured_event WHERE trace = ?"
                 " ORDER BY number"));
  row.bind_all(id);
  while (true) {
    TRY(const bool more, row.step());
    if (!more) break;
    if (!fits(out, row.integer(3), row.integer(4), row.integer(5)))
      return damaged(db, id, "an event is of a device, a lane or an operation that is not there");
    const MeasuredEvent e{row.integer(0),
                          row.integer(1),
                          row.integer(2),
                          static_cast<int16_t>(row.integer(3)),
                          static_cast<int16_t>(row.integer(4)),
                          row.integer32(5)};
    if (e.start < -kLatest || e.end > kLatest || e.end < e.start || e.wait < 0 || e.wait > e.duration())
      return damaged(db, id, "an event's times are out of range");
    if (!out.events.empty() && e.start < out.events.back().start)
      return damaged(db, id, "events are out of order");
    out.events.push_back(e);
  }
  TRY(Statement step, db.prepare("SELECT start, end FROM measured_step WHERE trace = ? ORDER BY place"));
  step.bind_all(id);
  while (true) {
    TRY(const bool more, step.step());
    if (!more) return {};
    out.steps.push_back({step.integer(0), step.integer(1)});
  }
}

}  // namespace

Result<int64_t> record_measured(const std::string& path, const MeasuredTrace& trace,
                                const std::stop_token& stop) {
  TRY(const Database db, open_writer(path));
  TRY(Transaction transaction, Transaction::begin(db));
  TRY(const int64_t id, insert_trace(db, trace));
  TRY_VOID(insert_operations(db, id, trace));
  TRY_VOID(insert_events(db, id, trace, stop));
  TRY_VOID(transaction.commit());
  return id;
}

Result<std::vector<MeasuredSummary>> list_measured(const std::string& path) {
  TRY(const Database db, open_reader(path));
  TRY_VOID(check_schema_of(db));
  std::vector<MeasuredSummary> out;
  TRY(Statement row, db.prepare(fmt::format("SELECT {} FROM measured_trace ORDER BY id", kSummaryColumns)));
  while (true) {
    TRY(const bool more, row.step());
    if (!more) return out;
    read_summary(row, out.emplace_back());
  }
}

Result<MeasuredTrace> load_measured(const std::string& path, int64_t id) {
  TRY(const std::vector<MeasuredSummary> all, list_measured(path));
  std::vector<int64_t> ids;
  for (const MeasuredSummary& each : all) ids.push_back(each.id);
  if (std::ranges::find(ids, id) == ids.end())
    return invalid(
        fmt::format("there is no measured trace {}", id), path,
        ids.empty() ? "import one with shardscope measure import" : "there are " + join(ids, ", "));
  TRY(const Database db, open_reader(path));
  TRY(Statement row,
      db.prepare(fmt::format("SELECT {}, device_names, lanes, notes FROM measured_trace WHERE id = ?",
                             kSummaryColumns)));
  row.bind_all(id);
  TRY(const bool there, row.step());
  if (!there) return damaged(db, id, "it was removed just now");
  MeasuredTrace out;
  read_summary(row, out);
  const NamedRow named(row);
  out.device_names = texts_of(named.text("device_names"));
  out.lanes = texts_of(named.text("lanes"));
  out.notes = texts_of(named.text("notes"));
  if (out.devices != static_cast<int32_t>(out.device_names.size()))
    return damaged(db, id, "devices without names");
  TRY_VOID(load_operations(db, id, out));
  TRY_VOID(load_events(db, id, out));
  if (out.event_count != static_cast<int64_t>(out.events.size()))
    return damaged(db, id, "events are missing");
  out.unmatched = unmatched_of(out.operations);
  return out;
}

}  // namespace shardscope::inline trace
