// SPDX-License-Identifier: Apache-2.0
#include "engine/session/known/known_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/base/text.h"
#include "engine/numerics/plan/plain_program.h"
#include "engine/numerics/rules/rules.h"
#include "engine/partition/types/spmd_prepare.h"

namespace shardscope::inline session {
namespace {

// Instructions written behind each other, each under a name of its own.
class Placeholders {
 public:
  explicit Placeholders(const Computation& c) {
    for (const Instruction& i : c.instructions) names_.insert(i.name);
  }

  // A value of that shape which says nothing: zeros.
  InstructionId add(const Shape& shape, const std::string& name, std::vector<Instruction>& into) {
    if (shape.is_tuple) {
      Instruction tuple = made(Opcode::tuple, name, shape);
      for (const Shape& element : shape.elements) tuple.operands.push_back(add(element, name, into));
      return put(std::move(tuple), into);
    }
    if (shape.type == ElementType::token || shape.type == ElementType::opaque)
      return put(made(Opcode::after_all, name, shape), into);
    Instruction zero = made(Opcode::constant, name, Shape::scalar(shape.type));
    zero.literal = std::string(shape.type == ElementType::pred ? "false" : "0");
    Instruction spread = made(Opcode::broadcast, name, shape);
    spread.operands = {put(std::move(zero), into)};
    return put(std::move(spread), into);
  }

  InstructionId put(Instruction i, std::vector<Instruction>& into) {
    const std::string base = i.name;
    for (int copy = 1; !names_.insert(i.name).second; ++copy) i.name = base + "." + std::to_string(copy);
    into.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(into.size()) - 1);
  }

  static Instruction made(Opcode opcode, const std::string& name, const Shape& shape) {
    Instruction out;
    out.name = name + ".unknown";
    out.opcode = opcode;
    out.shape = shape;
    return out;
  }

 private:
  std::set<std::string> names_;
};

// The computation with placeholders for some of its instructions.
Computation with_placeholders(const Computation& c, int32_t number,
                              const std::set<SourceFollower::Place>& stopped) {
  Placeholders places(c);
  Computation out = c;
  out.instructions.clear();
  std::vector<InstructionId> to;
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    Instruction i = c.instructions[k];
    if (stopped.contains({number, static_cast<int32_t>(k)})) {
      to.push_back(places.add(i.shape, i.name, out.instructions));
      continue;
    }
    for (InstructionId& operand : i.operands) operand = to[static_cast<size_t>(operand.value)];
    i.control_predecessors.change([&](std::vector<InstructionId>& before) {
      for (InstructionId& id : before) id = to[static_cast<size_t>(id.value)];
    });
    out.instructions.push_back(std::move(i));
    to.push_back(InstructionId(static_cast<int64_t>(out.instructions.size()) - 1));
  }
  out.root = to[static_cast<size_t>(c.root.value)];
  return out;
}

void collect_leaves(Placeholders& places, InstructionId id, Computation& c, std::vector<InstructionId>& out) {
  const Shape shape = c.at(id).shape;
  if (!shape.is_tuple) {
    out.push_back(id);
    return;
  }
  for (size_t k = 0; k < shape.elements.size(); ++k) {
    Instruction part = Placeholders::made(Opcode::get_tuple_element, c.at(id).name, shape.elements[k]);
    part.operands = {id};
    part.tuple_index = static_cast<int64_t>(k);
    collect_leaves(places, places.put(std::move(part), c.instructions), c, out);
  }
}

// The root becomes a tuple of some of its leaves; what else nobody reads goes.
void keep_leaves(const std::vector<size_t>& leaves, Computation& c) {
  Placeholders places(c);
  std::vector<InstructionId> all;
  collect_leaves(places, c.root, c, all);
  Instruction root;
  root.name = "known";
  root.opcode = Opcode::tuple;
  std::vector<Shape> shapes;
  for (const size_t leaf : leaves) {
    root.operands.push_back(all[leaf]);
    shapes.push_back(c.at(all[leaf]).shape);
  }
  root.shape = Shape::tuple(std::move(shapes));
  c.root = places.put(std::move(root), c.instructions);
  for (Instruction& i : c.instructions) i.control_predecessors = {};
  remove_dead(c, Effects::dropped);
}

// "%x" of an error that names an instruction.
std::string named_in(const Error& error) {
  return error.where.starts_with('%') ? error.where.substr(1, error.where.find_first_of(" ,;") - 1) : "";
}

