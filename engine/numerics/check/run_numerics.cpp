// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "engine/base/machine/memory_limit.h"
#include "engine/base/units.h"
#include "engine/numerics/check/exact_comparison.h"
#include "engine/numerics/check/gather_result.h"
#include "engine/numerics/check/numerics.h"
#include "engine/numerics/check/quick_check.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/op_table.h"
#include "engine/run/steps.h"

namespace shardscope::inline numerics {

namespace {

// Bytes that executing needs at its peak, about: all shards, and what products, sums and elementwise work
// make, until the last reader. Views need nothing.
double estimated_bytes(const Program& program) {
  const Computation& entry = program.entry_computation();
  std::vector<size_t> last(entry.instructions.size());
  for (size_t n = 0; n < entry.instructions.size(); ++n) {
    for (InstructionId operand : entry.instructions[n].operands) last[static_cast<size_t>(operand.value)] = n;
  }
  std::vector<double> ends(entry.instructions.size() + 1);
  std::map<int64_t, int> products;  // that read a value on the right
  double live = 0, peak = 0;
  for (size_t n = 0; n < entry.instructions.size(); ++n) {
    const Instruction& i = entry.instructions[n];
    static const OpTable<bool> kMoves(
        {}, {{Opcode::all_gather, true}, {Opcode::collective_permute, true}, {Opcode::all_to_all, true}});
    const bool parameter = i.opcode == Opcode::parameter;
    if (parameter || !(is_free(i) || kMoves[i.opcode])) {
      const double bytes = static_cast<double>(i.shape.bytes());
      live += bytes;
      if (!parameter) ends[std::max(last[n], n)] += bytes;
    }
    if (i.opcode == Opcode::dot && ++products[i.operands[1].value] == 2) {  // kept packed
      const double bytes = static_cast<double>(entry.at(i.operands[1]).shape.bytes());
      live += bytes;
      ends[last[static_cast<size_t>(i.operands[1].value)]] += bytes;
    }
    peak = std::max(peak, live);
    live -= ends[n];
  }
  double result = 0;  // gathered, and compared with differences in f32
  if (program.output) {
    result = 1;
    for (int64_t dim : program.output->dims) result *= static_cast<double>(dim);
  }
  return peak * static_cast<double>(program.mesh.device_count()) + result * 12;
}

// `walls`: of the executions before the timed ones too.
Measured summarise(const std::vector<double>& walls, const NumericsOptions& options, Isa isa) {
  Measured m = measured_of({walls.end() - static_cast<std::ptrdiff_t>(options.repeat), walls.end()});
  m.warmup = options.warmup;
  m.kernel = kernel_name(isa);
  return m;
}

// What checking the outputs of one execution needs.
struct Check {
  const Program& program;
  const ProblemData& data;
  const ProgramArrays& arrays;
  const NumericsOptions& options;
  const Workers& workers;
  const std::stop_token& stop;
};

// Tolerances that nobody asked for count what the program's own roundings can do.
bool by_default(const NumericsOptions& options) {
  return !options.rtol && !options.atol;
}

Array sum_of(const Array& a, const Array& b) {
  if (a.element_count() == 0 || a.dims() != b.dims()) return a.element_count() == 0 ? b : a;
  Array out = Array::allocate(ElementType::f32, a.dims());
  const auto x = a.as<float>(), y = b.as<float>();
  std::transform(x.begin(), x.end(), y.begin(), out.mutable_as<float>().begin(), std::plus<>());
  return out;
}

// Compares Y[m,n] with another program's, or with the f64 product rounded to the type that Y came in; and
// both with the f64 product before any rounding.
Result<NumericsReport> check_product(const Check& c, const Array& result, Tolerance tolerance) {
  const ReferenceRun* other = c.options.reference.get();
  const Array expected = other != nullptr ? other->result : rounded_product(c.data, result.type());
  if (expected.dims() != result.dims())
    return invalid("the result has another shape than the reference", c.program.name);
  if (other != nullptr && by_default(c.options))
    tolerance.rounding = sum_of(tolerance.rounding, other->rounding);
  NumericsReport report = compare(result, expected, tolerance, c.workers, c.options.regions);
  if (other != nullptr) report.reference = other->strategy;
  const PartialSums own = partial_sums(c.program, c.data.problem);
  const ComparedSide reference{
      "the reference", expected,
      other != nullptr ? partial_sums(other->program, c.data.problem) : PartialSums{}};
  report.exact = compare_exact(c.data, {"the result", result, own}, reference, other == nullptr,
                               tolerance.rtol, c.workers);
  return report;
}

// By how much the program's roundings can move each element of one output; empty: not followed, or they
// cannot be.
Result<Array> rounding_of(const Check& c, size_t output, const ArrayInfo& info, const Array& result,
                          Interpreter& interpreter) {
  RoundingBound* bound = interpreter.roundings();
  if (bound == nullptr || !bound->known() || bound->is_zero()) return Array();
  TRY(GatheredResult gathered,
      gather_result(bound->program(), output, bound->root(), interpreter, c.workers, c.stop));
  // Partial sums along unreduced axes are added up by gathering, and rounded once.
  if (!info.unreduced.empty() && is_narrow(result.type()))
    add_half_spacing(result.type(), result.data(), gathered.array.mutable_as<float>().data(),
                     result.element_count());
  return gathered.array;
}

// Those of the arrays that its check reads.
ProgramArrays checked_arrays(const Program& program, ProgramArrays arrays) {
  std::set<std::string> read;
  for (const ArrayInfo& info : outputs_of(program)) {
    read.insert(symbol_of(info));
    if (info.role == ArrayRole::block_gram) read.insert(symbol_of(program.inputs.front()));
  }
  std::erase_if(arrays.by_symbol, [&](const auto& known) { return !read.contains(known.first); });
  return arrays;
}

// One output that was compared.
struct CheckedOutput {
  Array array, rounding;
  NumericsReport report;
};

CheckedOutput with_disagreement(CheckedOutput out, const std::string& disagreement, const ArrayInfo& info,
                                const Program& program) {
  if (!program.further_outputs.empty()) out.report.array = symbol_of(info);
  if (!disagreement.empty()) {
    out.report.allclose = false;
    out.report.warnings.push_back(disagreement);
  }
  return out;
}

Result<CheckedOutput> check_output(const Check& c, size_t output, const ArrayInfo& info,
                                   const std::vector<DeviceValue>& shards, Interpreter& interpreter) {
  CheckedOutput out;
  TRY(GatheredResult gathered, gather_result(c.program, output, shards, interpreter, c.workers, c.stop));
  out.array = gathered.array;
  const bool is_product = info.role == ArrayRole::product && c.program.definitions.empty();
  if (c.options.quick && is_product && has_quick_check(c.data.problem)) {
    TRY(out.rounding, rounding_of(c, output, info, out.array, interpreter));
    const auto [rtol, atol] = default_tolerance(c.data);
    const Tolerance tolerance{c.options.rtol.value_or(rtol), c.options.atol.value_or(atol),
                              by_default(c.options) ? out.rounding : Array()};
    out.report = quick_check(out.array, c.data, tolerance, c.workers, c.stop);
    if (c.stop.stop_requested()) return cancelled();
    return with_disagreement(std::move(out), gathered.disagreement, info, c.program);
  }
  TRY(const Array expected, expected_result(c.program, info, c.arrays, c.data, c.workers, c.stop));
  out.report.shape = out.array.dims();
  if (expected.element_count() > 0) {
    if (expected.dims() != out.array.dims())
      return invalid("the result has another shape than the reference", c.program.name);
    const auto [default_rtol, default_atol] = output_tolerance(c.program, c.arrays, c.data, expected);
    TRY(out.rounding, rounding_of(c, output, info, out.array, interpreter));
    const Tolerance tolerance{c.options.rtol.value_or(default_rtol), c.options.atol.value_or(default_atol),
                              by_default(c.options) ? out.rounding : Array()};
    if (is_product) {
      TRY(out.report, check_product(c, out.array, tolerance));
    } else {
      out.report = compare(out.array, expected, tolerance, c.workers, c.options.regions);
    }
  }
  return with_disagreement(std::move(out), gathered.disagreement, info, c.program);
}

bool is_worse(const NumericsReport& a, const NumericsReport& b) {
  if (a.allclose != b.allclose) return b.allclose;
  if (a.percent_bad != b.percent_bad) return a.percent_bad > b.percent_bad;
  return a.max_abs > b.max_abs;
}

// The report is that of the worst output.
Result<void> check_outputs(const Check& c, const std::vector<DeviceValue>& shards, Interpreter& interpreter,
                           NumericsOutcome& outcome) {
  const std::vector<ArrayInfo> outputs = outputs_of(c.program);
  for (size_t output = 0; output < outputs.size(); ++output) {
    TRY(CheckedOutput checked, check_output(c, output, outputs[output], shards, interpreter));
    if (output == 0) {
      outcome.result = std::move(checked.array);
      outcome.rounding = std::move(checked.rounding);
    }
    if (output == 0 || is_worse(checked.report, outcome.report)) outcome.report = std::move(checked.report);
  }
  outcome.report.warnings.insert(outcome.report.warnings.begin(), c.data.warnings.begin(),
                                 c.data.warnings.end());
  return {};
}

}  // namespace

Result<NumericsOutcome> run_numerics(const Program& program, const ProblemData& data,
                                     const NumericsOptions& options, const Workers& workers,
                                     std::stop_token stop) {
  const bool exact_data = data.exact && program.definitions.empty();
  const bool follows = by_default(options) && !exact_data && RoundingBound::rounds(program);
  // Bounds are as large as what they are of.
  const double bytes = estimated_bytes(program) * (follows ? 2 : 1);
  if (options.made) options.made->pool.trim();  // what earlier runs left is room too
  TRY_VOID(require_memory(
      bytes, "executing " + program.name + " on " + group_digits(program.mesh.device_count()) + " devices",
      "fewer devices or smaller m, k, n would fit; or say --numerics off"));
  if (program.inputs.empty() || !program.output) {
    return invalid("the program does not say what its parameters are", program.name, "say --numerics off");
  }
  TRY(ProgramArrays made, program_arrays(program, data, workers, stop, options.made.get()));
  const ProgramArrays arrays = checked_arrays(program, made);
  const BufferPool pool = options.made ? options.made->pool : BufferPool();
  TRY(auto parameters, shard_inputs(program, std::move(made), workers, stop, pool));
  const Isa isa = arrays.exact ? exact_isa() : best_isa();
  Interpreter interpreter(program, workers, options.trap_slices, isa);
  interpreter.use(pool);
  interpreter.follow(options.schedules);
  // One execution without warm-up is the checked one, timed.
  const bool time_checked = options.repeat == 1 && options.warmup == 0;
  const int64_t timed = options.repeat > 0 && !time_checked ? options.warmup + options.repeat : 0;
  const double executions = static_cast<double>(1 + timed);
  int64_t done = 0;
  const std::function<void(double)> progress = [&](double fraction) {
    if (options.progress) options.progress((static_cast<double>(done) + fraction) / executions);
  };
  NumericsOutcome outcome;
  RunLimits limits(stop);
  limits.ranks = options.ranks;
  {
    if (follows && !arrays.exact) interpreter.bound_roundings();
    TRY(const std::vector<DeviceValue> shards,
        interpreter.run(timed > 0 ? parameters : std::move(parameters), limits, progress));
    if (time_checked) {
      const RoundingBound* bound = interpreter.roundings();
      const bool aside = bound == nullptr || options.ranks != nullptr;
      outcome.walls.push_back(interpreter.seconds() - (aside ? 0 : bound->seconds()));
    }
    TRY_VOID(check_outputs({program, data, arrays, options, workers, stop}, shards, interpreter, outcome));
  }
  for (int64_t i = 0; i < timed; ++i) {  // only where the parameters were kept
    ++done;
    progress(0);
    // NOLINTNEXTLINE(bugprone-use-after-move)
    TRY(const std::vector<DeviceValue> shards, interpreter.run(parameters, limits));
    outcome.walls.push_back(interpreter.seconds());
  }
  if (!outcome.walls.empty() && options.repeat > 0) outcome.measured = summarise(outcome.walls, options, isa);
  return outcome;
}

}  // namespace shardscope::inline numerics
