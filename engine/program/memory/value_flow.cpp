// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/value_flow.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/program/analysis/scheduled.h"
#include "engine/program/memory/combined_sums.h"
#include "engine/program/memory/donated_values.h"
#include "engine/program/memory/in_place.h"
#include "engine/program/memory/layout_copies.h"
#include "engine/program/memory/memory_rules.h"
#include "engine/program/memory/tuple_buffers.h"
#include "engine/program/memory/value_place.h"
#include "engine/program/memory/written_aliases.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kMostPieces = 64;  // of what more devices exchange: as many, larger ones

using Leaves = std::vector<int32_t>;  // of a tuple: its table, then those of its elements

InstructionId id_of(size_t place) {
  return InstructionId(static_cast<int64_t>(place));
}

// That each device sends in an exchange.
size_t pieces_of(const Program& program, const Instruction& i) {
  const auto groups = device_groups(program, i);
  return groups.empty() ? 1 : std::clamp(groups.front().size(), size_t{1}, kMostPieces);
}

bool is_batched(const FlowValue& value) {
  return value.shape != nullptr && value.shape->rank() > 2;
}

class Walk {
 public:
  Walk(const Program& program, LaidOutFor chip, std::stop_token stop)
      : program_(program),
        chip_(chip),
        stop_(std::move(stop)),
        scheduled_(is_scheduled(program)),
        rules_(memory_rules(program, chip)) {
    for (const Computation& c : program.computations) {
      first_.push_back(count_);
      count_ += static_cast<int32_t>(c.instructions.size());
    }
  }

  Result<ValueFlow> run() {
    const Computation& entry = program_.entry_computation();
    out_.rules = rules_;
    out_.results = computation(program_.entry, {}, true);
    if (stop_.stop_requested()) return cancelled();
    std::erase_if(out_.in_place, [&](const InPlace& p) { return !p.asked && made_so_.contains(p.made); });
    for (const int32_t value : out_.results) {
      use(value, now() + 1);
      out_.values[static_cast<size_t>(value)].result = true;
    }
    out_.at.push_back(first_[static_cast<size_t>(program_.entry.value)] +
                      static_cast<int32_t>(entry.root.value));
    take_donated(program_, given_, out_);
    return std::move(out_);
  }

 private:
  int32_t now() const { return static_cast<int32_t>(out_.at.size()) - 1; }
  void use(int32_t value, int32_t time) {
    int32_t& last = out_.values[static_cast<size_t>(value)].last;
    last = std::max(last, time);
  }
  void use(const Leaves& leaves) {
    for (const int32_t value : leaves) use(value, now());
  }

  // Who takes an element reads the table of the tuple, and none of the other elements.
  void use_operands(const Instruction& i, const std::vector<Leaves>& operands) {
    const bool takes_one = value_place(i).lies == Lies::element;
    for (const Leaves& leaves : operands)
      takes_one && !leaves.empty() ? use(leaves.front(), now()) : use(leaves);
  }

  int32_t add(const Shape* shape, int64_t bytes, ValueHome home = ValueHome::made) {
    const int32_t maker = out_.at.back();
    const bool stored =
        shape != nullptr && bytes > 0 && !is_kept_by_core(program_.by_global_index(maker), *shape, rules_);
    out_.values.push_back({maker, shape, bytes, now(), now(), home, false, stored});
    return static_cast<int32_t>(out_.values.size()) - 1;
  }
  int32_t add_like(int32_t value) {
    const FlowValue& like = out_.values[static_cast<size_t>(value)];
    return add(like.shape, like.bytes);
  }
  void add(const Shape& shape, ValueHome home, Leaves& to) {
    if (!shape.is_tuple) {
      to.push_back(add(&shape, buffer_bytes(shape, rules_), home));
      return;
    }
    to.push_back(add(nullptr, table_bytes(shape.elements->size(), rules_), home));
    for (const Shape& element : *shape.elements) add(element, home, to);
  }
  Leaves fresh(const Shape& shape, ValueHome home = ValueHome::made) {
    Leaves out;
    add(shape, home, out);
    return out;
  }

