// SPDX-License-Identifier: Apache-2.0
// A workspace that somebody else has written into is opened and read, or refused. An input that begins with B
// changes bytes of a good file: places of three bytes, a length, a value; any other is SQL that is run in it.
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <unistd.h>

#include "engine/base/check.h"
#include "engine/session/session.h"
#include "engine/story/story.h"
#include "engine/trace/measured_record.h"
#include "engine/trace/schema_words.h"
#include "tests/fuzz/text_mutator.h"

namespace {
using namespace shardscope;
namespace fs = std::filesystem;

// A folder in memory with a good workspace of two runs.
class Base {
 public:
  Base() : folder_("/dev/shm/shardscope-fuzz-" + std::to_string(getpid())) {
    fs::create_directories(folder_);
    {
      const auto workspace = Workspace::open(path()).value();
      Experiment experiment = *find_experiment("teaching");
      ExecutionOptions options;
      options.workspace = workspace;
      for (const char* strategy : {"wang.os", "collective.os"})
        CHECK(execute(experiment, RunRequest{.strategy = strategy}, options, {}).ok(), strategy);
      CHECK(workspace->wait().ok(), path());
      const std::vector<TableWords> tables = schema_of(*workspace).value();
      for (const TableWords& table : tables) {
        if (table.view) continue;
        words_.push_back("UPDATE " + table.name + " SET ");
        words_.push_back("DELETE FROM " + table.name + " ");
        for (const ColumnWords& column : table.columns) words_.push_back(column.name + " = ");
      }
    }
    std::ifstream file(path(), std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    CHECK(bytes_.size() > 1000, bytes_.size());
    for (const char* more :
         {"WHERE run = 1;\n", "WHERE rowid % 2 = 0;\n", "-1", "NULL", "9223372036854775807", "'{'",
          "zeroblob(100)", "x'00ff'", "1e308", "rowid", "PRAGMA user_version = 999;\n",
          "PRAGMA writable_schema = 1;\n", "DROP TABLE ", "ALTER TABLE ", "CREATE TRIGGER t "})
      words_.emplace_back(more);
    for (const std::string& word : words_) views_.emplace_back(word);
  }
  ~Base() { fs::remove_all(folder_); }
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;

  std::string path() const { return folder_ + "/w.shardscope"; }
  const std::vector<std::string_view>& words() const { return views_; }
  void restore(const std::string& bytes) const {
    for (const char* beside : {"-wal", "-shm", "-journal"}) fs::remove(path() + beside);
    std::ofstream file(path(), std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string folder_, bytes_;
  std::vector<std::string> words_;
  std::vector<std::string_view> views_;
};

const Base& base() {
  static const Base kBase;
  return kBase;
}

std::string patched(std::string bytes, const uint8_t* data, size_t size) {
  for (size_t i = 0; i + 5 <= size; i += 5) {
    const size_t place = (size_t{data[i]} << 16U | size_t{data[i + 1]} << 8U | data[i + 2]) % bytes.size();
    for (size_t j = place; j < std::min(bytes.size(), place + 1 + data[i + 3] % 16); ++j)
      bytes[j] = static_cast<char>(data[i + 4]);
  }
  return bytes;
}

// Statements one behind the other; one that is wrong ends nothing, one that runs on is stopped.
void run_sql(const std::string& text) {
  sqlite3* db = nullptr;
  if (sqlite3_open(base().path().c_str(), &db) == SQLITE_OK) {
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 22);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    static int left;
    left = 200;
    sqlite3_progress_handler(
        db, 1000, [](void*) { return --left < 0 ? 1 : 0; }, nullptr);
    size_t from = 0;
    while (from < text.size()) {
      const size_t end = std::min(text.find(";\n", from), text.size());
      sqlite3_exec(db, text.substr(from, end - from).c_str(), nullptr, nullptr, nullptr);
      from = end + 2;
    }
  }
  sqlite3_close(db);
}

void read_trace(const TraceSource& trace) {
  (void)trace.critical_path();
  (void)trace.steps();
  const TimeRange all{0, trace.total()};
  for (int32_t device = 0; device < std::min(trace.devices(), 4); ++device) {
    for (int lane = 0; lane < std::min<int>(static_cast<int>(trace.lanes().size()), 4); ++lane) {
      (void)trace.bins(DeviceId{device}, lane, all, 100);
      const auto events = trace.events(DeviceId{device}, lane, all);
      for (size_t i = 0; events.ok() && i < std::min<size_t>(events->size(), 20); ++i)
        (void)trace.event((*events)[i]);
    }
  }
}

void read_run(const Workspace& workspace, int64_t id) {
  if (const auto trace = workspace.trace(id); trace.ok()) read_trace(**trace);
  const auto run = workspace.load(id);
  if (!run.ok()) {
    CHECK(!run.error().what.empty(), id);
    return;
  }
  for (const Event& e : (*run)->timeline.events) {
    CHECK(e.end >= e.start, e.start, e.end);
    CHECK(e.device >= 0 && e.device < (*run)->timeline.devices, e.device);
    CHECK(e.lane >= 0 && static_cast<size_t>(e.lane) < (*run)->timeline.lanes.size(), e.lane);
  }
  read_trace(*memory_trace(*run));
  (void)tell((*run)->program, (*run)->timeline, {});
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  if (size > 0 && data[0] == 'B') return LLVMFuzzerMutate(data, size, max_size);
  return shardscope::mutate_text(data, size, max_size, seed, base().words());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0 && data[0] == 'B') {
    base().restore(patched(base().bytes(), data + 1, size - 1));
  } else {
    base().restore(base().bytes());
    run_sql(std::string(reinterpret_cast<const char*>(data), size));
  }
  for (const bool read_only : {true, false}) {
    const auto workspace = Workspace::open(base().path(), read_only);
    if (!workspace.ok()) continue;
    (void)(*workspace)->experiment();
    (void)(*workspace)->query("SELECT * FROM device_event", {.rows = 50, .seconds = 2});
    const auto runs = (*workspace)->runs();
    for (size_t i = 0; runs.ok() && i < std::min<size_t>(runs->size(), 3); ++i)
      read_run(**workspace, (*runs)[i].id);
    (void)(*workspace)->wait();
  }
  if (const auto traces = list_measured(base().path()); traces.ok())
    for (const MeasuredSummary& each : *traces) (void)load_measured(base().path(), each.id);
  return 0;
}
