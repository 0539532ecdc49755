// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/fuse.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/cpu_fusions.h"
#include "engine/backend/fusion_plan.h"
#include "engine/backend/grouped_products.h"
#include "engine/backend/long_reductions.h"
#include "engine/backend/product_sides.h"
#include "engine/backend/shared_products.h"
#include "engine/backend/vector_products.h"
#include "engine/backend/widened.h"
#include "engine/hardware/cost.h"
#include "engine/program/analysis/scheduled.h"
#include "engine/program/registered.h"

namespace shardscope::inline backend {
namespace {

struct Kind {
  const char* prefix;
  const char* attribute;
};
Kind kind_of(const Computation& computation, const Kernel& kernel) {
  const auto at = [&](int32_t place) -> const Instruction& {
    return computation.instructions[static_cast<size_t>(place)];
  };
  const auto is_product = [&](int32_t m) { return operation(at(m).opcode).kind == OpClass::product; };
  const auto is_reduction = [&](int32_t r) { return at(r).opcode == Opcode::reduce; };
  if (std::ranges::any_of(kernel.members, is_product)) return {"product", "kOutput"};
  if (std::ranges::any_of(kernel.roots, is_reduction)) return {"input", "kInput"};
  return {"loop", "kLoop"};
}

class Writer {
 public:
  explicit Writer(const Program& from) : from_(from), out_(from), fresh_(from) { out_.computations.clear(); }

  // A computation as it is, but for the numbers of those that it calls.
  void keep(const Computation& computation) { finish(computation); }
  void write(const Computation& computation, const std::vector<Kernel>& kernels);
  Program written() {
    out_.entry = new_ids_[static_cast<size_t>(from_.entry.value)];
    return std::move(out_);
  }

 private:
  // What stands in the new computation: an instruction of the old one, or a kernel.
  struct Piece {
    int32_t place = -1;
    const Kernel* kernel = nullptr;
  };

  void finish(Computation computation) {
    for (Instruction& i : computation.instructions) renumber(i);
    new_ids_.emplace_back(static_cast<int64_t>(out_.computations.size()));
    out_.computations.push_back(std::move(computation));
  }
  void renumber(Instruction& i) const {
    if (i.called.empty()) return;
    for (CalledComputation& called : i.called.edit())
      called.computation = new_ids_[static_cast<size_t>(called.computation.value)];
  }

  std::vector<Piece> in_order(const Computation& computation, const std::vector<Kernel>& kernels) const;
  Instruction fusion(const Computation& computation, const Kernel& kernel);