  // What its root gives. `arguments`: of a called one, by parameter number.
  Leaves computation(ComputationId id, const std::vector<Leaves>& arguments, bool is_entry) {
    const Computation& c = program_.computation(id);
    std::vector<Leaves> values(c.instructions.size());
    const ReadersOf readers = scheduled_ ? ReadersOf() : readers_of(c);
    const std::vector<bool> within =
        scheduled_ ? std::vector<bool>() : within_their_readers(c, readers, chip_);
    const std::vector<int32_t> together =
        scheduled_ ? std::vector<int32_t>(c.instructions.size(), -1) : combined_sums(program_, c, chip_);
    std::map<int32_t, Leaves> sums;  // by group: what was read and given so far
    for (size_t k = 0; k < values.size(); ++k) {
      out_.at.push_back(first_[static_cast<size_t>(id.value)] + static_cast<int32_t>(k));
      if (static_cast<int64_t>(out_.at.size()) > kMostMemorySteps || stop_.stop_requested()) {
        out_.complete = false;
        break;
      }
      const Instruction& i = c.instructions[k];
      if (i.opcode == Opcode::parameter) {
        values[k] = is_entry ? argument(i) : arguments[static_cast<size_t>(i.parameter_number)];
        continue;
      }
      std::vector<Leaves> operands;
      for (const InstructionId from : i.operands) operands.push_back(values[static_cast<size_t>(from.value)]);
      use_operands(i, operands);
      values[k] = scheduled_ || rules_.tiled ? of(c, i, operands) : laid_out(c, id_of(k), readers, operands);
      if (!scheduled_ && within[k])
        for (const int32_t value : values[k]) out_.values[static_cast<size_t>(value)].bytes = 0;
      if (together[k] < 0) continue;
      // All of them are there when the last one is summed.
      Leaves& all = sums[together[k]];
      all.insert(all.end(), operands[0].begin(), operands[0].end());
      all.insert(all.end(), values[k].begin(), values[k].end());
      use(all);
    }
    if (!out_.complete) return fresh(c.root_instruction().shape);
    return values[static_cast<size_t>(c.root.value)];
  }

  Leaves argument(const Instruction& i) {
    const Leaves out = fresh(i.shape, ValueHome::argument);
    const auto number = static_cast<size_t>(i.parameter_number);
    if (given_.size() <= number) given_.resize(number + 1);
    given_[number] = out;
    out_.arguments.insert(out_.arguments.end(), out.begin(), out.end());
    return out;
  }

  // Of a module that is not scheduled: with the copies that its layouts will take.
  Leaves laid_out(const Computation& c, InstructionId id, const ReadersOf& readers,
                  std::vector<Leaves> operands) {
    const Instruction& i = c.at(id);
    if (keeps_order(c, i) || turns_a_product(c, i, readers)) return operands[0];
    if (turns_back(program_, c, i) && turned_.erase(operands[0].front()) > 0) return operands[0];
    const LayoutCopies copies = layout_copies(c, id, readers, chip_);
    const size_t pieces = copies.in_pieces ? pieces_of(program_, i) : 1;
    for (const size_t k : copies.made_so) made_so_.insert(operands[k].begin(), operands[k].end());
    if (pieces > 1) cut_made(copies.made_so, c, i, pieces, operands);
    copy_operands(copies, c, i, pieces, operands);
    Leaves out = pieces > 1 ? in_pieces(i.shape, pieces) : of(c, i, operands);
    if (rules_.keeps_tables && is_started(c, id, readers))  // of operands with results, and of operands
      for (const size_t elements : {operands.size() + 1, operands.size()})
        add(nullptr, table_bytes(elements, rules_));
    if (works_in_columns(i)) work_in_operands(operands, out);
    if (copies.result) return copied(out, i.shape, 1);
    if (copies.turned) turned_.insert(out.begin(), out.end());
    return out;
  }

  void tick() { out_.at.push_back(int32_t{out_.at.back()}); }
  Leaves in_pieces(const Shape& shape, size_t count) {
    Leaves out;
    const int64_t bytes = shape.bytes() / static_cast<int64_t>(count);
    for (size_t k = 0; k < count; ++k) out.push_back(add(&shape, bytes));
    return out;
  }
  Leaves copied(const Leaves& of, const Shape& shape, size_t pieces) {
    tick();
    use(of);
    return in_pieces(shape, pieces);
  }
  // One after the other, each in front of what reads them.
  void copy_operands(const LayoutCopies& copies, const Computation& c, const Instruction& i, size_t pieces,
                     std::vector<Leaves>& operands) {
    for (const size_t k : copies.operands)
      operands[k] = copied(operands[k], c.at(i.operands[k]).shape, pieces);
    if (copies.operands.empty()) return;
    tick();
    for (const Leaves& leaves : operands) use(leaves);
  }
  // Kernels that make it for an exchange alone make its pieces.
  void cut_made(const std::vector<size_t>& made_so, const Computation& c, const Instruction& i, size_t pieces,
                std::vector<Leaves>& operands) {
    for (const size_t k : made_so) {
      for (const int32_t value : operands[k]) out_.values[static_cast<size_t>(value)].bytes = 0;
      operands[k] = copied(operands[k], c.at(i.operands[k]).shape, pieces);
    }
    tick();
    for (const Leaves& leaves : operands) use(leaves);
  }
  // A library overwrites what it is given; of a batch of calls XLA's partitioner forgets that they may.
  void work_in_operands(const std::vector<Leaves>& operands, const Leaves& made) {
    for (const Leaves& operand : operands)
      for (const int32_t result : made)
        if (operand.size() == 1 && !is_batched(out_.values[static_cast<size_t>(operand.front())]) &&
            out_.values[static_cast<size_t>(result)].bytes ==
                out_.values[static_cast<size_t>(operand.front())].bytes)
          out_.in_place.push_back({operand.front(), result, now(), true});
  }

