// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/schema_words.h"

#include <algorithm>
#include <array>

#include "engine/run/metrics.h"
#include "engine/trace/workspace_file.h"

namespace shardscope::inline trace {
namespace {

struct Words {
  const char *name, *unit, *meaning;
};

constexpr std::array kTables{
    Words{"run_summary", "", "One row a finished run: what was asked, its times, its numbers"},
    Words{"device_event", "", "One row an event of a device; ask for one run: WHERE run = 1"},
    Words{"run", "", "What was asked and what came of it, all of it"},
    Words{"numerics", "", "How a run's result compares with the reference"},
    Words{"loop_step", "", "Steps of runs that were carried out step by step"},
    Words{"numerics_region", "", "The comparison by region of the result"},
    Words{"instruction", "", "The program's instructions"},
    Words{"device_total", "", "What each device did in all"},
    Words{"device_timeline", "", "Which shared timeline and memory profile a device has"},
    Words{"lane", "", "Lanes of a timeline and where their events stand"},
    Words{"event", "", "Events of timelines, each stored once for all devices that share it"},
    Words{"event_block", "",
          "Events again, by columns in blobs: the program draws and loads these, not event"},
    Words{"permutation", "", "What differs from device to device in a shared event"},
    Words{"event_number", "", "From an event's number to its row"},
    Words{"pyramid", "", "Level of detail of a lane, for drawing"},
    Words{"critical_event", "", "Events of the critical path, in order"},
    Words{"step", "", "Steps of the program and of its transfers, in time order"},
    Words{"memory_point", "", "Live bytes of a memory profile over time"},
    Words{"buffer", "", "What is held in memory, from when to when"},
    Words{"setting", "", "What a window that works on the file keeps there"},
    Words{"kernel_run", "", "Kernels under many schedules"},
    Words{"kernel_finding", "", "What those schedules found"},
    Words{"measured_device_event", "", "One row an event of a profile; ask for one: WHERE trace = 1"},
    Words{"measured_trace", "", "Profiles of real runs"},
    Words{"measured_operation", "", "What a profile's events are of, with their times"},
    Words{"measured_event", "", "Events of profiles, by start"},
    Words{"measured_step", "", "Steps that a profile marks"},
};

// By the column's name, which means the same in every table.
constexpr std::array kColumnWords{
    Words{"run", "", "Number of the run"},
    Words{"id", "", "Number of the row; of run: of the run"},
    Words{"created", "", "When it was made, ISO 8601, UTC"},
    Words{"title", "", "Title of the experiment"},
    Words{"strategy", "", "Strategy, as in wang.os"},
    Words{"label", "", "What the experiment calls the run"},
    Words{"name", "", "Your name for the run; of a lane or instruction: its own"},
    Words{"tags", "", "Your words for the run, between commas"},
    Words{"note", "", "Your note on the run"},
    Words{"origin", "", "Workspace that the run was imported from"},
    Words{"mesh", "", "Mesh axes, as in row=2,col=4"},
    Words{"mesh_json", "", "Mesh axes with wrap, device order, slow chips and links"},
    Words{"devices", "", "How many devices; of a finding: which"},
    Words{"hardware", "", "Name of the chip"},
    Words{"hardware_toml", "", "The chip as it was timed"},
    Words{"hbm_bytes", "B", "Memory of the chip"},
    Words{"m", "", "Rows of X and Y"},
    Words{"k", "", "Columns of X, rows of W"},
    Words{"n", "", "Columns of W and Y"},
    Words{"dtype", "", "Type of the numbers"},
    Words{"accumulate", "", "Type in which products are added"},
    Words{"fill", "", "How the inputs were filled"},
    Words{"seed", "", "Seed of the fill, or of the first schedule"},
    Words{"overlap", "", "1 − exposed / communication; of run: whether overlap was on"},
    Words{"collective", "", "Algorithm that was asked for"},
    Words{"options", "", "Options of the strategy, JSON"},
    Words{"ignored_options", "", "Options that the strategy does not use, JSON"},
    Words{"program", "", "The program, HLO text"},
    Words{"request", "", "What was asked, whole, JSON"},
    Words{"status", "", "done, failed, cancelled or recording"},
    Words{"writer", "", "Process that writes or hides it"},
    Words{"kind", "", "matmul, part, example or broken; of an event: compute, transfer or copy"},
    Words{"total", "ps", "Simulated time: end of the last event"},
    Words{"compute", "ps", "Time that a device computes"},
    Words{"comm", "ps", "Time with a transfer of the device"},
    Words{"exposed", "ps", "Communication that no computing hides"},
    Words{"idle", "ps", "Time without compute and communication"},
    Words{"bound", "", "Largest share of the critical path"},
    Words{"flops", "flop", "Operations of products, unpadded"},
    Words{"padded_flops", "flop", "Operations with padding to the matrix unit"},
    Words{"flops_per_device", "flop", "Operations of products, mean over devices"},
    Words{"bytes_sent", "B", "Bytes that a device sends"},
    Words{"bytes_sent_per_device", "B", "Bytes that a device sends, mean over devices"},
    Words{"bytes_received", "B", "Bytes that a device receives"},
    Words{"bytes_relayed", "B", "Bytes of others that cross a device"},
    Words{"peak_bytes", "B", "Most bytes that live at once on a device"},
    Words{"vmem_peak_bytes", "B", "Most bytes that live at once in fast memory"},
    Words{"events", "", "Events over all devices"},
    Words{"event_count", "", "Events over all devices, or of a lane"},
    Words{"events_kept", "", "Events that are stored"},
    Words{"memory_kept", "", "Devices with a memory profile"},
    Words{"lanes", "", "Lanes by their number, JSON"},
    Words{"collectives", "", "Collectives by opcode and axis, JSON"},
    Words{"assumptions", "", "What had to be assumed for the time, JSON"},
    Words{"critical_compute", "ps", "Compute on the critical path"},
    Words{"critical_memory", "ps", "Memory on the critical path"},
    Words{"critical_latency", "ps", "Latency on the critical path"},
    Words{"critical_bandwidth", "ps", "Bandwidth on the critical path"},
    Words{"critical_overhead", "ps", "Launch overhead on the critical path"},
    Words{"rivals", "", "Key of the runs with the same layouts"},
    Words{"inputs", "", "Shardings that the inputs start from"},
    Words{"outputs", "", "Shardings that the results end in"},
    Words{"price", "ps", "Resharding: time from and to the experiment's layouts"},
    Words{"price_legs", "", "Resharding, array by array, JSON"},
    Words{"module", "", "Entry of a module's run, JSON"},
    Words{"loop", "", "What is of all steps of a run, JSON"},
    Words{"marker", "", "How profilers name the step"},
    Words{"result_values", "", "Scalar results of the step, JSON"},
    Words{"measured_wall_s", "s", "Measured on this machine, median; not the simulated time"},
    Words{"repeat", "", "Measured runs"},
    Words{"warmup", "", "Runs before those that were measured; of a step 1: statistics leave it out"},
    Words{"kernel", "", "Kernel of the products, or that was run"},
    Words{"numerics_checked", "", "1: compared with the reference"},
    Words{"checked", "", "1: compared with the reference"},
    Words{"tolerance_max", "", "Largest tolerance of an element where roundings count"},
    Words{"proof_size", "", "How much was compared: full, shrunk or off"},
    Words{"proof_scale", "", "Elements that were compared, of all"},
    Words{"proof_reason", "", "Why not all was compared"},
    Words{"worst_index", "", "Where the largest difference is, JSON"},
    Words{"worst_value", "", "The result there"},
    Words{"worst_reference", "", "The reference there"},
    Words{"shape", "", "Dimensions of the result; of an instruction: its shape"},
    Words{"region_rows", "", "Regions down"},
    Words{"region_cols", "", "Regions across"},
    Words{"warnings", "", "What is odd about the numbers, JSON"},
    Words{"reference", "", "What the result is compared with"},
    Words{"array", "", "Which result"},
    Words{"exact", "", "Distance of both sides from the f64 product, JSON"},
    Words{"place", "", "Place in its list"},
    Words{"start", "ps", "When it starts; of a region: its first index"},
    Words{"end", "ps", "When it ends"},
    Words{"stop", "", "End of the region, JSON"},
    Words{"start_s", "s", "When it starts"},
    Words{"end_s", "s", "When it ends"},
    Words{"duration_s", "s", "How long it takes"},
    Words{"time", "ps", "From when on"},
    Words{"time_s", "s", "Time of the kernel"},
    Words{"number", "", "Number of the event, instruction or buffer"},
    Words{"computation", "", "Computation that it stands in"},
    Words{"opcode", "", "HLO opcode"},
    Words{"op_name", "", "What the paper calls it"},
    Words{"instruction", "", "Instruction that the event is of"},
    Words{"step", "", "Step of the algorithm, −1 outside of any"},
    Words{"transfer_step", "", "Step of the collective"},
    Words{"device", "", "Number of the device"},
    Words{"timeline", "", "Timeline, named by its first device"},
    Words{"memory", "", "Memory profile, named by its first device"},
    Words{"lane", "", "Lane: compute, copy or a link's direction"},
    Words{"lane_place", "", "Place among the events of its lane"},
    Words{"first_event", "", "First event of the lane"},
    Words{"longest", "", "Longest event of the lane"},
    Words{"serial", "", "1: no event starts before the last one ended"},
    Words{"relayed", "", "1: a further hop of a transfer"},
    Words{"bytes", "B", "Bytes that it moves or holds"},
    Words{"peer", "", "Device that a transfer goes to, −1: none"},
    Words{"chunk", "", "First chunk that a transfer carries, −1: none"},
    Words{"chunk_count", "", "How many chunks"},
    Words{"cause", "", "Number of the event that let it start, −1: none"},
    Words{"number_permutation", "", "How the number differs from device to device"},
    Words{"peer_permutation", "", "How the peer differs from device to device"},
    Words{"chunk_permutation", "", "How the chunk differs from device to device"},
    Words{"cause_permutation", "", "How the cause differs from device to device"},
    Words{"place_permutation", "", "How the place differs from device to device"},
    Words{"value", "", "Value of a setting, or of a permutation for a device"},
    Words{"modulus", "", "Values count modulo this"},
    Words{"first_number", "", "First number of the piece"},
    Words{"rows", "", "Rows of the piece, packed"},
    Words{"width", "ps", "Time of one bin"},
    Words{"piece", "", "Which piece of the lane"},
    Words{"first_start", "ps", "Start of its first event"},
    Words{"last_end", "ps", "End of its last event"},
    Words{"bins", "", "What the bins hold, packed"},
    Words{"covered", "ps", "Everything before is counted by earlier events of the lane"},
    Words{"drawn", "", "Columns that a picture needs, packed"},
    Words{"others", "", "The other columns, packed"},
    Words{"schedules", "", "How many schedules were run"},
    Words{"correct_runs", "", "Schedules with the right result"},
    Words{"wrong_runs", "", "Schedules with a wrong result"},
    Words{"max_dma_in_flight", "", "Most copies at once"},
    Words{"listing", "", "The kernel's text"},
    Words{"runs", "", "Schedules that show it"},
    Words{"first_seed", "", "Seed of the first schedule that shows it"},
    Words{"message", "", "What was found"},
    Words{"missing", "", "What would mend it"},
    Words{"first_line", "", "Line that it is about, 0: none"},
    Words{"second_line", "", "The other line, 0: none"},
    Words{"trace", "", "Number of the measured trace"},
    Words{"format", "", "Format of the profile's files"},
    Words{"source", "", "Files that it was read from"},
    Words{"device_time_s", "s", "Time of all events on all devices, waiting too"},
    Words{"matched_share", "", "Share of that time of which it is known what it was"},
    Words{"device_names", "", "Names of the devices, JSON"},
    Words{"notes", "", "What a reader of the numbers should know, JSON"},
    Words{"op", "", "Operation, as the profiler names it"},
    Words{"shapes", "", "Shapes that it works on"},
    Words{"batch", "", "Products in one, 0: not known"},
    Words{"group_size", "", "Devices of a collective, 0: not known"},
    Words{"matched", "", "1: it is known what it was"},
    Words{"count", "", "How many events"},
    Words{"p50_s", "s", "Measured, median"},
    Words{"wait_s", "s", "Waiting for the last device of a collective"},
    Words{"wait", "ps", "Waiting for the last device of a collective"},
    Words{"operation", "", "Number of the operation"},
};

template <size_t N>
const Words* find(const std::array<Words, N>& words, std::string_view name) {
  const auto found = std::ranges::find_if(words, [&](const Words& w) { return name == w.name; });
  return found == words.end() ? nullptr : &*found;
}

// A run's numbers say theirs themselves; what else is called as one of them is said here.
std::string meaning_of_column(std::string_view name) {
  if (const Words* known = find(kColumnWords, name)) return known->meaning;
  const Metric* number = find_metric_column(name);
  return number == nullptr ? "" : number->meaning;
}

}  // namespace

Result<std::vector<TableWords>> schema_of(const Workspace& workspace) {
  TRY(const Database db, open_reader(workspace.path()));
  let_views_be_read(db);
  TRY(Statement row, db.prepare("SELECT m.name, m.type = 'view', c.name, c.type FROM sqlite_schema m"
                                " JOIN pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')"
                                " ORDER BY m.type DESC, m.name <> 'run_summary', m.rowid, c.cid"));
  std::vector<TableWords> out;
  while (true) {
    TRY(const bool more, row.step());
    if (!more) return out;
    if (out.empty() || out.back().name != row.text(0)) {
      const Words* table = find(kTables, row.text(0));
      out.push_back({row.text(0), table != nullptr ? table->meaning : "", row.integer(1) != 0, {}});
    }
    out.back().columns.push_back(
        {row.text(2), row.text(3), unit_of_column(row.text(2)), meaning_of_column(row.text(2))});
  }
}

std::string unit_of_column(std::string_view name) {
  if (const Words* known = find(kColumnWords, name)) return known->unit;
  if (const Metric* known = find_metric_column(name)) return symbol(known->unit);
  if (name.ends_with("_s")) return "s";
  if (name.ends_with("_ps")) return "ps";
  if (name.ends_with("bytes") || name.starts_with("bytes")) return "B";
  return "";
}

const std::vector<std::string>& sql_keywords() {
  static const std::vector<std::string> kWords = {
      "SELECT",    "FROM",  "WHERE",   "GROUP BY", "ORDER BY",    "LIMIT", "HAVING", "JOIN",
      "LEFT JOIN", "ON",    "AS",      "AND",      "OR",          "NOT",   "NULL",   "IS",
      "IN",        "LIKE",  "BETWEEN", "DISTINCT", "COUNT",       "SUM",   "AVG",    "MIN",
      "MAX",       "ROUND", "CASE",    "WHEN",     "THEN",        "ELSE",  "END",    "WITH",
      "UNION",     "DESC",  "ASC",     "OVER",     "PARTITION BY"};
  return kWords;
}

const std::vector<ShippedQuery>& shipped_queries() {
  static const std::vector<ShippedQuery> kQueries = {
      {"Runs, fastest first",
       "SELECT run, strategy, mesh, total_s, exposed_comm_s, overlap, allclose FROM run_summary\n"
       "ORDER BY total_s",
       "strategy", "total_s"},
      {"Where does each run's time go?",
       "SELECT strategy, compute_s, exposed_comm_s, idle_s FROM run_summary ORDER BY total_s", "strategy",
       "exposed_comm_s"},
      {"Does sending less make runs faster?",
       "SELECT strategy, bytes_sent_per_device, total_s FROM run_summary ORDER BY bytes_sent_per_device",
       "bytes_sent_per_device", "total_s"},
      {"Which operations take longest, by run?",
       "SELECT run, opcode, count(*) AS events, sum(duration_s) AS duration_s FROM device_event\n"
       "WHERE run = (SELECT max(run) FROM run_summary) GROUP BY run, opcode ORDER BY 4 DESC",
       "opcode", "duration_s"},
      {"Longest events of the newest run",
       "SELECT device, lane, kind, start_s, duration_s, instruction, bytes FROM device_event\n"
       "WHERE run = (SELECT max(run) FROM run_summary) ORDER BY duration_s DESC LIMIT 50",
       "start_s", "duration_s"},
      {"How busy is each link of the newest run?",
       "SELECT lane, sum(duration_s) AS duration_s, sum(bytes) AS bytes FROM device_event\n"
       "WHERE kind = 'transfer' AND run = (SELECT max(run) FROM run_summary) GROUP BY lane ORDER BY lane",
       "lane", "duration_s"},
      {"Which device waits most in the newest run?",
       "SELECT device, compute * 1e-12 AS compute_s, exposed * 1e-12 AS exposed_comm_s,\n"
       "       idle * 1e-12 AS idle_s FROM device_total\n"
       "WHERE run = (SELECT max(run) FROM run_summary) ORDER BY device",
       "device", "idle_s"},
      {"Memory over time on device 0 of the newest run",
       "SELECT p.time * 1e-12 AS time_s, p.bytes FROM memory_point p\n"
       "JOIN device_timeline d ON d.run = p.run AND d.memory = p.memory AND d.device = 0\n"
       "WHERE p.run = (SELECT max(run) FROM run_summary) ORDER BY p.time",
       "time_s", "bytes"},
      {"Runs whose numbers differ",
       "SELECT run, strategy, dtype, max_abs, percent_bad FROM run_summary WHERE allclose = 0", "strategy",
       "max_abs"},
      {"Tables and views",
       "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type DESC, name"},
  };
  return kQueries;
}

}  // namespace shardscope::inline trace
