// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_listing.h"

#include "engine/trace/recorder.h"
#include "engine/trace/run_columns.h"
#include "engine/trace/run_json.h"
#include "engine/trace/workspace_file.h"

namespace shardscope {
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
  r.numerics_checked = row.integer(13) != 0;
  r.allclose = row.integer(14) != 0;
  r.hbm_bytes = optional(15);
  TRY(r.kind, named(row.text(16), StrategyKind::broken));
  r.total = row.integer(17);
  r.devices = row.integer32(18);
  r.given = {row.text(19), read_tags(row.text(20)), row.text(21), row.text(22)};
  c = 23;
  for (std::string* text : {&r.group, &r.inputs, &r.outputs}) *text = row.text(c++);
  if (!row.is_null(26)) r.price = row.integer(26);
  TRY_VOID(read_words(row, 27, path, r));
  r.events = row.integer(30);
  c = 31;
  for (const Metric& m : run_metrics())
    if (m.kept()) r.numbers[m.id] = optional(c++);
  return r;
}

}  // namespace

Result<std::vector<RunSummary>> list_runs(const Database& db) {
  std::string numbers;
  for (const Metric& m : run_metrics())
    if (m.kept()) numbers += std::string(", r.") + m.column;
  TRY(Statement row,
      db.prepare("SELECT r.id, r.created, r.title, r.strategy, r.label, r.mesh, r.hardware, r.status,"
                 " r.m, r.k, r.n, r.dtype, r.bound, q.checked, q.allclose, r.hbm_bytes, r.kind,"
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

}  // namespace shardscope