  Leaves of(const Computation& c, const Instruction& i, const std::vector<Leaves>& operands);
  // None: in memory of its own.
  std::optional<Leaves> placed(const Computation& c, const Instruction& i,
                               const std::vector<Leaves>& operands);
  Leaves loop(const Instruction& i, const Leaves& before);
  Leaves branches(const Instruction& i, const std::vector<Leaves>& operands);
  Leaves started(const Instruction& i, const std::vector<Leaves>& operands, const ValuePlace& place);
  Leaves made(const Computation& c, const Instruction& i, const std::vector<Leaves>& operands);

  const Program& program_;
  const LaidOutFor chip_;
  const std::stop_token stop_;
  const bool scheduled_;
  const MemoryRules rules_;
  std::vector<int32_t> first_;  // by computation: global index of its first instruction
  int32_t count_ = 0;
  std::vector<Leaves> given_;  // by parameter of the entry
  std::set<int32_t> turned_;   // values whose order in memory is not that of their shape
  std::set<int32_t> made_so_;  // and those that kernels make so
  ValueFlow out_;
};

// As XLA up to 2025 starts sums of devices' arrays: without what they are of.
bool is_alone(const ValuePlace& place, const Shape& started) {
  return place.may_be_alone && !started.elements->front().is_tuple;
}

std::optional<Leaves> first(const std::vector<Leaves>& operands) {
  return operands.empty() ? std::nullopt : std::optional(operands[0]);
}

// What nobody knows by more than its name need not have the values that its name promises: recv-done gives
// more than one of those of its recv.
Leaves Walk::of(const Computation& c, const Instruction& i, const std::vector<Leaves>& operands) {
  std::optional<Leaves> known = placed(c, i, operands);
  return known && known->size() == buffer_count(i.shape) ? *std::move(known) : made(c, i, operands);
}

std::optional<Leaves> Walk::placed(const Computation& c, const Instruction& i,
                                   const std::vector<Leaves>& operands) {
  const ValuePlace place = value_place(i);
  switch (place.lies) {
    case Lies::constant:
      return fresh(i.shape, ValueHome::constant);
    case Lies::table: {
      Leaves out{add(nullptr, table_bytes(operands.size(), rules_))};
      for (const Leaves& leaves : operands) out.insert(out.end(), leaves.begin(), leaves.end());
      return out;
    }
    case Lies::element:
      return buffers_of_element(c.at(i.operands[0]).shape, operands[0], i.tuple_index);
    case Lies::copied:
      if (scheduled_) break;
      return first(operands);
    case Lies::reshaped:  // XLA:TPU writes a bitcast where the elements stay where they are
      if (rules_.compiled_for_tpu()) break;
      return first(operands);
    case Lies::operand:
      return first(operands);
    case Lies::looped:
      return loop(i, operands[0]);
    case Lies::branched:
      return branches(i, operands);
    case Lies::called:
      if (i.called.empty()) break;
      return computation(i.called.front().computation, operands, false);
    case Lies::started:
      if (!i.shape.is_tuple || is_alone(place, i.shape)) break;
      return started(i, operands, place);
    case Lies::ended: {
      if (operands.empty()) break;
      const Shape& from = c.at(i.operands[0]).shape;
      const bool several = from.is_tuple && from.elements->size() > 1 && !is_alone(place, from);
      Leaves out = several ? buffers_of_element(from, operands[0], place.element) : operands[0];
      const bool new_table = i.shape.is_tuple && rules_.keeps_tables && !rules_.tiled;
      if (new_table) out.front() = add(nullptr, table_bytes(i.shape.elements->size(), rules_));
      return out;
    }
    case Lies::new_array:
      break;
  }
  return std::nullopt;
}

