// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/workspace_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <unistd.h>
#include <vector>

#include "engine/base/text.h"
#include "engine/trace/recorder.h"
#include "engine/trace/run_listing.h"
#include "engine/trace/schema_check.h"
#include "engine/trace/schema_text.h"
#include "engine/trace/sql/log_writes.h"
#include "engine/trace/workspace.h"

namespace shardscope {
namespace {

// Migration i brings version i to i + 1. Those that were released never change.
// 2: what results were compared with, their distance from the f64 product, and the chip's memory.
constexpr const char* kExactComparison =
    "ALTER TABLE run ADD COLUMN hbm_bytes REAL;"
    "ALTER TABLE numerics ADD COLUMN reference TEXT NOT NULL DEFAULT 'f64';"
    "ALTER TABLE numerics ADD COLUMN array TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE numerics ADD COLUMN smallest_atol REAL;"
    "ALTER TABLE numerics ADD COLUMN exact TEXT;";
// 3: kernels under many schedules, each finding with the lines that it is about (0: none) and the first seed
// that shows it.
constexpr const char* kKernelRuns =
    "CREATE TABLE kernel_run (id INTEGER PRIMARY KEY, created TEXT NOT NULL, kernel TEXT NOT NULL,"
    " mesh TEXT NOT NULL, devices INTEGER NOT NULL, schedules INTEGER NOT NULL, seed INTEGER NOT NULL,"
    " correct_runs INTEGER NOT NULL, wrong_runs INTEGER NOT NULL, time_s REAL, vmem_peak_bytes INTEGER NOT "
    "NULL,"
    " max_dma_in_flight INTEGER NOT NULL, listing TEXT NOT NULL) STRICT;"
    "CREATE TABLE kernel_finding (run INTEGER, place INTEGER, kind TEXT NOT NULL, runs INTEGER NOT NULL,"
    " first_seed INTEGER NOT NULL, devices TEXT NOT NULL, message TEXT NOT NULL, missing TEXT NOT NULL,"
    " first_line INTEGER NOT NULL, second_line INTEGER NOT NULL, PRIMARY KEY (run, place)) STRICT, WITHOUT "
    "ROWID;";
// 4: what was asked, whole, beside the columns that queries read.
constexpr const char* kRequest = "ALTER TABLE run ADD COLUMN request TEXT;";
// 5: beside which runs it can be put, from which shardings it goes to which, and what that costs
// (picoseconds; null: nothing to compare with).
constexpr const char* kPrice =
    "ALTER TABLE run ADD COLUMN rivals TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE run ADD COLUMN inputs TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE run ADD COLUMN outputs TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE run ADD COLUMN price INTEGER;"
    "ALTER TABLE run ADD COLUMN price_legs TEXT;"
    "ALTER TABLE run ADD COLUMN module TEXT;";
// 6: the largest tolerance of an element where roundings count, and the share of large relative differences.
constexpr const char* kTolerances =
    "ALTER TABLE numerics ADD COLUMN tolerance_max REAL;"
    "ALTER TABLE numerics ADD COLUMN percent_above_0_1 REAL NOT NULL DEFAULT 0;";
// 7: what its user says of a run (tags: words between commas), and from where it was brought in.
constexpr const char* kLabels =
    "ALTER TABLE run ADD COLUMN name TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE run ADD COLUMN tags TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE run ADD COLUMN note TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE run ADD COLUMN origin TEXT NOT NULL DEFAULT '';"
    "DROP VIEW run_summary;"
    "CREATE VIEW run_summary AS SELECT r.id AS run, r.created, r.title, r.strategy, r.label, r.name, r.tags,"
    " r.note, r.origin, r.mesh, r.devices, r.hardware, r.m, r.k, r.n, r.dtype, r.accumulate, r.total_s,"
    " r.compute_s, r.comm_s, r.exposed_comm_s, r.idle_s, r.communication_overlap AS overlap, r.bound,"
    " r.flops AS flops_per_device, r.bytes_sent AS bytes_sent_per_device, r.peak_bytes,"
    " r.event_count AS events, q.checked AS numerics_checked, q.allclose, q.max_abs, q.percent_bad,"
    " r.wall_s AS measured_wall_s FROM run r LEFT JOIN numerics q ON q.run = r.id WHERE r.status = 'done';";
// 8: profiles of real runs. Times of events are picoseconds from the first step; `wait` is the part of a
// collective before its last device arrived.
constexpr const char* kMeasured =
    "CREATE TABLE measured_trace (id INTEGER PRIMARY KEY, created TEXT NOT NULL, format TEXT NOT NULL,"
    " source TEXT NOT NULL, title TEXT NOT NULL, devices INTEGER NOT NULL, event_count INTEGER NOT NULL,"
    " device_time_s REAL NOT NULL, matched_share REAL NOT NULL, device_names TEXT NOT NULL, lanes TEXT NOT "
    "NULL,"
    " notes TEXT NOT NULL) STRICT;"
    "CREATE TABLE measured_operation (trace INTEGER, number INTEGER, op TEXT NOT NULL, kind TEXT NOT NULL,"
    " opcode TEXT NOT NULL, module TEXT NOT NULL, instruction TEXT NOT NULL, shapes TEXT NOT NULL,"
    " dtype TEXT NOT NULL, bytes INTEGER NOT NULL, flops REAL NOT NULL, batch INTEGER NOT NULL, m INTEGER "
    "NOT NULL,"
    " k INTEGER NOT NULL, n INTEGER NOT NULL, group_size INTEGER NOT NULL, matched INTEGER NOT NULL,"
    " count INTEGER NOT NULL, total_s REAL NOT NULL, mean_s REAL NOT NULL, p50_s REAL NOT NULL, p95_s REAL "
    "NOT NULL,"
    " wait_s REAL NOT NULL, PRIMARY KEY (trace, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE measured_event (trace INTEGER, number INTEGER, start INTEGER NOT NULL, end INTEGER NOT "
    "NULL,"
    " wait INTEGER NOT NULL, device INTEGER NOT NULL, lane INTEGER NOT NULL, operation INTEGER NOT NULL,"
    " PRIMARY KEY (trace, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE measured_step (trace INTEGER, place INTEGER, start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " PRIMARY KEY (trace, place)) STRICT, WITHOUT ROWID;"
    "CREATE VIEW measured_device_event AS SELECT e.trace, e.device, json_extract(t.lanes, '$[' || e.lane || "
    "']') AS lane,"
    " o.op, o.kind, o.opcode, o.shapes, e.start * 1e-12 AS start_s, e.end * 1e-12 AS end_s,"
    " (e.end - e.start) * 1e-12 AS duration_s, e.wait * 1e-12 AS wait_s, o.bytes, o.flops"
    " FROM measured_event e JOIN measured_trace t ON t.id = e.trace"
    " JOIN measured_operation o ON o.trace = e.trace AND o.number = e.operation;";
// 9: events again, by columns, up to 1,024 neighbours of a lane in a row: `id` is the first one's in `event`,
// everything before `covered` is counted by earlier events of the lane; blocks/event_block.h says what the
// blobs hold. Runs that were recorded before have none.
constexpr const char* kBlocks =
    "CREATE TABLE event_block (id INTEGER PRIMARY KEY, count INTEGER NOT NULL, first_start INTEGER NOT NULL,"
    " covered INTEGER NOT NULL, drawn BLOB NOT NULL, others BLOB NOT NULL) STRICT;";
// 10: the blobs of `pyramid` and `event_number` are columns; those from before stay as they are.
constexpr const char* kPackedPieces = "";
// 11: how much of a module was proved (full, shrunk, off), at which part of its size, and why not all.
constexpr const char* kProofSizes =
    "ALTER TABLE numerics ADD COLUMN proof_size TEXT NOT NULL DEFAULT 'full';"
    "ALTER TABLE numerics ADD COLUMN proof_scale REAL NOT NULL DEFAULT 1;"
    "ALTER TABLE numerics ADD COLUMN proof_reason TEXT NOT NULL DEFAULT '';";
constexpr std::array<const char*, 11> kMigrations = {kSchema,   kExactComparison, kKernelRuns, kRequest,
                                                     kPrice,    kTolerances,      kLabels,     kMeasured,
                                                     kBlocks,   kPackedPieces,    kProofSizes};

bool in_memory(const std::string& path) {
  return path.starts_with(kMemoryName);
}

Result<void> check_file(const std::string& path) {
  return in_memory(path) ? Result<void>() : check_workspace_name(path);
}

}  // namespace

