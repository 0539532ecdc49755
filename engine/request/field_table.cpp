// SPDX-License-Identifier: Apache-2.0
// The rows.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/collectives/algorithm_table.h"
#include "engine/request/check_kind.h"
#include "engine/request/field_lens.h"
#include "engine/request/loop_fields.h"
#include "engine/request/module_fields.h"

namespace shardscope::inline request {
namespace {

// A part of the problem; a run has it with the whole problem of its own, or not at all.
Field of_problem(Spelling spelling, int doors, Field field, const Access<MatmulProblem>& part) {
  field.scope = Scope::problem;
  field.spelling = spelling;
  field.doors = doors;
  field.experiment = {[part](const Experiment& e) { return part.print(e.problem); },
                      [part](Experiment& e, std::string_view text) { return part.parse(e.problem, text); }};
  field.run = {[part](const RunRequest& r) { return r.problem ? part.print(*r.problem) : ""; },
               [part](RunRequest& r, std::string_view text) -> Result<void> {
                 if (text.empty()) {
                   r.problem.reset();
                   return {};
                 }
                 if (!r.problem) r.problem.emplace();
                 return part.parse(*r.problem, text);
               }};
  return field;
}

// A part of a mesh, which a run may have of its own. `print` and `parse` see the mesh and whether the chip
// decides what wraps.
struct MeshPart {
  std::string (*print)(const Mesh& mesh, bool chip_wraps);
  Result<void> (*parse)(Mesh& mesh, bool& chip_wraps, std::string_view text);
};

Field of_mesh(int doors, Field field, MeshPart part) {
  field.scope = Scope::mesh;
  field.doors = doors | kOwnTables;
  field.experiment = {
      [part](const Experiment& e) { return part.print(e.mesh, e.chip_wraps); },
      [part](Experiment& e, std::string_view text) { return part.parse(e.mesh, e.chip_wraps, text); }};
  field.run = {[part](const RunRequest& r) { return r.mesh ? part.print(*r.mesh, r.chip_wraps) : ""; },
               [part](RunRequest& r, std::string_view text) -> Result<void> {
                 if (text.empty()) {
                   r.mesh.reset();
                   r.chip_wraps = false;
                   return {};
                 }
                 if (!r.mesh) r.mesh.emplace();
                 return part.parse(*r.mesh, r.chip_wraps, text);
               }};
  return field;
}

// "row=2,col=4", or "2x4" for that.
Result<void> parse_axes(Mesh& mesh, bool& chip_wraps, std::string_view text) {
  std::string said(text);
  const std::vector<std::string> sizes = split(text, 'x');
  if (sizes.size() == 2 && parse_int(sizes[0]) && parse_int(sizes[1]))
    said = "row=" + sizes[0] + ",col=" + sizes[1];
  if (sizes.size() == 1 && parse_int(text)) said = "row=" + said;
  chip_wraps = true;
  TRY(mesh, Mesh::parse(said));
  return {};
}

std::string print_wrap(const Mesh& mesh, bool chip_wraps) {
  if (chip_wraps || mesh.rank() == 0) return "";
  std::vector<std::string> names;
  for (const MeshAxis& axis : mesh.axes()) {
    if (axis.wrap) names.push_back(axis.name);
  }
  if (names.empty()) return "none";
  return names.size() == mesh.axes().size() ? "all" : join(names, ",");
}

Result<void> parse_wrap(Mesh& mesh, bool& chip_wraps, std::string_view text) {
  chip_wraps = text.empty();
  if (chip_wraps) return {};
  TRY(mesh, with_wrap(mesh, text));
  return {};
}

Result<void> parse_order(Mesh& mesh, bool&, std::string_view text) {
  std::vector<int32_t> order;
  TRY_VOID(from_text(text, order));
  TRY(mesh, Mesh::make(mesh.axes(), std::move(order)));
  return {};
}

// A type brings its sums' type along.
Result<void> parse_dtype(MatmulProblem& problem, std::string_view text) {
  TRY_VOID(from_text(text, problem.dtype));
  problem.accumulate = default_accumulate(problem.dtype);
  return {};
}

Result<void> parse_strategy(RunRequest& run, std::string_view text) {
  if (!text.empty()) TRY_VOID(find_strategy(text));
  run.strategy = text;
  return {};
}

Result<void> parse_reference(Experiment& e, std::string_view text) {
  if (text != kF64Reference && text != kQuickReference) TRY_VOID(find_strategy(text));
  e.check.reference = text;
  return {};
}

std::vector<std::string> all_names(const auto& values) {
  std::vector<std::string> out;
  for (const auto value : values) out.emplace_back(name(value));
  return out;
}

const std::vector<std::string> kOnOff{"on", "off"};
const std::vector<std::string> kTypes = all_names(problem_types());

std::vector<std::string> collective_words() {
  std::vector<std::string> out{name(CollectiveAlgorithm::automatic)};
  for (const AlgorithmRow& row : collective_algorithms()) out.emplace_back(row.word);
  out.emplace_back(name(CollectiveAlgorithm::nccl));
  return out;
}

// What a chip, its links and its numbers may be changed to.
void add_changes(std::vector<Field>& out) {
  const auto add = [&](int doors, Field field, auto lens) {
    out.push_back(
        of_experiment(Scope::experiment, Spelling::text, kOption | kWhatIf | doors, std::move(field), lens));
  };
  add(
      kModule | kOwnTables | kRepeats,
      {.key = "slow-device", .help = "Chips at a share of their speed, as in 3=0.5"},
      [](auto& e) -> auto& { return e.overrides.devices; });
  add(
      kModule | kOwnTables | kRepeats,
      {.key = "slow-link", .help = "Links at a share of their bandwidth, 0 broken, as in 0-1=0.25"},
      [](auto& e) -> auto& { return e.overrides.links; });
  add(
      kRepeats,
      {.key = "link",
       .help = "All links of a mesh axis: col=x2, twice the bandwidth; col=0, no time; col=x0, broken"},
      [](auto& e) -> auto& { return e.overrides.axes; });
  add(
      0, {.key = "latency", .help = "Of every link: x0.5, or in seconds, as in 0", .unsaid = "the chip's"},
      [](auto& e) -> auto& { return e.chip.latency; });
  add(
      0, {.key = "peak", .help = "Of products: x2, or in flop/s", .unsaid = "the chip's"},
      [](auto& e) -> auto& { return e.chip.peak; });
  add(
      0, {.key = "hbm", .help = "Bandwidth of the memory: x2, or in bytes/s", .unsaid = "the chip's"},
      [](auto& e) -> auto& { return e.chip.hbm; });
  add(
      0,
      {.key = "launch",
       .help = "Overhead of launching a product and a collective: x0.5, or in seconds, as in 0",
       .unsaid = "the chip's"},
      [](auto& e) -> auto& { return e.chip.launch; });
}

void add_experiment(std::vector<Field>& out) {
  const auto add = [&](Spelling spelling, int doors, Field field, auto lens) {
    out.push_back(of_experiment(Scope::experiment, spelling, doors, std::move(field), lens));
  };
  add(
      Spelling::text, 0, {.key = "title", .help = "A line for people"},
      [](auto& e) -> auto& { return e.title; });
  add(
      Spelling::text, 0, {.key = "source", .help = "Where it comes from"},
      [](auto& e) -> auto& { return e.source; });
  add(
      Spelling::text, 0, {.key = "notes", .help = "What to look at"},
      [](auto& e) -> auto& { return e.notes; });
  add(
      Spelling::list, 0, {.key = "warnings", .help = "Shown with the experiment"},
      [](auto& e) -> auto& { return e.warnings; });
  add(
      Spelling::text, kOption | kModule | kAxis,
      {.key = "hardware", .help = "A chip preset or a hardware file"},
      [](auto& e) -> auto& { return e.hardware; });
  add_changes(out);
  add(
      Spelling::flag, kOption | kModule | kAxis | kRow,
      {.key = "overlap",
       .help = "What may run at once: on, by dependencies; off, in program order",
       .values = kOnOff},
      [](auto& e) -> auto& { return e.overlap; });
  Field& collective = out.emplace_back(of_experiment(
      Scope::experiment, Spelling::text, kOption | kModule | kAxis | kRow,
      {.key = "collective",
       .help = "Algorithm of collectives: " + legality_help(),
       .values = collective_words()},
      [](auto& e) -> auto& { return e.collective; }));
  collective.run = access<RunRequest>([](auto& r) -> auto& { return r.collective; });
  add(
      Spelling::text, kOption | kAxis | kRow,
      {.key = "kernels",
       .help = "What is timed by its kernels; with collectives the run is in program order",
       .values = all_names(kKernelTimings)},
      [](auto& e) -> auto& { return e.kernels; });
  add(
      Spelling::count, kOption | kModule | kAxis | kRow,
      {.key = "efficiency",
       .help = "Percent of the chip's peak that a product reaches, from 1 to 100",
       .unit = "%",
       .unsaid = "as the chip says",
       .range = Range{1, 100}},
      [](auto& e) -> auto& { return e.efficiency; });
  add_module_fields(out);
}

void add_mesh(std::vector<Field>& out) {
  out.push_back(of_mesh(kOption | kModule | kAxis,
                        {.key = "mesh", .help = "Mesh axes, as in row=2,col=4 (or 2x4)"},
                        {[](const Mesh& mesh, bool) { return mesh.text(); }, parse_axes}));
  out.push_back(of_mesh(kOption | kModule,
                        {.key = "wrap",
                         .help = "Axes whose links close to a ring: all, none or names",
                         .unsaid = "as on the chip"},
                        {print_wrap, parse_wrap}));
  out.push_back(of_mesh(kOption | kModule,
                        {.key = "device-order", .help = "Chip of each logical device, as in 0,2,1,3"},
                        {[](const Mesh& mesh, bool) { return to_text(mesh.device_order()); }, parse_order}));
}

void add_problem(std::vector<Field>& out) {
  const int size = kOption | kAxis | kRow | kRequired;
  const auto add = [&](const char* key, const char* help, auto lens) {
    out.push_back(of_problem(Spelling::count, size, {.key = key, .help = help, .range = Range{1}},
                             access<MatmulProblem>(lens)));
  };
  add(
      "m", "Rows of X and Y", [](auto& p) -> auto& { return p.m; });
  add(
      "k", "Columns of X, rows of W", [](auto& p) -> auto& { return p.k; });
  add(
      "n", "Columns of W and Y", [](auto& p) -> auto& { return p.n; });
  out.push_back(of_problem(Spelling::text, kOption | kAxis | kRow,
                           {.key = "dtype", .help = "Element type", .values = kTypes},
                           {[](const MatmulProblem& p) { return to_text(p.dtype); }, parse_dtype}));
  out.push_back(of_problem(Spelling::text, kOption | kAxis | kRow,
                           {.key = "accumulate",
                            .help = "Type of partial sums; 16-bit types have f32 or bf16, others their own",
                            .values = kTypes},
                           access<MatmulProblem>([](auto& p) -> auto& { return p.accumulate; })));
  out.push_back(of_problem(Spelling::text, kOption | kAxis | kRow,
                           {.key = "sum-dtype",
                            .help = "Type of sums between devices: the result's, as frameworks send, or f32",
                            .values = all_names(kSumTypes)},
                           access<MatmulProblem>([](auto& p) -> auto& { return p.sum; })));
  out.push_back(of_experiment(
      Scope::problem, Spelling::text, kOption | kRow,
      {.key = "fill",
       .help =
           "Data: exact integers, ramp 0, 1, 2, …, arange of floats over its size, jax.random.normal by seed",
       .values = all_names(kFills)},
      [](auto& e) -> auto& { return e.fill; }));
  out.push_back(of_experiment(
      Scope::problem, Spelling::count, kOption | kModule | kRow,
      {.key = "seed", .help = "Seed of the fill, below 2^64", .range = Range{0}},
      [](auto& e) -> auto& { return e.seed; }));
}

void add_check(std::vector<Field>& out) {
  Field reference{
      .key = "reference",
      .scope = Scope::check,
      .doors = kOption | kRow,
      .help =
          "What results are compared with: f64 (the product in f64, rounded once), quick (rows of Y·r "
          "with those of X·(W·r) for 4 random vectors r; with exact data a wrong row passes with a "
          "probability of at most 2^-40, with other data small errors pass) or a strategy's own result on "
          "the same data"};
  reference.offered = {kF64Reference, kQuickReference};
  for (const Strategy& strategy : strategies()) reference.offered.emplace_back(strategy.id);
  reference.experiment = {[](const Experiment& e) { return e.check.reference; }, parse_reference};
  out.push_back(std::move(reference));
  const auto add = [&](const char* key, const char* help, auto lens) {
    out.push_back(of_experiment(Scope::check, Spelling::number, kOption | kRow,
                                {.key = key, .help = help, .unsaid = "by type and fill", .range = Range{0}},
                                lens));
  };
  add(
      "rtol", "Relative tolerance of the check", [](auto& e) -> auto& { return e.check.rtol; });
  add(
      "atol", "Absolute tolerance of the check", [](auto& e) -> auto& { return e.check.atol; });
  out.push_back(of_experiment(
      Scope::check, Spelling::text, kOption | kRow,
      {.key = "regions", .help = "Largest grid of regions for which differences are reported, as in 8x8"},
      [](auto& e) -> auto& { return e.check.regions; }));
}

void add_run(std::vector<Field>& out) {
  Field strategy{.key = "strategy",
                 .scope = Scope::run,
                 .doors = kRequired,
                 .help = "Strategy id or alias (see strategies)"};
  strategy.run = {[](const RunRequest& r) { return r.strategy; }, parse_strategy};
  out.push_back(std::move(strategy));
  out.push_back(of_run(
      Spelling::text, 0, {.key = "label", .help = "Its name among linked runs"},
      [](auto& r) -> auto& { return r.label; }));
  out.push_back(of_run(
      Spelling::pairs, kOption | kRow,
      {.key = "axes",
       .help = "Which mesh axis plays which role of a strategy, as in row=b,col=a",
       .unsaid = "by position"},
      [](auto& r) -> auto& { return r.options.axes; }));
  const auto count = [&](const char* key, const char* help, const char* unsaid, auto lens) {
    out.push_back(of_run(Spelling::count, kOption | kAxis | kRow,
                         {.key = key, .help = help, .unsaid = unsaid, .range = Range{1, 1'000'000'000}},
                         lens));
  };
  count(
      "slices", "Slices S that a gather is split into", "the largest legal up to 8",
      [](auto& r) -> auto& { return r.options.slices; });
  count(
      "block", "Width b of a block or of a panel", "the largest legal up to 8, for panels of summa up to 512",
      [](auto& r) -> auto& { return r.options.block; });
  count(
      "prefetch", "Slices of meshslice that are gathered or multiplied at a time", "2",
      [](auto& r) -> auto& { return r.options.prefetch; });
  count(
      "experts", "Experts", "two for each device", [](auto& r) -> auto& { return r.options.experts; });
  const auto spec = [&](const char* key, const char* file, const char* help, auto lens) {
    out.push_back(of_run(Spelling::text, kOption,
                         {.key = key, .help = help, .unsaid = "the strategy's own", .file = file}, lens));
  };
  spec(
      "in-lhs", "in_lhs", "Sharding of X, as in \"P('row','col')\"",
      [](auto& r) -> auto& { return r.options.in_lhs; });
  spec(
      "in-rhs", "in_rhs", "Sharding of W", [](auto& r) -> auto& { return r.options.in_rhs; });
  spec(
      "out-spec", "out", "Sharding of Y", [](auto& r) -> auto& { return r.options.out; });
}

void add_execution(std::vector<Field>& out) {
  const auto add = [&](Spelling spelling, Field field, auto lens) {
    out.push_back(of_execution(spelling, std::move(field), lens));
  };
  add(
      Spelling::flag,
      {.key = "numerics", .help = "Run and check the numbers, or time only", .values = kOnOff},
      [](auto& e) -> auto& { return e.numerics; });
  Field events{.key = "events",
               .scope = Scope::execution,
               .doors = kOption,
               .help = "Every event is kept, or totals only above 20 million",
               .values = {"auto", "all"}};
  events.execution = {
      [](const ExecutionSettings& e) { return std::string(e.most_events == 0 ? "all" : "auto"); },
      [](ExecutionSettings& e, std::string_view text) -> Result<void> {
        e.most_events = text == "all" ? 0 : ExecutionSettings{}.most_events;
        return {};
      }};
  out.push_back(std::move(events));
  add(
      Spelling::count,
      {.key = "repeat", .help = "Timed executions of the program", .range = Range{0, 1'000'000}},
      [](auto& e) -> auto& { return e.repeat; });
  add(
      Spelling::count,
      {.key = "threads",
       .doors = kModule,
       .help = "Threads of the simulation",
       .unsaid = "all",
       .range = Range{1, kMostThreads}},
      [](auto& e) -> auto& { return e.threads; });
}

std::vector<Field> make_fields() {
  std::vector<Field> out;
  for (const auto add :
       {add_mesh, add_problem, add_run, add_experiment, add_check, add_loop_fields, add_execution})
    add(out);
  for (Field& field : out) {
    if (!field.file.empty()) continue;
    field.file = field.key;
    std::ranges::replace(field.file, '-', '_');
  }
  return out;
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> all = make_fields();
  return all;
}

}  // namespace shardscope::inline request
