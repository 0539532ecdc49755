// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/collective_rows.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "engine/partition/entry/partitioned_cost.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/text/hlo_text.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline partitioner {
namespace {

constexpr const char* kItsResult = "its result";

// Instructions of a module by their place in memory and by name.
class SourceNames {
 public:
  SourceNames(const Program& source, const ModuleNames& names) : source_(source), names_(names) {}

  const Computation* holder(const Instruction* of) const {
    for (const Computation& c : source_.computations) {
      if (c.instructions.empty()) continue;
      const std::less<> before;
      if (!before(of, c.instructions.data()) && before(of, c.instructions.data() + c.instructions.size()))
        return &c;
    }
    return nullptr;
  }
  // `operand`: "lhs", "rhs", "result", or an instruction's name.
  std::string moved(const SpmdReason& reason) const {
    const Computation* c = reason.source == nullptr ? nullptr : holder(reason.source);
    if (c == nullptr) return reason.operand;
    if (reason.operand == "result") return kItsResult;
    const size_t side = reason.operand == "lhs" ? 0 : reason.operand == "rhs" ? 1 : 2;
    if (side < reason.source->operands.size())
      return names_.display_name(c->at(reason.source->operands[side]));
    for (const InstructionId operand : reason.source->operands)
      if (c->at(operand).name == reason.operand) return names_.display_name(c->at(operand));
    return reason.operand;
  }
  std::string display_name(const Instruction& i) const { return names_.display_name(i); }
  std::string plain(const Instruction& i) const { return names_.plain(i); }

 private:
  const Program& source_;
  const ModuleNames& names_;
};

// The partitioner writes no reduce-scatter: later passes make one of a sum of which each device keeps a part.
std::unordered_set<std::string_view> later_reduce_scatters(const Program& program) {
  std::unordered_set<std::string_view> out;
  for (const Computation& c : program.computations) {
    std::vector<int> readers(c.instructions.size());
    for (const Instruction& i : c.instructions)
      for (const InstructionId operand : i.operands) ++readers[static_cast<size_t>(operand.value)];
    for (const Instruction& i : c.instructions) {
      if (i.opcode != Opcode::dynamic_slice) continue;
      const Instruction& from = c.at(i.operands[0]);
      if (from.opcode == Opcode::all_reduce && readers[static_cast<size_t>(i.operands[0].value)] == 1)
        out.insert(from.name);
    }
  }
  return out;
}

void explain(const Program& source, const SourceNames& names, const SpmdNote& note, CollectiveOrigin& row) {
  row.rule = note.reason.rule;
  row.operand = note.reason.operand;
  row.from = note.from;
  row.to = note.to;
  if (note.reason.source == nullptr) return;
  row.instruction = names.plain(*note.reason.source);
  row.moved = names.moved(note.reason);
  row.consumer = names.display_name(*note.reason.source);
  row.op_name = note.reason.source->provenance->op_name;
  row.source_line = source_line(source, *note.reason.source);
  row.line = note.reason.source->line;
}

// What a reducer leaves on each device before devices combine it.
const char* parts_of(Opcode reducer) {
  static const OpTable<const char*> names({}, {{Opcode::add, "partial sums"},
                                               {Opcode::maximum, "partial maxima"},
                                               {Opcode::minimum, "partial minima"}});
  const char* name = names[reducer];
  return name == nullptr ? "partial results" : name;
}

// What hands an array on that is still to be combined.
bool hands_on(const Instruction& i) {
  constexpr Opcode kHand[] = {Opcode::bitcast, Opcode::copy,      Opcode::dynamic_slice,
                              Opcode::reshape, Opcode::transpose, Opcode::slice};
  return std::ranges::count(kHand, i.opcode) > 0;
}

// An array of which devices have parts, and along which axes.
struct Partial {
  std::vector<std::string> axes;
  Opcode reducer = Opcode::unknown;
  const char* what() const { return parts_of(reducer); }
};

// By instruction of a computation: what is still to be combined of its result, by the collectives behind it
// that were made for the same instruction.
std::vector<Partial> still_partial(const Program& program, const Computation& c, const NotesByName& notes) {
  std::vector<Partial> out(c.instructions.size());
  std::vector<const Instruction*> of(c.instructions.size());
  for (size_t k = c.instructions.size(); k-- > 0;) {
    const Instruction& i = c.instructions[k];
    if (i.operands.empty()) continue;
    const auto before = static_cast<size_t>(i.operands[0].value);
    if (hands_on(i)) {
      out[before] = out[k];
      of[before] = of[k];
    }
    const auto note = is_collective(i.opcode) ? notes.find(i.name) : notes.end();
    if (note == notes.end()) continue;
    const Instruction* source = note->second.reason.source;
    Partial here = of[k] == source ? out[k] : Partial();
    if (of[k] != source) out[k] = {};
    if (note->second.adds_up) {
      here.reducer = reducer_opcode(program, i);
      for (std::string& axis : collective_axes(program, i)) here.axes.push_back(std::move(axis));
    }
    out[before] = std::move(here);
    of[before] = source;
  }
  return out;
}

bool is_of_mesh(const std::optional<Tiling>& tiling, const Mesh& mesh) {
  return tiling && tiling->devices() == mesh.device_count();
}

// How its array lies before and behind it, as JAX and people write it. `later`: what others combine.
void say_shardings(const Program& program, const Instruction& i, const SpmdNote& n, const Partial& later,
                   CollectiveOrigin& row) {
  const auto spec = [&](const std::optional<Tiling>& tiling, const Partial& partial) -> std::string {
    const bool has_words = partial.axes.empty() || partial.reducer == Opcode::add;
    return is_of_mesh(tiling, program.mesh) && has_words
               ? spec_text(tiling->sharding(), program.mesh, tiling->rank(), partial.axes)
               : "";
  };
  const auto text_of = [&](const std::optional<Tiling>& tiling, const std::string& text,
                           const Partial& partial) {
    const std::string known =
        is_of_mesh(tiling, program.mesh) ? spec_text(tiling->sharding(), program.mesh, tiling->rank()) : "";
    return with_partial(known.empty() ? text : known, partial.what(), partial.axes);
  };
  Partial before = later;
  if (n.adds_up) {
    before.reducer = reducer_opcode(program, i);
    const std::vector<std::string> axes = collective_axes(program, i);
    before.axes.insert(before.axes.begin(), axes.begin(), axes.end());
    if (axes.empty()) before.axes.emplace_back("groups of devices");
  }
  const std::optional<Tiling>& from = n.adds_up ? n.to_all : n.from_all;
  row.from_spec = spec(from, before);
  row.to_spec = spec(n.to_all, later);
  row.from_text = text_of(from, row.from, before);
  row.to_text = text_of(n.to_all, row.to, later);
  row.from = with_partial(row.from, before.what(), before.axes);
  row.to = with_partial(row.to, later.what(), later.axes);
}

}  // namespace

