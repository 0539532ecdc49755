// SPDX-License-Identifier: Apache-2.0
#include "engine/run/instruction_cost.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "engine/backend/product_epilogue.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/local_work.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/layout.h"

namespace shardscope::inline run {
namespace {

const Shape& operand(const CostCase& c, size_t k) {
  return c.computation.at(c.instruction.operands[k]).shape;
}

int64_t bytes_touched(const CostCase& c) {
  int64_t bytes = moved_bytes(c.instruction.shape);
  for (size_t k = 0; k < c.instruction.operands.size(); ++k) bytes += moved_bytes(operand(c, k));
  return bytes;
}

Result<LocalCost> through_memory(const CostCase& c, int64_t bytes, std::string assumption = "") {
  LocalCost out;
  out.bytes = bytes;
  TRY(out.cost, elementwise_cost(c.hardware, bytes));
  if (!assumption.empty()) out.assumptions.push_back(std::move(assumption));
  return out;
}

Result<LocalCost> nothing(const CostCase&) {
  return LocalCost();
}

Result<LocalCost> memory(const CostCase& c) {
  TRY(LocalCost out, through_memory(c, bytes_touched(c)));
  if (c.by_product) {
    out.cost = {};
    out.assumptions.emplace_back(
        "what follows a product element by element is done by its kernel, as XLA's compiler does; compile-as "
        "none times it apart");
    return out;
  }
  TRY(out.cost,
      elementwise_cost(c.hardware, out.bytes, elementwise_operations(c.computation, c.instruction)));
  return out;
}

Result<LocalCost> copy(const CostCase& c) {
  LocalCost out;
  out.bytes = bytes_touched(c);
  TRY(out.cost, work_cost(c.hardware, "copy", out.bytes));
  return out;
}

Result<LocalCost> product(const CostCase& c) {
  const DotSize dims = dot_size(c.computation, c.instruction);
  const Multiplied how = multiplied_as(c.program, c.computation, c.instruction);
  TRY(const Peak peak, peak_for(c.hardware, how));
  const ProductSize once{dims.batch, dims.m, dims.k, dims.n}, size = in_passes(once, peak.passes);
  LocalCost out;
  out.flops = dot_flops(c.computation, c.instruction);
  out.padded_flops = padded_flops(c.hardware, once);
  out.bytes = bytes_touched(c) + (c.accumulates ? c.instruction.shape.bytes() : 0);
  if (!peak.assumption.empty()) out.assumptions.push_back(peak.assumption);
  if (is_complex(how.type))
    out.assumptions.push_back("a product of complex numbers takes as long as four real ones");
  if (is_grouped_product(c.instruction))
    out.assumptions.push_back(
        "a grouped product takes as long on every device as on the one with the most rows");
  if (c.instruction.opcode == Opcode::convolution && !product_dims(c.computation, c.instruction))
    out.assumptions.push_back(kConvolutionAsProduct);
  TRY(out.cost, product_cost(c.hardware, peak, size, out.bytes, c.accumulates));
  if (has_scratch(c.instruction)) out.cost.overhead += to_picoseconds(c.hardware.programs.scratch_s);
  out.draws_power = draws_power(peak.type);
  return out;
}

// Indices are read, and as many elements of the table as the result has, which are written.
Result<LocalCost> lookup(const CostCase& c) {
  return through_memory(c, operand(c, 1).bytes() + 2 * c.instruction.shape.bytes(),
                        "a gather reads the elements that it takes, at the memory's full bandwidth");
}

Result<LocalCost> update(const CostCase& c) {
  int64_t bytes = 0;
  const size_t arrays = c.instruction.operands.size() / 2;
  for (size_t k = arrays; k < c.instruction.operands.size(); ++k)
    bytes += (k == arrays ? 1 : 3) * operand(c, k).bytes();  // indices; updates, and what they change twice
  return through_memory(
      c, bytes, "a scatter works in place: it reads its updates, and reads and writes what they change");
}

Result<LocalCost> sort(const CostCase& c) {
  const int64_t size = operand(c, 0).dims[static_cast<size_t>(c.instruction.dimensions[0])];
  const int64_t passes =
      std::max<int64_t>(1, std::bit_width(static_cast<uint64_t>(std::max<int64_t>(size, 1) - 1)));
  return through_memory(c, passes * bytes_touched(c),
                        "a sort merges: it reads and writes its arrays in each of log2(size) passes");
}

Result<LocalCost> window(const CostCase& c) {
  return through_memory(c, bytes_touched(c),
                        "a reduce-window reads each element from memory once, however many windows hold it");
}

Result<LocalCost> pick(const CostCase& c) {
  return through_memory(c, bytes_touched(c), "top-k reads its array once");
}

Result<LocalCost> transform(const CostCase& c) {
  const auto* fft = std::get_if<Fft>(&*c.instruction.attributes);
  const auto passes = static_cast<int64_t>(fft == nullptr ? 1 : fft->length.size());
  return through_memory(c, passes * bytes_touched(c),
                        "an fft reads and writes its array once for each dimension that it transforms");
}

// n³/3 flops of a factor, n² of each column that is solved for: as products of as many.
Result<LocalCost> solve(const CostCase& c) {
  const Shape& matrix = operand(c, 0);
  const int64_t n = matrix.dims.back();
  const bool factorises = c.instruction.operands.size() == 1;  // there is nothing that it solves for
  const int64_t columns = factorises || n == 0 ? 0 : operand(c, 1).element_count() / std::max<int64_t>(n, 1);
  int64_t batch = 1;
  for (size_t d = 0; d + 2 < matrix.rank(); ++d) batch *= matrix.dims[d];
  const ProductSize size{factorises ? batch : 1, n, std::max<int64_t>(1, factorises ? n / 6 : n / 2),
                         factorises ? n : columns};
  LocalCost out;
  out.bytes = bytes_touched(c);
  out.flops = 2.0 * static_cast<double>(size.batch) * static_cast<double>(size.m) *
              static_cast<double>(size.k) * static_cast<double>(size.n);
  out.padded_flops = padded_flops(c.hardware, size);
  out.assumptions.push_back("a factorisation or solution takes as long as a product of as many flops");
  TRY(const Peak peak, peak_for(c.hardware, matrix.type));
  if (!peak.assumption.empty()) out.assumptions.push_back(peak.assumption);
  TRY(out.cost, product_cost(c.hardware, peak, size, out.bytes));
  return out;
}

// A fusion or a custom-call; what else is called is written out before it is timed.
Result<LocalCost> called(const CostCase& c) {
  const bool fusion = c.instruction.opcode == Opcode::fusion;
  if (!fusion && c.instruction.opcode != Opcode::custom_call)
    return invalid(fmt::format("{} is not written out", opcode_text(c.instruction.opcode)));
  return local_cost(c.program, c.computation, c.instruction, c.hardware, c.timing);
}

// An operation of HLO that we read and know nothing else of.
Result<LocalCost> not_known(const CostCase& c) {
  constexpr std::string_view kOfTheHost[] = {"send", "send-done", "recv", "recv-done", "infeed", "outfeed"};
  const std::string_view word = opcode_text(c.instruction);
  if (std::ranges::find(kOfTheHost, word) == std::end(kOfTheHost))
    return through_memory(c, bytes_touched(c), time_not_known(word));
  LocalCost out;
  out.assumptions.push_back(fmt::format("{} exchanges data with the host, which takes no time here", word));
  return out;
}

using CostRule = Result<LocalCost> (*)(const CostCase&);

struct ClassRule {
  CostClass of;
  CostRule rule;
};
constexpr ClassRule kRules[] = {
    {CostClass::free, &nothing},    {CostClass::memory, &memory},       {CostClass::copy, &copy},
    {CostClass::product, &product}, {CostClass::lookup, &lookup},       {CostClass::update, &update},
    {CostClass::sort, &sort},       {CostClass::window, &window},       {CostClass::pick, &pick},
    {CostClass::solve, &solve},     {CostClass::transform, &transform}, {CostClass::custom, &called},
    {CostClass::called, &called},
};

CostRule rule_of(Opcode opcode) {
  const CostClass of = operation(opcode).cost;
  const auto found =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const ClassRule& r) { return r.of == of; });
  return found == std::end(kRules) ? nullptr : found->rule;
}

}  // namespace

std::vector<bool> done_by_products(const Program& program, const Computation& computation,
                                   const Hardware& hardware, const ModuleTiming& timing) {
  return done_by_products(program, computation, timing.compile_as.value_or(compiler_of(hardware)));
}

Result<LocalCost> instruction_cost(const CostCase& c) {
  const Instruction& i = c.instruction;
  const CostRule rule = is_known(i.opcode) ? rule_of(i.opcode) : &not_known;
  auto cost = rule != nullptr ? rule(c) : invalid(fmt::format("no cost rule for {}", opcode_text(i)));
  if (cost.ok()) return cost;
  Error error = cost.error();
  error.where = "%" + i.name + (error.where.empty() || error.where == "hardware" ? "" : ", " + error.where);
  return error;
}

std::string time_hole(Opcode opcode) {
  const CostClass of = operation(opcode).cost;
  return of == CostClass::link || rule_of(opcode) != nullptr ? "" : "no cost rule";
}

}  // namespace shardscope::inline run
