// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_listing.h"

#include <fmt/format.h>

#include "engine/trace/recorder.h"
#include "engine/trace/run_columns.h"
#include "engine/trace/run_json.h"
#include "engine/trace/workspace_file.h"

namespace shardscope::inline trace {
namespace {

const std::string kHidden = "hidden ";
constexpr const char* kIsHidden = " status LIKE 'hidden %' ";

// Of the run's price and module what a table shows, and its links; empty texts: it has none.
Result<void> read_words(const Statement& row, int first, const std::string& path, RunSummary& out) {
  const std::string legs = row.text(first), module = row.text(first + 1);
  // A list does not fail for a chip that a damaged file garbles: reading that run will say so.
  if (const auto chip = parse_hardware(row.text(first + 2), out.hardware); chip.ok())
    out.link = link_words(*chip);
  try {
    if (!legs.empty()) out.price_words = price_of(nlohmann::json::parse(legs)).words();
    if (!module.empty()) out.signature = module_of(nlohmann::json::parse(module)).signature;
  } catch (const nlohmann::json::exception& error) {
    return io_error("database: run " + std::to_string(out.id) + " is damaged: " + error.what(), path);
  }
  return {};
}

Result<RunSummary> read_summary(const Statement& row, const std::string& path) {
  const auto optional = [&](int c) { return row.is_null(c) ? std::nullopt : std::optional(row.real(c)); };
  RunSummary r;
  r.id = row.integer(0);
  int c = 1;
  for (std::string* text : {&r.created, &r.title, &r.strategy, &r.label, &r.mesh, &r.hardware, &r.status})
    *text = row.text(c++);
  for (int64_t* size : {&r.m, &r.k, &r.n}) *size = row.integer(c++);
  r.dtype = row.text(11);
  r.bound = row.text(12);
  r.hbm_bytes = optional(13);
  TRY(r.kind, named(row.text(14), StrategyKind::broken));
  r.total = row.integer(15);
  r.devices = row.integer32(16);
  r.given = {row.text(17), read_tags(row.text(18)), row.text(19), row.text(20)};
  c = 21;
  for (std::string* text : {&r.group, &r.inputs, &r.outputs}) *text = row.text(c++);
  if (!row.is_null(24)) r.price = row.integer(24);
  TRY_VOID(read_words(row, 25, path, r));
  r.events = row.integer(28);
  c = 29;
  for (const Metric& m : run_metrics())
    if (m.kept()) r.numbers[m.id] = optional(c++);
  return r;
}

// As a query of run r and numerics q asks for it: of what was not compared there is none.
std::string column_in_sql(const Metric& m) {
  return m.kept_in_run() ? fmt::format("r.{}", m.column)
                         : fmt::format("CASE WHEN q.checked THEN q.{} END", m.column);
}

}  // namespace

Result<std::vector<RunSummary>> list_runs(const Database& db) {
  std::string numbers;
  for (const Metric& m : run_metrics())
    if (m.kept()) numbers += ", " + column_in_sql(m);
  TRY(Statement row,
      db.prepare("SELECT r.id, r.created, r.title, r.strategy, r.label, r.mesh, r.hardware, r.status,"
                 " r.m, r.k, r.n, r.dtype, r.bound, r.hbm_bytes, r.kind,"
                 " r.total, r.devices, r.name, r.tags, r.note, r.origin, r.rivals, r.inputs, r.outputs,"
                 " r.price, r.price_legs, r.module, r.hardware_toml, r.events_kept" +
                 numbers +
                 " FROM run r LEFT JOIN numerics q ON q.run = r.id"
                 " WHERE r.status <> 'recording' AND NOT r." +
                 std::string(kIsHidden).substr(1) + " ORDER BY r.id"));
  std::vector<RunSummary> runs;
  while (true) {
    TRY(const bool more, row.step());
    if (!more) return runs;
    TRY(RunSummary next, read_summary(row, db.path()));
    runs.push_back(std::move(next));
  }
}

Result<void> set_label(const Database& db, int64_t id, const RunLabel& label) {
  return db.run("UPDATE run SET name = ?, tags = ?, note = ?, origin = ? WHERE id = ?", label.name,
                tag_text(label.tags), label.note, label.origin, id);
}

std::string status_of(const std::string& stored) {
  return stored.starts_with(kHidden) ? stored.substr(kHidden.size()) : stored;
}

Result<void> hide_run(const Database& db, int64_t id) {
  return db.run(std::string("UPDATE run SET status = 'hidden ' || status, writer = ? WHERE id = ?"
                            " AND status <> 'recording' AND NOT") +
                    kIsHidden,
                this_writer(), id);
}

Result<void> show_run(const Database& db, int64_t id) {
  return db.run(
      std::string("UPDATE run SET status = substr(status, 8), writer = NULL WHERE id = ? AND") + kIsHidden,
      id);
}

Result<void> forget_hidden(const Database& db) {
  return db.run(std::string("UPDATE run SET writer = '' WHERE writer = ? AND") + kIsHidden, this_writer());
}

Result<void> show_left(const Database& db) {
  std::vector<int64_t> left;
  {
    TRY(Statement query, db.prepare(std::string("SELECT id, writer FROM run WHERE") + kIsHidden));
    while (true) {
      TRY(const bool more, query.step());
      if (!more) break;
      const std::string writer = query.text(1);
      if (!writer.empty() && !writer_is_alive(writer)) left.push_back(query.integer(0));
    }
  }
  for (const int64_t id : left) TRY_VOID(show_run(db, id));
  return {};
}

Result<void> remove_forgotten(const Database& db) {
  std::vector<int64_t> gone;
  {
    TRY(Statement query, db.prepare(std::string("SELECT id FROM run WHERE writer = '' AND") + kIsHidden));
    while (true) {
      TRY(const bool more, query.step());
      if (!more) break;
      gone.push_back(query.integer(0));
    }
  }
  for (const int64_t id : gone) TRY_VOID(remove_run(db, id));
  return {};
}

}  // namespace shardscope::inline trace