Result<void> check_workspace_name(const std::string& path) {
  std::error_code error;
  if (path.empty()) return io_error("cannot open the database: its name is empty");
  if (path.starts_with("file:") || path == ":memory:")
    return io_error("cannot open the database: that is no name of a file", path,
                    "name a file, ./" + path + " if it is called that");
  const std::filesystem::path file(path);
  const std::filesystem::file_status found = std::filesystem::status(file, error);
  if (std::filesystem::is_directory(found)) return io_error("cannot open the database: it is a folder", path);
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found))
    return io_error("cannot open the database: it is no file", path, "name a file");
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, error))
    return io_error("cannot open the database: no folder " + folder.string(), path, "make the folder first");
  return {};
}

namespace {

std::string uri_of(const std::string& path, const char* options) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const char* escaped = c == '?' ? "%3f" : c == '#' ? "%23" : c == '%' ? "%25" : nullptr;
    uri += escaped != nullptr ? std::string(escaped) : std::string(1, c);
  }
  return uri + "?" + options;
}

// Readers of a WAL file share an index file beside it: only who may write there leaves nothing behind, and
// only with READWRITE, which query_only takes back. Where we may not write and nobody else has the file open,
// the index is kept in our memory, or not needed without a log.
Result<Database> connect_reader(const std::string& path) {
  if (in_memory(path)) return Database::open(path, SQLITE_OPEN_READONLY);
  std::error_code error;
  const std::filesystem::path file(path);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (access(path.c_str(), W_OK) == 0 && access(folder.c_str(), W_OK) == 0)
    return Database::open(path, SQLITE_OPEN_READWRITE);
  if (access(path.c_str(), R_OK) != 0 || std::filesystem::exists(path + "-shm", error))
    return Database::open(path, SQLITE_OPEN_READONLY);
  const auto log = std::filesystem::file_size(path + "-wal", error);
  if (error || log == 0) return Database::open(uri_of(path, "immutable=1"), SQLITE_OPEN_READONLY);
  TRY(Database db, Database::open(uri_of(path, "vfs=unix-none"), SQLITE_OPEN_READONLY));
  TRY_VOID(db.execute("PRAGMA locking_mode = EXCLUSIVE"));
  return db;
}