const Instruction* find_named(const Program& program, const std::string& name) {
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (i.name == name) return &i;
  return nullptr;
}

}  // namespace

KnownValues::KnownValues(const Program& whole) : whole_(whole) {
  follow();
}

bool KnownValues::leave_out(const Error& error) {
  std::string name = named_in(error);
  if (error.kind != ErrorKind::invalid || name.empty()) return false;
  if (find_named(whole_, name) == nullptr) {
    const std::string* source = source_in_plain_form(name);
    if (source == nullptr) return false;
    name = *source;
  }
  if (left_out_.contains(name) || find_named(whole_, name) == nullptr) return false;
  left_out_[name] = error.what;
  follow();
  return true;
}

// What is left out of the program is not in its plainer form either; the rest is called as in that of the
// whole.
const std::string* KnownValues::source_in_plain_form(const std::string& name) {
  if (!plain_sources_) {
    plain_sources_.emplace();
    const std::optional<Program> plain = plain_program(whole_);
    if (plain)
      for (const Computation& c : plain->computations)
        for (const Instruction& i : c.instructions)
          if (!i.provenance->source.empty()) plain_sources_->emplace(i.name, source_name(i));
  }
  const auto found = plain_sources_->find(name);
  return found == plain_sources_->end() ? nullptr : &found->second;
}

std::set<SourceFollower::Place> KnownValues::without_meaning() {
  std::set<SourceFollower::Place> out;
  stopped_.clear();
  for (size_t c = 0; c < whole_.computations.size(); ++c) {
    const Computation& computation = whole_.computations[c];
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const Instruction& i = computation.instructions[k];
      const auto left = left_out_.find(i.name);
      std::string why = left != left_out_.end() ? left->second : run_hole(computation, i);
      if (why.empty()) continue;
      out.insert({static_cast<int32_t>(c), static_cast<int32_t>(k)});
      stopped_[i.name] = std::move(why);
    }
  }
  return out;
}

// Of a loop that has no end it is said what the end waits for, where a result depends on that, too.
void KnownValues::say_why(const std::set<SourceFollower::Place>& stopped, const LeafSources& sources) {
  leaves_.clear();
  unknown_.assign(sources.size(), "");
  for (size_t leaf = 0; leaf < sources.size(); ++leaf)
    if (sources[leaf] == 0) leaves_.push_back(leaf);
  size_t next = 0;
  for (const auto& [computation, instruction] : stopped) {
    const SourceBits bit = source_bit(next++);
    const Computation& c = whole_.computations[static_cast<size_t>(computation)];
    const std::string& name = c.instructions[static_cast<size_t>(instruction)].name;
    const auto why = stopped_.find(name);
    for (size_t leaf = 0; why != stopped_.end() && leaf < sources.size(); ++leaf)
      if ((sources[leaf] & bit) != 0 && unknown_[leaf].empty())
        unknown_[leaf] = fmt::format("it depends on %{}: {}", name, why->second);
  }
  for (size_t leaf = 0; leaf < sources.size(); ++leaf)
    if (sources[leaf] != 0 && unknown_[leaf].empty())
      unknown_[leaf] = "it depends on a loop whose end is not known";
}

void KnownValues::follow() {
  std::set<SourceFollower::Place> stopped = without_meaning();
  std::optional<SourceFollower> follower(std::in_place, whole_, stopped);
  LeafSources sources = follower->result();
  // A loop whose end is not known cannot be run, wherever it is called.
  while (!std::ranges::includes(stopped, follower->undecided())) {
    stopped.insert(follower->undecided().begin(), follower->undecided().end());
    follower.emplace(whole_, stopped);
    sources = follower->result();
  }
  changed_ = !stopped.empty();
  instructions_ = std::ranges::count(follower->of_entry(), SourceBits{0});
  say_why(stopped, sources);
  if (changed_) write(stopped);
}

void KnownValues::write(const std::set<SourceFollower::Place>& stopped) {
  known_ = whole_;
  for (size_t c = 0; c < whole_.computations.size(); ++c)
    known_.computations[c] = with_placeholders(whole_.computations[c], static_cast<int32_t>(c), stopped);
  if (leaves_.empty()) return;
  keep_leaves(leaves_, known_.computations[static_cast<size_t>(known_.entry.value)]);
  known_.output.reset();
  known_.further_outputs.clear();
  known_.definitions.clear();
  std::erase_if(known_.verbatim,
                [](const VerbatimAttribute& a) { return a.key == "entry_computation_layout"; });
}

}  // namespace shardscope::inline session
