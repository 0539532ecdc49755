// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/program/text/attribute_order.h"
#include "engine/program/text/attribute_values.h"
#include "engine/program/text/hlo_entries.h"
#include "engine/program/text/hlo_module_text.h"
#include "engine/program/text/hlo_refusals.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::inline program {
namespace {

constexpr HloForm kFull, kBare{false, false, false, false};

std::string pairs_text(const Permutation& permutation) {
  std::string out = "{";
  for (const SourceTarget& pair : permutation.pairs())
    out += (out.size() > 1 ? "," : "") + int_list_text({pair.source.value, pair.target.value});
  return out + "}";
}

std::string groups_text(const ReplicaGroups& groups) {
  const TileAssignment& tiles = groups.tiles;
  if (!groups.written.empty()) {
    const auto written = parse_axis_groups(groups.written);
    if (written.ok() && *written == tiles) return groups.written;
  }
  if (!tiles.devices.empty() && !groups.listed) {
    std::string text = tile_assignment_text(tiles);
    if (text.find("<=") != std::string::npos) return text;
  }
  std::vector<std::vector<int64_t>> lists = groups.ragged;
  const auto size = tiles.dims.empty() ? std::ptrdiff_t{0} : static_cast<std::ptrdiff_t>(tiles.dims.back());
  for (auto at = tiles.devices.begin(); at != tiles.devices.end(); at += size)
    lists.emplace_back(at, at + size);
  std::string out = "{";
  for (const std::vector<int64_t>& list : lists) out += (out.size() > 1 ? "," : "") + int_list_text(list);
  return out + "}";
}

// As it was written, while it still is that sharding.
std::string sharding_text(const Instruction& i) {
  if (!i.sharding_text.empty()) {
    const auto written = HloSharding::parse(i.sharding_text);
    if (written.ok() && *written == *i.sharding) return i.sharding_text;
  }
  return i.sharding->text();
}

class HloPrinter {
 public:
  HloPrinter(const Program& program, const HloForm& form, const std::stop_token& stop = {})
      : program_(program), form_(form), stop_(stop) {}

  void instruction(const Computation& computation, const Instruction& i) {
    name(i.name);
    out_ += " = " + i.shape.text() + " ";
    const std::string_view target = called_target(i.opcode);
    out_ += target.empty() ? opcode_text(i) : opcode_text(Opcode::custom_call);
    out_ += '(';
    operands(computation, i);
    out_ += ')';
    communication(i);
    if (!target.empty()) put(i, "custom_call_target", c_escaped(target));
    for (const AttributeText& text : attribute_texts(i.opcode)) {
      if (text.value->print == nullptr) continue;
      if (const std::string value = text.value->print(i, text.always); !value.empty())
        put(i, text.key, value);
    }
    called(i);
    if (i.sharding) put(i, "sharding", sharding_text(i));
    control(computation, i);
    for_verbatim(i.verbatim, own_entries(i),
                 [&](std::string_view key, std::string_view value) { put(i, key, value); });
    attributes_.append_to(out_);
  }

  std::string module() && {
    out_ = "HloModule " + program_.name;
    header();
    out_ += '\n';
    for (const SourceTable& table : program_.source_tables) {
      out_ += "\n" + table.name + "\n";
      for (const std::string& row : table.rows) out_ += row + "\n";
    }
    for (size_t i = 0; i < program_.computations.size(); ++i) {
      out_ += '\n';
      computation(i);
    }
    return std::move(out_);
  }

  std::string text() && { return std::move(out_); }

 private:
  void name(std::string_view name) {
    if (form_.sigils) out_ += '%';
    out_ += name;
  }
  std::string sigil_name(std::string_view name) const {
    return (form_.sigils ? "%" : "") + std::string(name);
  }
  void put(const Instruction& i, std::string_view key, std::string_view value) {
    attributes_.add(place_among_attributes(i, key), key, value);
  }

  void operands(const Computation& computation, const Instruction& i) {
    if (i.parameter_number >= 0) out_ += std::to_string(i.parameter_number);
    out_ += *i.literal;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      if (k > 0) out_ += ", ";
      if (k > 0 && k % 5 == 0 && form_.operand_marks) out_ += "/*index=" + std::to_string(k) + "*/";
      const Instruction& operand = computation.at(i.operands[k]);
      if (form_.operand_shapes) out_ += operand.shape.text() + " ";
      name(operand.name);
    }
  }

  void communication(const Instruction& i) {
    const bool grouped = is_collective(i.opcode) && !i.permutation && !has(i.opcode, Trait::by_pairs);
    if (grouped || !i.replica_groups->tiles.devices.empty() || !i.replica_groups->ragged.empty())
      put(i, "replica_groups", groups_text(i.replica_groups));
    if (i.permutation) put(i, "source_target_pairs", pairs_text(*i.permutation));
  }

