// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/program/analysis/local_work.h"
#include "engine/program/ir/call_config.h"
#include "engine/program/ir/layout.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline program {
namespace {

size_t number_of(InstructionId id) {
  return static_cast<size_t>(id.value);
}

// What a fused computation reads of its parameters and writes of its results.
class Traffic {
 public:
  Traffic(const Program& program, const Computation& computation)
      : program_(program), computation_(computation), readers_(computation.instructions.size()) {
    for (size_t k = 0; k < readers_.size(); ++k)
      for (const InstructionId operand : computation.instructions[k].operands)
        readers_[number_of(operand)].push_back(InstructionId(static_cast<int64_t>(k)));
    add_results(computation.root);
  }

  int64_t read_of(int64_t parameter) const {
    for (size_t k = 0; k < readers_.size(); ++k) {
      const Instruction& i = computation_.instructions[k];
      if (i.parameter_number == parameter) return read(InstructionId(static_cast<int64_t>(k)));
    }
    return 0;
  }

  int64_t written() const {
    int64_t bytes = 0;
    for (const InstructionId id : results_) bytes += written_by(computation_.at(id));
    return bytes;
  }

 private:
  void add_results(InstructionId id) {
    const Instruction& i = computation_.at(id);
    if (i.opcode == Opcode::tuple || (has(i.opcode, Trait::view) && !i.operands.empty())) {
      for (const InstructionId operand : i.operands) add_results(operand);
    } else {
      results_.push_back(id);
    }
  }
  bool is_result(InstructionId id) const { return std::ranges::find(results_, id) != results_.end(); }

  int64_t read(InstructionId id) const {
    const int64_t whole = moved_bytes(computation_.at(id).shape);
    int64_t bytes = 0;
    for (const InstructionId reader : readers_[number_of(id)]) {
      const Instruction& i = computation_.at(reader);
      for (size_t k = 0; k < i.operands.size(); ++k)
        if (i.operands[k] == id) bytes += read_by(reader, k);
      if (bytes >= whole) return whole;
    }
    return bytes;
  }

  // Of operand `which` by one of its readers.
  int64_t read_by(InstructionId reader, size_t which) const {
    const Instruction& i = computation_.at(reader);
    const int64_t whole = computation_.at(i.operands[which]).shape.bytes();
    static const OpTable<ReadRule> rules({}, {{Opcode::tuple, &Traffic::nothing_read},
                                              {Opcode::get_tuple_element, &Traffic::read_through},
                                              {Opcode::bitcast, &Traffic::read_through},
                                              {Opcode::reshape, &Traffic::read_through},
                                              {Opcode::slice, &Traffic::part_read},
                                              {Opcode::dynamic_slice, &Traffic::part_read},
                                              {Opcode::gather, &Traffic::looked_up},
                                              {Opcode::dynamic_update_slice, &Traffic::kept_around},
                                              {Opcode::scatter, &Traffic::changed},
                                              {Opcode::fusion, &Traffic::read_inside}});
    const ReadRule rule = rules[i.opcode];
    return rule == nullptr ? whole : (this->*rule)({reader, i, which, whole});
  }

  struct Reading {
    InstructionId reader;
    const Instruction& i;
    size_t which;   // of its operands
    int64_t whole;  // bytes of that
  };
  using ReadRule = int64_t (Traffic::*)(const Reading&) const;
  int64_t nothing_read(const Reading&) const { return 0; }
  int64_t read_through(const Reading& r) const { return read(r.reader); }
  // The other operands of a slice say where it is.
  int64_t part_read(const Reading& r) const { return r.which == 0 ? r.i.shape.bytes() : r.whole; }
  int64_t looked_up(const Reading& r) const {
    return r.which == 0 ? std::min(r.whole, r.i.shape.bytes()) : r.whole;
  }
  // Where the result stands in the array that is updated, what is not updated is not read.
  int64_t kept_around(const Reading& r) const { return r.which == 0 && is_result(r.reader) ? 0 : r.whole; }
  int64_t changed(const Reading& r) const {
    return r.which == 0 && is_result(r.reader) ? updates(r.i) : r.whole;
  }
  int64_t read_inside(const Reading& r) const {
    const Computation* inner = fused_computation(program_, r.i);
    return inner == nullptr ? r.whole : Traffic(program_, *inner).read_of(static_cast<int64_t>(r.which));
  }

  // What a scatter of one array, or an update of a slice, puts there.
  int64_t updates(const Instruction& i) const {
    const bool scatters = i.opcode == Opcode::scatter;
    const size_t first = scatters ? i.operands.size() / 2 + 1 : 1;
    const size_t end = scatters ? i.operands.size() : std::min<size_t>(2, i.operands.size());
    int64_t bytes = 0;
    for (size_t k = first; k < end; ++k) bytes += computation_.at(i.operands[k]).shape.bytes();
    return bytes;
  }

