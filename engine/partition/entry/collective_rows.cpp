// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/collective_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/partition/entry/partitioned_cost.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope {
namespace {

// What the user calls it: the name of the operation or argument in his code, else its name in the module.
std::string user_name(const Instruction& i) {
  return i.provenance->op_name.empty() ? i.name : i.provenance->op_name;
}

// Instructions of a module by their place in memory and by name.
class SourceNames {
 public:
  explicit SourceNames(const Program& source) : source_(source) {}

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
    if (reason.operand == "result") return "its result";
    const size_t side = reason.operand == "lhs" ? 0 : reason.operand == "rhs" ? 1 : 2;
    if (side < reason.source->operands.size()) return user_name(c->at(reason.source->operands[side]));
    for (const InstructionId operand : reason.source->operands)
      if (c->at(operand).name == reason.operand) return user_name(c->at(operand));
    return reason.operand;
  }

 private:
  const Program& source_;
};

std::vector<std::string> quoted(const std::vector<std::string>& axes) {
  std::vector<std::string> out;
  for (const std::string& axis : axes) out.push_back("'" + axis + "'");
  return out;
}

// As JAX prints it, every dimension written out: "P('x', None, ('y', 'z'), unreduced={'w'})"; "" where no
// PartitionSpec on the mesh says it.
std::string spec_text(const std::optional<Tiling>& tiling, const Mesh& mesh,
                      const std::vector<std::string>& unreduced = {}) {
  if (!tiling || tiling->devices() != mesh.device_count()) return "";
  const auto named = tiling->sharding().to_named(mesh);
  if (!named.ok()) return "";
  std::vector<std::string> parts(tiling->rank(), "None");
  const auto& dims = named->spec().dims;
  for (size_t d = 0; d < std::min(dims.size(), parts.size()); ++d) {
    const std::vector<std::string> axes = quoted(dims[d]);
    if (axes.size() == 1) parts[d] = axes.front();
    if (axes.size() > 1) parts[d] = "(" + join(axes, ", ") + ")";
  }
  if (!unreduced.empty()) parts.push_back("unreduced={" + join(quoted(unreduced), ", ") + "}");
  return "P(" + join(parts, ", ") + ")";
}

int64_t largest_bytes(const Computation& c, const Instruction& i) {
  int64_t read = 0;
  for (const InstructionId operand : i.operands) read += c.at(operand).shape.bytes();
  return std::max(read, i.shape.bytes());
}

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
  row.instruction = note.reason.source->name;
  row.moved = names.moved(note.reason);
  row.consumer = user_name(*note.reason.source);
  row.source_line = source_line(source, *note.reason.source);
  row.line = note.reason.source->line;
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

std::vector<CollectiveOrigin> collective_rows(const Program& source, const Program& program,
                                              const NotesByName& notes,
                                              const std::vector<MadeFor>& made_for) {
  const SourceNames names(source);
  const auto scattered = later_reduce_scatters(program);
  CollectiveBytes sent(program);
  std::vector<CollectiveOrigin> out;
  for (const Computation& c : program.computations) {
    for (const Instruction& i : c.instructions) {
      if (!is_collective(i.opcode)) continue;
      CollectiveOrigin& row = out.emplace_back();
      row.name = i.name;
      row.bytes = largest_bytes(c, i);
      row.bytes_sent = sent.of(c, i);
      const auto note = notes.find(i.name);
      if (note == notes.end()) {
        const auto source_of = std::ranges::find(made_for, i.name, &MadeFor::name);
        if (source_of != made_for.end()) row.instruction = row.consumer = source_of->source;
        continue;
      }
      explain(source, names, note->second, row);
      const SpmdNote& n = note->second;
      row.to_spec = spec_text(n.to_all, program.mesh);
      row.from_spec = n.adds_up ? spec_text(n.to_all, program.mesh, collective_axes(program, i))
                                : spec_text(n.from_all, program.mesh);
      if (scattered.contains(i.name))
        row.rule += " (with the dynamic-slice behind it a reduce-scatter on GPU and TPU)";
    }
  }
  return out;
}

}  // namespace shardscope