// (operands, results, …): the operands as they are.
Leaves Walk::started(const Instruction& i, const std::vector<Leaves>& operands, const ValuePlace& place) {
  Leaves out = fresh(i.shape);
  const size_t from = buffer_place(i.shape, place.element);
  const size_t count = buffer_count((*i.shape.elements)[static_cast<size_t>(place.element)]);
  Leaves given;
  for (const Leaves& leaves : operands) given.insert(given.end(), leaves.begin(), leaves.end());
  // A tuple of operands has a table of its own in front of them.
  const size_t table = count > given.size() ? count - given.size() : 0;
  if (table > 0 && rules_.keeps_tables && !place.has_inner_table)
    out_.values[static_cast<size_t>(out[from])].bytes = 0;
  for (size_t k = table; k < count && k - table < given.size(); ++k) {
    out_.values[static_cast<size_t>(out[from + k])].bytes = 0;  // there is none such
    out[from + k] = given[k - table];
  }
  return out;
}

Leaves Walk::loop(const Instruction& i, const Leaves& before) {
  const int32_t start = now();
  Leaves entering;
  for (const int32_t value : before) entering.push_back(add_like(value));
  Leaves leaving = entering;
  std::vector<bool> copied(before.size(), false);
  for (const char* part : {"condition", "body"})
    for (const CalledComputation& called : i.called) {
      if (*called.key != part) continue;
      const Leaves root = computation(called.computation, {entering}, false);
      use(root);
      if (std::string_view(part) != "body" || root.size() != entering.size()) continue;
      leaving = root;
      if (!scheduled_)
        copied = read_out_of_order(program_.computation(called.computation), i.shape, before.size());
    }
  const int32_t end = now();
  out_.at.push_back(out_.at[static_cast<size_t>(start)]);
  Leaves behind;
  for (size_t k = 0; k < before.size(); ++k) {
    behind.push_back(add_like(before[k]));
    out_.carried.push_back({before[k], entering[k], leaving[k], behind[k], start, end, copied[k]});
  }
  return behind;
}

Leaves Walk::branches(const Instruction& i, const std::vector<Leaves>& operands) {
  const int32_t start = now();
  std::vector<Leaves> given;
  for (size_t b = 0; b < i.called.size() && b + 1 < operands.size(); ++b) {
    given.push_back(computation(i.called[b].computation, {operands[b + 1]}, false));
    use(given.back());
  }
  const int32_t end = now();
  out_.at.push_back(out_.at[static_cast<size_t>(start)]);
  const Leaves behind = fresh(i.shape);
  for (const Leaves& leaves : given)
    for (size_t k = 0; k < std::min(leaves.size(), behind.size()); ++k)
      out_.carried.push_back({-1, -1, leaves[k], behind[k], start, end});
  return behind;
}

Leaves Walk::made(const Computation& c, const Instruction& i, const std::vector<Leaves>& operands) {
  const Leaves out = fresh(i.shape);
  const size_t table = i.shape.is_tuple ? 1 : 0;
  const InPlaceSum sum = sums_in_place(i, chip_);
  for (size_t k = 0; sum != InPlaceSum::no && k < operands.size() && table + k < out.size(); ++k)
    if (operands[k].size() == 1 && !turned_.contains(operands[k].front()))
      out_.in_place.push_back({operands[k].front(), out[table + k], now(), sum == InPlaceSum::must});
  for (const PlaceOf& place :
       rules_.compiled_for_tpu() ? written_aliases(program_, c, i) : may_stand_in(program_, c, i, chip_)) {
    if (place.operand >= operands.size()) continue;
    const size_t from = place.of_operand, to = place.result;
    if (from >= operands[place.operand].size() || to >= out.size()) continue;
    const int32_t operand = operands[place.operand][from];
    if (turned_.contains(operand)) continue;
    const auto given = i.operands[place.operand].value - (&i - c.instructions.data());
    const bool direct = out_.values[static_cast<size_t>(operand)].maker == out_.at.back() + given;
    out_.in_place.push_back({operand, out[to], now(), place.asked, direct});
  }
  return out;
}

}  // namespace

Result<ValueFlow> value_flow(const Program& program, LaidOutFor chip, const std::stop_token& stop) {
  return Walk(program, chip, stop).run();
}

}  // namespace shardscope::inline program