NotesByName notes_by_name(const Program& program, const std::vector<SpmdNote>& notes) {
  NotesByName out;
  out.reserve(notes.size());
  for (const SpmdNote& n : notes) {
    const Computation& c =
        n.computation.valid() ? program.computation(n.computation) : program.entry_computation();
    out.emplace(c.at(n.collective).name, n);
  }
  return out;
}

std::vector<CollectiveOrigin> collective_rows(const Program& source, const ModuleNames& of_module,
                                              const ModuleStage& made, const NotesByName& notes) {
  const Program& program = *made.program;
  const SourceNames names(source, of_module);
  const auto scattered = later_reduce_scatters(program);
  CollectiveBytes sent(program);
  std::vector<CollectiveOrigin> out;
  for (const Computation& c : program.computations) {
    const std::vector<Partial> partial = still_partial(program, c, notes);
    for (size_t k = 0; k < c.instructions.size(); ++k) {
      const Instruction& i = c.instructions[k];
      if (!is_collective(i.opcode)) continue;
      CollectiveOrigin& row = out.emplace_back();
      row.name = i.name;
      row.bytes = collective_data(c, i);
      row.bytes_sent = sent.of(c, i);
      const auto note = notes.find(i.name);
      if (note == notes.end()) {
        const auto sources = sources_in(first_stage(made), made, i.name);
        if (sources.empty()) continue;
        row.instruction = sources.front();
        row.consumer = display_name(made, i.name);
        continue;
      }
      explain(source, names, note->second, row);
      say_shardings(program, i, note->second, partial[k], row);
      if (scattered.contains(i.name))
        row.rule += " (with the dynamic-slice behind it a reduce-scatter on GPU and TPU)";
    }
  }
  return out;
}

}  // namespace shardscope::inline partitioner