  void called(const Instruction& i) {
    for (size_t k = 0; k < i.called.size();) {
      const std::string_view key = i.called[k].key;
      const bool many = key == "branch_computations" || key == "called_computations";
      std::string names;
      do {
        names += (names.empty() ? "" : ", ") + sigil_name(program_.computation(i.called[k].computation).name);
      } while (++k < i.called.size() && many && i.called[k].key == key);
      put(i, key, many ? "{" + names + "}" : names);
    }
  }

  void control(const Computation& computation, const Instruction& i) {
    if (i.control_predecessors.empty()) return;
    std::string names;
    for (const InstructionId id : i.control_predecessors)
      names += (names.empty() ? "" : ", ") + sigil_name(computation.at(id).name);
    put(i, "control-predecessors", "{" + names + "}");
  }

  std::vector<OwnEntries> own_entries(const Instruction& i) const {
    std::vector<OwnEntries> own = {{"frontend_attributes", ',', {}}, {"metadata", ' ', {}}};
    if (i.provenance->step >= 0)
      own[0].entries.emplace_back("shardscope.step", std::to_string(i.provenance->step));
    if (form_.origins && !i.provenance->source.empty()) {
      own[0].entries.emplace_back("shardscope.source", *i.provenance->source);
      own[0].entries.emplace_back("shardscope.part", std::to_string(i.provenance->part));
      own[0].entries.emplace_back("shardscope.round", std::to_string(i.provenance->round));
    }
    if (form_.origins && !i.text_name.empty()) {
      own[0].entries.emplace_back("shardscope.text_value", i.text_name->value);
      own[0].entries.emplace_back("shardscope.text_instruction", i.text_name->instruction);
    }
    if (!i.algorithm.empty()) own[0].entries.emplace_back("shardscope.algorithm", i.algorithm);
    if (i.rooted) own[0].entries.emplace_back("shardscope.rooted", "true");
    if (!i.provenance->op_name.empty()) own[1].entries.emplace_back("op_name", i.provenance->op_name);
    return own;
  }

  // Parameters stand in the order of their numbers, wherever they are in the body; layouts are said there.
  void signature(const Computation& computation) {
    auto given = parameters(computation);
    std::ranges::stable_sort(given, {}, [](const Instruction& i) { return i.parameter_number; });
    out_ += " (";
    for (std::string_view comma; const Instruction& i : given) {
      out_ += std::exchange(comma, ", ");
      out_ += i.name + ": " + i.shape.text_without_layout();
    }
    out_ += ") -> " + computation.root_instruction().shape.text_without_layout();
  }

  void computation(size_t place) {
    const Computation& computation = program_.computations[place];
    if (static_cast<size_t>(program_.entry.value) == place) out_ += "ENTRY ";
    name(computation.name);
    if (form_.signatures) signature(computation);
    out_ += " {\n";
    for (size_t i = 0; i < computation.instructions.size() && !stop_.stop_requested(); ++i) {
      out_ += static_cast<size_t>(computation.root.value) == i ? "  ROOT " : "  ";
      instruction(computation, computation.instructions[i]);
      out_ += '\n';
    }
    out_ += '}';
    for (const VerbatimAttribute& behind : computation.verbatim) attributes_.add(0, behind.key, behind.value);
    attributes_.append_to(out_);
    out_ += '\n';
  }

  void header() {
    const auto put_in_header = [&](std::string_view key, std::string_view value) {
      attributes_.add(place_in_header(key), key, value);
    };
    if (program_.mesh.device_count() > 1)
      put_in_header("num_partitions", std::to_string(program_.mesh.device_count()));
    for_verbatim(program_.verbatim, {{"frontend_attributes", ',', module_entries(program_)}}, put_in_header);
    attributes_.append_to(out_);
  }

  const Program& program_;
  const HloForm& form_;
  std::stop_token stop_;
  std::string out_;
  OrderedTexts attributes_;
};

}  // namespace

std::string print_instruction(const Program& program, const Computation& computation, InstructionId id) {
  HloPrinter printer(program, kFull);
  printer.instruction(computation, computation.at(id));
  return std::move(printer).text();
}

std::string print_program(const Program& program) {
  return HloPrinter(program, kFull).module();
}

std::string print_program(const Program& program, HloStyle style) {
  return HloPrinter(program, style == HloStyle::full ? kFull : kBare).module();
}

std::string print_program(const Program& program, const HloForm& form, const std::stop_token& stop) {
  return HloPrinter(program, form, stop).module();
}

}  // namespace shardscope::inline program