  int64_t written_by(const Instruction& i) const {
    if (i.opcode == Opcode::parameter) return 0;
    const int64_t whole = moved_bytes(i.shape);
    return has(i.opcode, Trait::updates) ? std::min(whole, updates(i)) : whole;
  }

  const Program& program_;
  const Computation& computation_;
  std::vector<std::vector<InstructionId>> readers_;
  std::vector<InstructionId> results_;  // behind tuples and views
};

// Elements of its tile that each thread holds, where the compiler says it (XLA's kernels by Triton).
std::optional<int64_t> elements_a_thread(const Instruction& fusion) {
  constexpr size_t kLongest = size_t{1} << 40;
  const auto sizes = config_dims(fusion, "\"sizes\"", kLongest);
  const auto warps = number_at(config_behind(fusion, "\"num_warps\""));
  if (!sizes || !warps || *warps < 1) return std::nullopt;
  double all = 1;
  for (const int64_t size : *sizes) all *= static_cast<double>(size);
  return static_cast<int64_t>(std::min(all / (32 * *warps), 1e15));
}

// Of softmax, which reduces its rows twice, or uses the exponentials that it knows the sum of, XLA holds 64
// elements a thread, of a norm 16 or 32.
bool keeps_rows(const Computation& fused, int64_t reductions, const Instruction* fusion) {
  constexpr int64_t kMany = 64;
  if (reductions == 0) return false;
  if (const auto elements = fusion != nullptr ? elements_a_thread(*fusion) : std::nullopt)
    return *elements >= kMany;
  const bool has_powers =
      std::ranges::count(fused.instructions, Opcode::exponential, &Instruction::opcode) > 0;
  return (reductions > 1 || has_powers) && !fused.root_instruction().shape.is_tuple &&
         operation(fused.root_instruction().opcode).kind != OpClass::reduction;
}

// More than dimensions of size 1.
bool reduces(const Computation& computation, const Instruction& reduction) {
  const Shape &from = computation.at(reduction.operands[0]).shape, &to = reduction.shape;
  return to.is_tuple || from.element_count() != to.element_count();
}

// Gives back how many reductions are among it.
int64_t add_inner_work(const Program& program, const Computation& computation, LocalWork& out) {
  int64_t reductions = 0;
  for (const Instruction& i : computation.instructions) {
    if (const Computation* inner = fused_computation(program, i)) {
      reductions += add_inner_work(program, *inner, out);
      continue;
    }
    if (i.opcode == Opcode::custom_call) {
      LocalWork called = called_work(computation, i);
      std::ranges::move(called.products, std::back_inserter(out.products));
      std::ranges::move(called.assumptions, std::back_inserter(out.assumptions));
      out.flops += called.flops;
      continue;
    }
    const Operation& of = operation(i.opcode);
    if (of.kind == OpClass::reduction && reduces(computation, i)) ++reductions;
    if (of.kind == OpClass::product) {
      out.scratch = out.scratch || has_scratch(i);
      out.products.push_back({dot_size(computation, i), multiplied_as(program, computation, i)});
    } else if (of.cost == CostClass::memory && !is_free(i)) {
      out.operations += elementwise_operations(computation, i);
    }
  }
  return reductions;
}

// `fusion`: what calls it; null: nothing yet.
LocalWork work_of(const Program& program, const Computation& fused, const Instruction* fusion) {
  LocalWork out;
  const Traffic traffic(program, fused);
  const auto parameters = std::ssize(parameter_ids(fused));
  for (int64_t p = 0; p < parameters; ++p) out.bytes += traffic.read_of(p);
  out.bytes += traffic.written();
  const int64_t reductions = add_inner_work(program, fused, out);
  out.keeps_rows = keeps_rows(fused, reductions, fusion);
  return out;
}

}  // namespace

bool has_scratch(const Instruction& product) {
  return !config_behind(product, "\"scratch_bytes\"").empty();
}

LocalWork fused_work(const Program& program, const Computation& caller, const Instruction& fusion) {
  if (const Computation* fused = fused_computation(program, fusion)) return work_of(program, *fused, &fusion);
  LocalWork out;
  for (const InstructionId operand : fusion.operands) out.bytes += moved_bytes(caller.at(operand).shape);
  out.bytes += moved_bytes(fusion.shape);
  return out;
}

LocalWork fused_work(const Program& program, const Computation& fused) {
  return work_of(program, fused, nullptr);
}

}  // namespace shardscope::inline program