// SQLite reads the file's header only now.
Result<int64_t> version_of(const Database& db) {
  TRY(const int64_t application, db.integer("PRAGMA application_id"));
  TRY(const int64_t version, db.integer("PRAGMA user_version"));
  TRY(const int64_t tables, db.integer("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && tables == 0) return 0;
  if (application != kApplicationId)
    return io_error("the database belongs to another program", db.path(),
                    "choose a Shardscope workspace or a new file name");
  if (version < 1 || version > newest_version())
    return io_error("the workspace has version " + std::to_string(version) + ", this program knows up to " +
                        std::to_string(newest_version()),
                    db.path(), "open it with a newer Shardscope");
  return version;
}

Result<void> run_migrations(const Database& db, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; ++i) TRY_VOID(db.execute(kMigrations[static_cast<size_t>(i)]));
  return {};
}

Result<void> migrate(const Database& db) {
  TRY(const int64_t seen, version_of(db));
  if (seen == newest_version()) return {};
  TRY(Transaction transaction, Transaction::begin(db));
  TRY(const int64_t version, version_of(db));  // again: another process may have been faster
  TRY_VOID(run_migrations(db, version, newest_version()));
  TRY_VOID(db.execute("PRAGMA application_id = " + std::to_string(kApplicationId)));
  TRY_VOID(db.execute("PRAGMA user_version = " + std::to_string(newest_version())));
  return transaction.commit();
}

Result<void> remove_leftovers(const Database& db) {
  std::vector<int64_t> dead;
  {
    TRY(Statement query, db.prepare("SELECT id, writer FROM run WHERE status = 'recording'"));
    while (true) {
      TRY(const bool more, query.step());
      if (!more) break;
      if (!writer_is_alive(query.text(1))) dead.push_back(query.integer(0));
    }
  }
  for (const int64_t id : dead) TRY_VOID(remove_run(db, id));
  return show_left(db);
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

// Field 22 of /proc/PID/stat, in clock ticks since boot; empty without such a process.
std::string start_time(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), {});
  const size_t behind_name = stat.rfind(')');  // a name may hold blanks and parentheses
  if (behind_name == std::string::npos) return "";
  const std::vector<std::string> fields = split(std::string_view(stat).substr(behind_name + 2), ' ');
  return fields.size() > 19 && fields[0] != "Z" ? fields[19] : "";
}

}  // namespace

