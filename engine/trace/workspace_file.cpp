// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/workspace_file.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <thread>
#include <unistd.h>
#include <vector>

#include "engine/base/text.h"
#include "engine/trace/recorder.h"
#include "engine/trace/run_listing.h"
#include "engine/trace/schema_check.h"
#include "engine/trace/schema_text.h"
#include "engine/trace/sql/unsynced.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline trace {
namespace {

// Of files of earlier development versions, whose formats nothing reads.
constexpr int64_t kEarlierId = 0x53485244;
constexpr int kLogTries = 400;
constexpr std::chrono::milliseconds kLogPause{25};

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
    return io_error("cannot open the database: that is not a name of a file", path,
                    "name a file, ./" + path + " if it is called that");
  const std::filesystem::path file(path);
  const std::filesystem::file_status found = std::filesystem::status(file, error);
  if (std::filesystem::is_directory(found)) return io_error("cannot open the database: it is a folder", path);
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found))
    return io_error("cannot open the database: it is not a file", path, "name a file");
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
  if (std::filesystem::exists(path + "-journal", error)) return Database::open(path, SQLITE_OPEN_READONLY);
  const auto log = std::filesystem::file_size(path + "-wal", error);
  if (error || log == 0) return Database::open(uri_of(path, "immutable=1"), SQLITE_OPEN_READONLY);
  TRY(Database db, Database::open(uri_of(path, "vfs=unix-none"), SQLITE_OPEN_READONLY));
  TRY_VOID(db.execute("PRAGMA locking_mode = EXCLUSIVE"));
  return db;
}

// Whether it holds a workspace of this format; false: nothing at all. SQLite reads the file's header only
// now.
Result<bool> holds_workspace(const Database& db) {
  if (!in_memory(db.path()) && lost_with_power(db, kApplicationId))
    return io_error(
        "the machine stopped while the first run of this file was recorded: nothing of it can be"
        " read, and nothing else was in it",
        db.path(), "record into it again, or delete it");
  TRY(const int64_t application, db.integer("PRAGMA application_id"));
  TRY(const int64_t version, db.integer("PRAGMA user_version"));
  TRY(const int64_t tables, db.integer("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && tables == 0) return false;
  if (application == kEarlierId)
    return io_error("the workspace was written by an earlier development version", db.path(),
                    "record its runs again in a new file");
  if (application != kApplicationId)
    return io_error("the database belongs to another program", db.path(),
                    "choose a Shardscope workspace or a new file name");
  if (version != kFormatVersion && !is_unsynced(version))
    return io_error("the workspace has version " + std::to_string(version) + ", this program knows version " +
                        std::to_string(kFormatVersion),
                    db.path(), "open it with a newer Shardscope");
  return true;
}

// Another writer that just begins may hold the file for a moment, for which SQLite does not wait here.
Result<void> use_a_log(const Database& db) {
  for (int tries = 0;; ++tries) {
    const Result<void> done = db.execute("PRAGMA journal_mode = WAL");
    const bool busy = !done.ok() && (sqlite3_errcode(db.handle()) & 0xff) == SQLITE_BUSY;
    if (!busy || tries == kLogTries) return done;
    std::this_thread::sleep_for(kLogPause);
  }
}

// Where nothing is.
Result<void> make_workspace(const Database& db) {
  TRY(const bool seen, holds_workspace(db));
  TRY(const int64_t version, db.integer("PRAGMA user_version"));
  // The log that there is now came behind a wait for the disk.
  if (is_unsynced(version)) return db.execute("PRAGMA user_version = " + std::to_string(kFormatVersion));
  if (seen) return {};
  TRY(Transaction transaction, Transaction::begin(db));
  TRY(const bool made, holds_workspace(db));  // again: another process may have been faster
  if (made) return {};
  TRY_VOID(db.execute(kSchema));
  TRY_VOID(db.execute("PRAGMA application_id = " + std::to_string(kApplicationId)));
  TRY_VOID(db.execute("PRAGMA user_version = " + std::to_string(kFormatVersion)));
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

// Field 22 of /proc/PID/stat, in clock ticks since boot; empty without such a process.
std::string start_time(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), {});
  const size_t behind_name = stat.rfind(')');  // a name may hold blanks and parentheses
  if (behind_name == std::string::npos) return "";
  const std::vector<std::string> fields = split(std::string_view(stat).substr(behind_name + 2), ' ');
  return fields.size() > 19 && fields[0] != "Z" ? fields[19] : "";
}

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

struct Schema {
  TableColumns tables;
  std::map<std::string, std::string> views;
};

Result<Schema> make_schema() {
  TRY(const Database db, Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  TRY_VOID(db.execute(kSchema));
  Schema schema;
  TRY(schema.tables, columns_of(db));
  TRY(schema.views, views_of(db));
  return schema;
}

// What a workspace has. One is made in memory for it, which takes longer than opening a file: once. Only want
// of memory keeps it from being made.
const Schema& workspace_schema() {
  static const Schema made = [] {
    auto schema = make_schema();
    if (!schema.ok()) throw std::bad_alloc();
    return *std::move(schema);
  }();
  return made;
}

}  // namespace

Result<void> check_schema_of(const Database& db) {
  return check_schema(db, workspace_schema().tables);
}

// Of their functions SQLite trusts no file with json_extract before version 3.41.
void let_views_be_read(const Database& db) {
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, nullptr);
}

Result<std::set<std::string>> views_of_others(const Database& db) {
  const auto& ours = workspace_schema().views;
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
  TRY(Database db, Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  const bool read_only = sqlite3_db_readonly(db.handle(), "main") == 1;
  if (!in_memory(path) && !read_only) TRY_VOID(empty_lost(db, kApplicationId));
  TRY_VOID(holds_workspace(db));  // before anything is written into a file that is not ours
  if (read_only)
    return io_error("the database cannot be written", path,
                    "make the file and its folder writable, or choose another");
  // Of a new file: pages of 16 KiB, so that a large run is written and read in fewer calls.
  TRY_VOID(db.execute("PRAGMA page_size = 16384"));
  TRY_VOID(use_a_log(db));
  TRY_VOID(db.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384"));
  TRY_VOID(make_workspace(db));
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
  TRY(const bool any, holds_workspace(db));
  if (!any) return io_error("the database is empty", path, "choose a Shardscope workspace");
  TRY_VOID(db.execute("PRAGMA query_only = 1; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384"));
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 0,
                    nullptr);  // nothing of ours reads through one
  return db;
}

}  // namespace shardscope::inline trace