  const Program& from_;
  Program out_;
  std::vector<ComputationId> new_ids_;  // by old number
  FreshNames fresh_;
};

// What is read, each behind what it reads.
std::vector<Writer::Piece> Writer::in_order(const Computation& computation,
                                            const std::vector<Kernel>& kernels) const {
  const size_t count = computation.instructions.size();
  std::vector<const Kernel*> maker(count, nullptr);
  std::vector<bool> inside(count, false);
  for (const Kernel& kernel : kernels) {
    for (const int32_t root : kernel.roots) maker[static_cast<size_t>(root)] = &kernel;
    for (const int32_t member : kernel.members) inside[static_cast<size_t>(member)] = true;
  }
  std::vector<uint8_t> state(count, 0);  // 1: what it needs is on its way; 2: it stands in the order
  std::vector<Piece> out;
  std::vector<int32_t> open;
  const auto needs = [&](int32_t place) {
    if (const Kernel* kernel = maker[static_cast<size_t>(place)]) return kernel->inputs;
    std::vector<int32_t> ids;
    each_needed(computation.instructions[static_cast<size_t>(place)],
                [&](size_t needed) { ids.push_back(static_cast<int32_t>(needed)); });
    return ids;
  };
  const auto visit = [&](int32_t first) {
    open.push_back(first);
    while (!open.empty()) {
      const int32_t place = open.back();
      const Kernel* kernel = maker[static_cast<size_t>(place)];
      uint8_t& at = state[static_cast<size_t>(kernel ? kernel->roots.back() : place)];
      if (at == 0) {
        at = 1;
        const std::vector<int32_t> before = needs(place);
        open.insert(open.end(), before.rbegin(), before.rend());
        continue;
      }
      open.pop_back();
      if (at == 1) out.push_back({kernel ? kernel->roots.back() : place, kernel});
      at = 2;
    }
  };
  for (size_t k = 0; k < count; ++k) {
    const Instruction& i = computation.instructions[k];
    const bool always = i.opcode == Opcode::parameter || (!is_fusible(i) && !inside[k]);
    if (always) visit(static_cast<int32_t>(k));
  }
  visit(static_cast<int32_t>(computation.root.value));
  return out;
}

Instruction Writer::fusion(const Computation& computation, const Kernel& kernel) {
  Computation fused = as_computation(computation, kernel);
  const Instruction& root = computation.instructions[static_cast<size_t>(kernel.roots.back())];
  const Kind kind = kind_of(computation, kernel);
  std::string operation(opcode_text(root));
  std::ranges::replace(operation, '-', '_');
  fused.name = fresh_(fmt::format("fused_{}", operation));
  for (Instruction& i : fused.instructions) {
    if (i.opcode != Opcode::parameter && !i.name.empty()) {
      i.provenance.edit().source = source_name(i);
    }
    i.name = fresh_(i.name.empty() ? "tuple" : i.name);
  }
  Instruction out;
  out.name = fresh_(kernel.members.size() == 1 ? fmt::format("wrapped_{}", operation)
                                               : fmt::format("{}_{}_fusion", kind.prefix, operation));
  out.opcode = Opcode::fusion;
  out.shape = fused.root_instruction().shape;
  out.provenance = root.provenance;
  out.provenance.edit().source = source_name(root);
  out.called = std::vector<CalledComputation>{
      {std::string("calls"), ComputationId(static_cast<int64_t>(out_.computations.size()))}};
  out.verbatim = std::vector<VerbatimAttribute>{{std::string("kind"), kind.attribute}};
  for (Instruction& i : fused.instructions) renumber(i);
  out_.computations.push_back(std::move(fused));
  return out;
}

void Writer::write(const Computation& computation, const std::vector<Kernel>& kernels) {
  std::vector<InstructionId> places(computation.instructions.size());  // in the new one
  Computation made = computation;
  made.instructions.clear();
  const auto add = [&](Instruction i) {
    made.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(made.instructions.size()) - 1);
  };
  const auto place = [&](int32_t old) { return places[static_cast<size_t>(old)]; };
  std::vector<size_t> fusions;
  for (const Piece& piece : in_order(computation, kernels)) {
    if (piece.kernel == nullptr) {
      Instruction i = computation.instructions[static_cast<size_t>(piece.place)];
      for (InstructionId& operand : i.operands) operand = place(static_cast<int32_t>(operand.value));
      if (!i.control_predecessors.empty())
        for (InstructionId& id : i.control_predecessors.edit()) id = place(static_cast<int32_t>(id.value));
      renumber(i);
      places[static_cast<size_t>(piece.place)] = add(std::move(i));
      continue;
    }
    Instruction i = fusion(computation, *piece.kernel);
    for (const int32_t input : piece.kernel->inputs) i.operands.push_back(place(input));
    const std::string name = i.name;
    const InstructionId id = add(std::move(i));
    const auto& roots = piece.kernel->roots;
    if (roots.size() == 1) places[static_cast<size_t>(roots[0])] = id;
    for (size_t r = 0; roots.size() > 1 && r < roots.size(); ++r) {
      const Instruction& root = computation.instructions[static_cast<size_t>(roots[r])];
      Instruction element;
      element.name = root.name;
      element.opcode = Opcode::get_tuple_element;
      element.shape = root.shape;
      element.operands = {id};
      element.tuple_index = static_cast<int64_t>(r);
      element.provenance = root.provenance;
      places[static_cast<size_t>(roots[r])] = add(std::move(element));
    }
  }
  made.root = place(static_cast<int32_t>(computation.root.value));
  new_ids_.emplace_back(static_cast<int64_t>(out_.computations.size()));
  out_.computations.push_back(std::move(made));
}

// What XLA for GPUs does with products before it fuses the rest.
Result<Program> with_library_products(Program program, const Hardware& hardware, double bytes_per_s) {
  FreshNames fresh(program);
  sum_vector_products(program, fresh);
  const std::vector<bool> runs = executed_computations(program);
  for (size_t c = 0; c < runs.size(); ++c) {
    if (!runs[c]) continue;
    widen_functions(program.computations[c], fresh);
    cut_long_reductions(program, program.computations[c], fresh);
    merge_products(program.computations[c], fresh);
    arrange_products(program.computations[c], fresh);
    give_each_its_own(program.computations[c], fresh);
  }
  const KernelClock clock(program, hardware, bytes_per_s, CompileAs::xla_gpu);
  for (size_t c = 0; c < runs.size(); ++c)
    if (runs[c]) choose_libraries(program.computations[c], clock, fresh);
  return fused_by(program, [&](const Computation& computation) -> Result<std::vector<Kernel>> {
    return plan_products(computation, clock);
  });
}

}  // namespace

bool is_fused(const Program& program) {
  if (is_scheduled(program)) return true;
  return std::ranges::any_of(program.computations, [](const Computation& c) {
    return std::ranges::any_of(
        c.instructions, [](const Instruction& i) { return i.opcode == Opcode::fusion && !is_operation(i); });
  });
}

Result<Program> fused_by(const Program& program, const FusionPlan& plan) {
  const std::vector<bool> runs = executed_computations(program);
  Writer writer(program);
  for (size_t c = 0; c < runs.size(); ++c) {
    const Computation& computation = program.computations[c];
    if (!runs[c]) {
      writer.keep(computation);
      continue;
    }
    TRY(const std::vector<Kernel> kernels, plan(computation));
    writer.write(computation, kernels);
  }
  return writer.written();
}

Result<Program> fuse(const Program& program, CompileAs as, const Hardware& hardware,
                     const std::stop_token& stop) {
  if (as == CompileAs::none) return program;
  if (as == CompileAs::xla_cpu) {
    const Program ready = grouped_products_as_one(program);
    return fused_by(
        ready, [&](const Computation& computation) { return plan_cpu_fusions(ready, computation, stop); });
  }
  TRY(const double bytes_per_s, memory_rate(hardware));
  Program ready = program;
  if (as == CompileAs::xla_gpu) {
    ready = grouped_products_as_one(std::move(ready));
    TRY(ready, with_library_products(std::move(ready), hardware, bytes_per_s));
  }
  const KernelClock clock(ready, hardware, bytes_per_s, as);
  return fused_by(ready,
                  [&](const Computation& computation) { return plan_fusions(computation, clock, as, stop); });
}

}  // namespace shardscope::inline backend