int64_t newest_version() {
  return static_cast<int64_t>(kMigrations.size());
}

namespace {

// What each view asks, by its name.
Result<std::map<std::string, std::string>> views_of(const Database& db) {
  TRY(Statement rows, db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view'"));
  std::map<std::string, std::string> views;
  while (true) {
    TRY(const bool more, rows.step());
    if (!more) return views;
    views[rows.text(0)] = rows.text(1);
  }
}

struct VersionSchema {
  TableColumns tables;
  std::map<std::string, std::string> views;
};

Result<VersionSchema> make_schema(int64_t version) {
  TRY(const Database db, Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  TRY_VOID(run_migrations(db, 0, version));
  VersionSchema schema;
  TRY(schema.tables, columns_of(db));
  TRY(schema.views, views_of(db));
  return schema;
}

// What a workspace of a version has. One is made in memory for it, which takes longer than opening a file:
// the newest once. Only want of memory keeps that from being made.
Result<VersionSchema> schema_of_version(int64_t version) {
  if (version != newest_version()) return make_schema(version);
  static const VersionSchema newest = [] {
    auto made = make_schema(newest_version());
    if (!made.ok()) throw std::bad_alloc();
    return *std::move(made);
  }();
  return newest;
}

}  // namespace

Result<void> check_schema_of(const Database& db) {
  TRY(const int64_t version, version_of(db));
  TRY(const VersionSchema schema, schema_of_version(version));
  return check_schema(db, schema.tables);
}

// Of their functions SQLite trusts no file with json_extract before version 3.41.
void let_views_be_read(const Database& db) {
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, nullptr);
}

Result<std::set<std::string>> views_of_others(const Database& db) {
  TRY(const int64_t version, version_of(db));
  TRY(const VersionSchema schema, schema_of_version(version));
  const auto& ours = schema.views;
  TRY(const auto there, views_of(db));
  std::set<std::string> others;
  for (const auto& [name, asks] : there)
    if (const auto same = ours.find(name); same == ours.end() || same->second != asks) others.insert(name);
  return others;
}

std::string this_writer() {
  const int64_t pid = getpid();
  return boot_id() + ":" + std::to_string(pid) + ":" + start_time(pid);
}

bool writer_is_alive(const std::string& writer) {
  const std::vector<std::string> parts = split(writer, ':');
  if (parts.size() != 3 || parts[0] != boot_id() || parts[2].empty()) return false;
  const auto pid = parse_int(parts[1]);
  return pid && start_time(*pid) == parts[2];
}

Result<Database> open_writer(const std::string& path) {
  TRY_VOID(check_file(path));
  TRY(Database db, Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, log_writes_vfs()));
  TRY_VOID(version_of(db));  // before anything is written into a file that is not ours
  if (sqlite3_db_readonly(db.handle(), "main") == 1)
    return io_error("the database cannot be written", path,
                    "make the file and its folder writable, or choose another");
  // Of a new file: pages of 16 KiB, so that a large run is written and read in fewer calls.
  TRY_VOID(
      db.execute("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                 " PRAGMA cache_size = -16384"));
  TRY_VOID(migrate(db));
  if (!in_memory(path)) TRY_VOID(check_schema_of(db));  // one in memory was made a moment ago
  // On a full disk they stay for the next time: nothing shows them, and nobody waits for room to look at the
  // rest.
  if (const auto removed = remove_leftovers(db); !removed.ok() && removed.error().kind != ErrorKind::io)
    return removed.error();
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  return db;
}

Result<Database> open_reader(const std::string& path) {
  TRY_VOID(check_file(path));
  if (std::error_code error; !in_memory(path) && !std::filesystem::exists(path, error))
    return io_error("no such database", path, "check the file name");
  TRY(Database db, connect_reader(path));
  TRY(const int64_t version, version_of(db));
  if (version == 0) return io_error("the database is empty", path, "choose a Shardscope workspace");
  TRY_VOID(db.execute("PRAGMA query_only = 1; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384"));
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 0,
                    nullptr);  // nothing of ours reads through one
  return db;
}

}  // namespace shardscope
