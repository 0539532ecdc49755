// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_columns.h"

#include <bit>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/ir/opcode.h"
#include "engine/program/text/hlo_text.h"
#include "engine/request/request_json.h"
#include "engine/run/metrics.h"
#include "engine/trace/loader.h"
#include "engine/trace/run_json.h"
#include "engine/trace/run_listing.h"
#include "engine/trace/sql/columns.h"
#include "engine/trace/step_rows.h"

namespace shardscope::inline trace {
namespace {

using Json = nlohmann::json;

void set_timeline(NewRow& row, const Timeline& t) {
  row.set("devices", t.devices).set("total", t.total).set("event_count", t.event_count);
  row.set("events_kept", static_cast<int64_t>(t.events.size()));
  row.set("memory_kept", static_cast<int64_t>(t.memory.size()));
  row.set("lanes", lanes_json(t.lanes).dump()).set("collectives", collectives_json(t.collectives).dump());
  row.set("assumptions", Json(t.assumptions).dump());
  const CriticalPath& path = t.critical_path;
  row.set("critical_compute", path.compute).set("critical_memory", path.memory);
  row.set("critical_latency", path.latency).set("critical_bandwidth", path.bandwidth);
  row.set("critical_overhead", path.overhead);
  row.set("bound", summarise(t).bound);
}

// Those of its being executed alone, or all.
void set_numbers(NewRow& row, const Run& run, bool executed_alone) {
  const RunNumbers numbers = numbers_of(run);
  for (const Metric& m : run_metrics())
    if (m.kept_in_run() && (m.in_measured != nullptr || !executed_alone)) row.set(m.column, numbers[m.id]);
  if (!run.measured) return;
  row.set("repeat", run.measured->repeat).set("warmup", run.measured->warmup);
  row.set("kernel", run.measured->kernel);
}

Result<ElementType> element_type(const std::string& text) {
  if (const auto type = parse_element_type(text)) return *type;
  return io_error("database: unknown element type '" + text + "'");
}

Result<void> read_request(const NamedRow& row, Run& run) {
  run.created = row.text("created");
  run.given = {row.text("name"), read_tags(row.text("tags")), row.text("note"), row.text("origin")};
  run.strategy = row.text("strategy");
  TRY(run.kind, named(row.text("kind"), StrategyKind::broken));
  TRY(run.mesh, mesh_of(Json::parse(row.text("mesh_json"))));
  run.problem.m = row.integer("m");
  run.problem.k = row.integer("k");
  run.problem.n = row.integer("n");
  TRY(run.problem.dtype, element_type(row.text("dtype")));
  TRY(run.problem.accumulate, element_type(row.text("accumulate")));
  run.overlap = row.flag("overlap");
  TRY(run.collective, parse_collective_algorithm(row.text("collective")));
  TRY(RequestParts parts, parse_request_parts(row.text("request")));
  run.experiment = std::move(parts.experiment);
  run.asked = std::move(parts.run);
  run.problem.sum = run.asked.problem.value_or(run.experiment.problem).sum;
  run.ignored_options = Json::parse(row.text("ignored_options")).get<std::vector<std::string>>();
  TRY(run.hardware, parse_hardware(row.text("hardware_toml"), row.text("hardware")));
  TRY(run.program, parse_program(row.text("program")));
  return {};
}

void read_timeline(const NamedRow& row, Timeline& t) {
  t.devices = row.integer32("devices");
  t.total = row.integer("total");
  t.event_count = row.integer("event_count");
  t.mxu_utilisation = row.real("mxu_utilisation");
  t.lanes = lanes_of(Json::parse(row.text("lanes")));
  t.collectives = collectives_of(Json::parse(row.text("collectives")));
  t.assumptions = Json::parse(row.text("assumptions")).get<std::vector<std::string>>();
  CriticalPath& path = t.critical_path;
  path.compute = row.integer("critical_compute");
  path.memory = row.integer("critical_memory");
  path.latency = row.integer("critical_latency");
  path.bandwidth = row.integer("critical_bandwidth");
  path.overhead = row.integer("critical_overhead");
}

Measured read_measured(const NamedRow& row) {
  Measured m;
  for (const Metric& metric : run_metrics())
    if (metric.in_measured != nullptr) m.*metric.in_measured = row.real(metric.column);
  m.repeat = row.integer("repeat");
  m.warmup = row.integer("warmup");
  m.kernel = row.text("kernel");
  return m;
}

Result<void> read_numerics(const Database& db, int64_t id, NumericsReport& n) {
  TRY(Statement query, db.prepare("SELECT * FROM numerics WHERE run = ?"));
  query.bind_all(id);
  TRY(const bool found, query.step());
  if (!found) return {};
  const NamedRow row(query);
  n.checked = row.flag("checked");
  n.allclose = row.flag(metric(RunMetric::allclose).column);
  for (const Metric& m : run_metrics())
    if (m.in_numerics != nullptr) n.*m.in_numerics = row.real(m.column);
  n.worst_index = Json::parse(row.text("worst_index")).get<std::vector<int64_t>>();
  n.worst_value = row.real("worst_value");
  n.worst_reference = row.real("worst_reference");
  n.shape = Json::parse(row.text("shape")).get<std::vector<int64_t>>();
  n.region_rows = row.integer("region_rows");
  n.region_cols = row.integer("region_cols");
  n.warnings = Json::parse(row.text("warnings")).get<std::vector<std::string>>();
  n.reference = row.text("reference");
  n.array = row.text("array");
  if (!row.is_null("tolerance_max")) n.tolerance_max = row.real("tolerance_max");
  TRY(n.check, named(row.text("proof_size"), ProofSize::off));
  n.scale = row.real("proof_scale");
  n.reason = row.text("proof_reason");
  if (!row.is_null("exact")) n.exact = exact_of(Json::parse(row.text("exact")));
  if (row.lacks_column()) return damaged_run(db, id, "columns");
  TRY(Statement regions, db.prepare("SELECT start, stop, mean_abs, percent_bad FROM numerics_region"
                                    " WHERE run = ? ORDER BY place"));
  regions.bind_all(id);
  while (true) {
    TRY(const bool more, regions.step());
    if (!more) return {};
    n.regions.push_back({Json::parse(regions.text(0)).get<std::vector<int64_t>>(),
                         Json::parse(regions.text(1)).get<std::vector<int64_t>>(), regions.real(2),
                         regions.real(3)});
  }
}

Result<void> read_device_totals(const Database& db, int64_t id, Timeline& timeline) {
  TRY(Statement query,
      db.prepare("SELECT compute, comm, exposed, idle, flops, padded_flops, bytes_sent, bytes_received,"
                 " bytes_relayed, peak_bytes FROM device_total WHERE run = ? ORDER BY device"));
  query.bind_all(id);
  while (true) {
    TRY(const bool more, query.step());
    if (!more) return {};
    timeline.totals.push_back({query.integer(0), query.integer(1), query.integer(2), query.integer(3),
                               query.real(4), query.real(5), query.integer(6), query.integer(7),
                               query.integer(8), query.integer(9)});
  }
}

void read_price(const NamedRow& row, Run& run) {
  if (!row.is_null("price_legs")) run.price = price_of(Json::parse(row.text("price_legs")));
  if (!row.is_null("module")) run.module = module_of(Json::parse(row.text("module")));
}

// There is none of that number: what has it instead, or which are there.
Error no_run(const Database& db, int64_t id) {
  if (Result<Statement> query = db.prepare("SELECT kernel FROM kernel_run WHERE id = ?"); query.ok()) {
    query->bind_all(id);
    const Result<bool> kernel = query->step();
    if (kernel.ok() && *kernel)
      return invalid(
          fmt::format("run {} is the kernel {}: it has no operations on a mesh", id, query->text(0)),
          db.path(), "name runs of strategies or of modules");
  }
  std::vector<std::string> there;
  if (Result<Statement> query = db.prepare("SELECT id FROM run WHERE status <> 'recording' ORDER BY id");
      query.ok())
    for (Result<bool> more = query->step(); more.ok() && *more; more = query->step())
      there.push_back(std::to_string(query->integer(0)));
  return invalid(fmt::format("there is no run {}", id), db.path(),
                 there.empty() ? std::string("it holds no finished run") : "it holds " + join(there, ", "));
}

Result<std::shared_ptr<Run>> read_rows(const Database& db, int64_t id) {
  TRY(Statement query, db.prepare("SELECT * FROM run WHERE id = ? AND status <> 'recording'"));
  query.bind_all(id);
  TRY(const bool found, query.step());
  if (!found) return no_run(db, id);
  auto run = std::make_shared<Run>();
  run->id = id;
  const NamedRow row(query);
  TRY(run->status, named(status_of(row.text("status")), RunStatus::cancelled));
  TRY_VOID(read_request(row, *run));
  read_timeline(row, run->timeline);
  read_price(row, *run);
  if (!row.is_null("wall_s") || !row.is_null("kernel")) run->measured = read_measured(row);
  if (!row.is_null("loop")) {
    TRY(run->steps, read_steps(db, id, row.text("loop")));
  }
  if (row.lacks_column()) return damaged_run(db, id, "columns");
  TRY_VOID(read_numerics(db, id, run->numerics));
  TRY_VOID(read_device_totals(db, id, run->timeline));
  return run;
}

}  // namespace

Result<void> insert_run(const Database& db, int64_t id, const Run& run, const std::string& writer) {
  NewRow row("run");
  row.set("id", id).set("status", "recording").set("writer", writer).set("created", run.created);
  const Experiment& e = run.experiment;
  row.set("title", e.title).set("strategy", run.strategy).set("kind", name(run.kind));
  row.set("label", run.asked.label).set("mesh", run.mesh.text());
  row.set("mesh_json", mesh_json(run.mesh, e.overrides).dump());
  row.set("request", request_parts_text(e, run.asked));
  row.set("m", run.problem.m).set("k", run.problem.k).set("n", run.problem.n);
  row.set("dtype", name(run.problem.dtype)).set("accumulate", name(run.problem.accumulate));
  row.set("fill", name(e.fill)).set("seed", std::bit_cast<int64_t>(e.seed)).set("overlap", run.overlap);
  row.set("collective", name(run.collective)).set("options", options_json(run.asked.options).dump());
  row.set("ignored_options", Json(run.ignored_options).dump());
  row.set("hardware", run.hardware.name).set("hardware_toml", hardware_toml(run.hardware));
  row.set("program", print_program(run.program, HloForm{.origins = true}))
      .set("hbm_bytes", run.hardware.memory.hbm_bytes);
  set_timeline(row, run.timeline);
  set_numbers(row, run, false);
  const RunEnds ends = ends_of(run);
  row.set("rivals", group_key(run)).set("inputs", text(ends.inputs)).set("outputs", text(ends.outputs));
  if (run.price) row.set("price", run.price->total()).set("price_legs", price_json(*run.price).dump());
  if (run.module) row.set("module", module_json(*run.module).dump());
  if (run.steps) row.set("loop", loop_text(*run.steps));
  row.set("name", run.given.name).set("tags", tag_text(run.given.tags));
  row.set("note", run.given.note).set("origin", run.given.origin);
  return row.insert(db);
}

Result<void> insert_numerics(const Database& db, int64_t id, const NumericsReport& n) {
  NewRow row("numerics");
  row.set("run", id).set("checked", n.checked).set(metric(RunMetric::allclose).column, n.allclose);
  for (const Metric& m : run_metrics())
    if (m.in_numerics != nullptr) row.set(m.column, n.*m.in_numerics);
  row.set("worst_index", Json(n.worst_index).dump());
  row.set("worst_value", n.worst_value).set("worst_reference", n.worst_reference);
  row.set("shape", Json(n.shape).dump()).set("region_rows", n.region_rows).set("region_cols", n.region_cols);
  row.set("warnings", Json(n.warnings).dump());
  row.set("array", n.array).set("reference", n.reference).set("tolerance_max", n.tolerance_max);
  row.set("proof_size", name(n.check)).set("proof_scale", n.scale).set("proof_reason", n.reason);
  if (n.exact) row.set("exact", exact_json(*n.exact).dump());
  TRY_VOID(row.insert(db));
  TRY(Statement insert, db.prepare("INSERT INTO numerics_region VALUES (?, ?, ?, ?, ?, ?)"));
  for (size_t i = 0; i < n.regions.size(); ++i) {
    const NumericsRegion& region = n.regions[i];
    const std::string start = Json(region.start).dump(), stop = Json(region.stop).dump();
    insert.bind_all(id, static_cast<int64_t>(i), start, stop, region.mean_abs, region.percent_bad);
    TRY_VOID(insert.run());
  }
  return {};
}

Result<void> update_numbers(const Database& db, int64_t id, const Run& run) {
  TRY(Transaction transaction, Transaction::begin(db));
  TRY(const int64_t there, db.integer(fmt::format("SELECT count(*) FROM run WHERE id = {}", id)));
  if (there == 0) return {};
  for (const char* table : {"numerics", "numerics_region", "loop_step"})
    TRY_VOID(db.run(fmt::format("DELETE FROM {} WHERE run = ?", table), id));
  TRY_VOID(insert_numerics(db, id, run.numerics));
  if (run.steps) {
    TRY_VOID(insert_steps(db, id, *run.steps));
    NewRow loop("run");
    loop.set("loop", loop_text(*run.steps));
    TRY_VOID(loop.update(db, id));
  }
  if (run.measured) {
    NewRow row("run");
    set_numbers(row, run, true);
    TRY_VOID(row.update(db, id));
  }
  return transaction.commit();
}

Result<void> insert_instructions(const Database& db, int64_t id, const Program& program) {
  TRY(Statement insert, db.prepare("INSERT INTO instruction VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  int64_t number = 0;
  for (const Computation& computation : program.computations) {
    for (const Instruction& i : computation.instructions) {
      const std::string opcode(opcode_text(i));
      const std::string shape = i.shape.text();
      insert.bind_all(id, number++, computation.name, i.name, opcode, shape, i.provenance->op_name,
                      i.provenance->step);
      TRY_VOID(insert.run());
    }
  }
  return {};
}

Result<void> insert_device_totals(const Database& db, int64_t id, const Timeline& timeline) {
  TRY(Statement insert, db.prepare("INSERT INTO device_total VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  for (size_t device = 0; device < timeline.totals.size(); ++device) {
    const DeviceTotals& t = timeline.totals[device];
    insert.bind_all(id, static_cast<int64_t>(device), t.compute, t.comm, t.exposed, t.idle, t.flops,
                    t.padded_flops, t.bytes_sent, t.bytes_received, t.bytes_relayed, t.peak_bytes);
    TRY_VOID(insert.run());
  }
  return {};
}

Result<std::shared_ptr<Run>> read_run(const Database& db, int64_t id) {
  // A damaged file can hold any text; nlohmann-json says so by throwing.
  try {
    return read_rows(db, id);
  } catch (const nlohmann::json::exception& error) {
    return io_error("database: run " + std::to_string(id) + " is damaged: " + error.what(), db.path());
  }
}

Result<std::vector<Lane>> parse_lanes(const std::string& json, const std::string& where) {
  try {
    return lanes_of(Json::parse(json));
  } catch (const nlohmann::json::exception& error) {
    return io_error(std::string("database: damaged lanes: ") + error.what(), where);
  }
}

}  // namespace shardscope::inline trace
