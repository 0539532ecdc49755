// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/in_place.h"

#include <algorithm>
#include <optional>

#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/layout.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/memory/donated.h"
#include "engine/program/memory/gpu_fusion_places.h"
#include "engine/program/memory/layout_copies.h"
#include "engine/program/memory/tuple_buffers.h"

namespace shardscope::inline program {
namespace {

size_t place(InstructionId id) {
  return static_cast<size_t>(id.value);
}

constexpr size_t kMostOrdered = 50'000'000;  // elements of a state times instructions

// Where one of them does not say how it lies, in rows.
bool lies_alike(const Shape& a, const Shape& b) {
  if (*a.layout == *b.layout) return true;
  if (!a.layout->empty() && !b.layout->empty()) return false;
  const Layout one = layout_of(a), other = layout_of(b);
  return one.order == other.order && one.tiles == other.tiles && one.memory_space == other.memory_space;
}

bool is_alike(const Shape& a, const Shape& b) {
  return !a.is_tuple && !b.is_tuple && a.dims == b.dims && a.bytes() == b.bytes() && lies_alike(a, b);
}

bool is_read_through(const Instruction& i) {
  return has(i.opcode, Trait::view) || i.opcode == Opcode::get_tuple_element;
}

// Who reads the value at `at`, itself or by way of views of it.
std::vector<size_t> readers_behind(const Computation& c, const ReadersOf& readers, size_t at) {
  std::vector<size_t> out, open{at};
  while (!open.empty()) {
    const size_t next = open.back();
    open.pop_back();
    for (const size_t reader : readers[next])
      (is_read_through(c.instructions[reader]) ? open : out).push_back(reader);
  }
  return out;
}

// Of a fused computation. Each value is decided once, whoever reads it how often.
class Inside {
 public:
  explicit Inside(const Computation& c) : c_(c), readers_(readers_of(c)) {
    by_element_.assign(readers_.size(), true);
    for (size_t k = readers_.size(); k-- > 0;)
      by_element_[k] = std::ranges::all_of(readers_[k], [&](size_t reader) { return passes(k, reader); });
  }

  // Whether all who read it read but the element that they write.
  bool is_read_by_element(size_t at) const { return by_element_[at]; }

  // What `root` gives with a part of it updated, where nothing else reads it but where it is updated; none:
  // it is no update.
  std::optional<size_t> updated(InstructionId root) const {
    const Instruction& update = c_.at(behind(root));
    if (!has(update.opcode, Trait::updates)) return std::nullopt;
    const size_t from = place(behind(update.operands[0]));
    if (!is_read_in_the_place(from, update)) return std::nullopt;
    return from;
  }

 private:
  // By way of one reader: what it makes is read by element too.
  bool passes(size_t at, size_t reader) const {
    const Instruction& i = c_.instructions[reader];
    if (i.opcode == Opcode::tuple) return true;
    if (!by_element_[reader]) return false;
    if (is_read_through(i)) return true;
    const auto is_changed = [&] {
      return std::ranges::count(i.operands, InstructionId(static_cast<int64_t>(at)));
    };
    if (has(i.opcode, Trait::updates) && place(i.operands[0]) == at && is_changed() == 1) return true;
    return (is_elementwise(i.opcode) || has(i.opcode, Trait::same_array)) &&
           i.shape.dims == c_.instructions[at].shape.dims;
  }

  // What it is with other dimensions.
  InstructionId behind(InstructionId id) const {
    while (is_read_through(c_.at(id)) && !c_.at(id).operands.empty()) id = c_.at(id).operands[0];
    return id;
  }

  // What the update itself reads of it is the slice that it changes.
  bool is_read_in_the_place(size_t at, const Instruction& update) const {
    return std::ranges::all_of(readers_behind(c_, readers_, at), [&](size_t reader) {
      const Instruction& i = c_.instructions[reader];
      return &i == &update || is_part_of_update(i, update);
    });
  }

  const Computation& c_;
  ReadersOf readers_;
  std::vector<bool> by_element_;
};

// Which of its results a fusion may write over which of its operands.
class SharedPlaces {
 public:
  SharedPlaces(const Computation& fused, const Instruction& fusion, LaidOutFor chip) : inside_(fused) {
    const std::string* kind = verbatim_attribute(fusion, "kind");
    if (chip == LaidOutFor::gpu) on_gpu_.emplace(fused, kind != nullptr && *kind == "kInput");
  }
  std::optional<size_t> updated(InstructionId root) const { return inside_.updated(root); }
  bool may_share(size_t from, const Shape& given, InstructionId root, const Shape& made) {
    if (!on_gpu_) return is_alike(given, made) && inside_.is_read_by_element(from);
    return !made.is_tuple && given.element_count() == made.element_count() && on_gpu_->may_share(from, root);
  }

 private:
  Inside inside_;
  std::optional<GpuFusionPlaces> on_gpu_;
};

// The arrays that the root changes where they lie, as a sort does.
void add_changed_by_root(const Computation& fused, const Instruction& i, std::vector<PlaceOf>& out) {
  static const OpTable<bool> kChanges({}, {{Opcode::sort, true}});
  const Instruction& root = fused.root_instruction();
  for (size_t k = 0; kChanges[root.opcode] && k < root.operands.size(); ++k) {
    const int64_t number = fused.at(root.operands[k]).parameter_number;
    if (number >= 0 && static_cast<size_t>(number) < i.operands.size())
      out.push_back({static_cast<size_t>(number), 0, i.shape.is_tuple ? 1 + k : 0});
  }
}

void add_of_fusion(const Computation& fused, const Computation& c, const Instruction& i, LaidOutFor chip,
                   std::vector<PlaceOf>& out) {
  SharedPlaces inside(fused, i, chip);
  const std::vector<InstructionId> roots = result_ids(fused);
  std::vector<std::optional<size_t>> updated;  // by root
  for (const InstructionId root : roots) updated.push_back(inside.updated(root));
  for (size_t k = 0; k < fused.instructions.size(); ++k) {
    const int64_t number = fused.instructions[k].parameter_number;
    if (number < 0 || static_cast<size_t>(number) >= i.operands.size()) continue;
    const auto operand = static_cast<size_t>(number);
    const Shape& given = c.at(i.operands[operand]).shape;
    for (size_t r = 0; r < roots.size(); ++r) {
      const Shape& made = fused.at(roots[r]).shape;
      if (given.is_tuple || given.bytes() != made.bytes()) continue;
      const bool in_place = updated[r] == k;
      if (in_place || inside.may_share(k, given, roots[r], made))
        out.push_back({operand, 0, i.shape.is_tuple ? 1 + r : 0, in_place});
    }
  }
  if (chip == LaidOutFor::gpu) add_changed_by_root(fused, i, out);
  std::ranges::stable_sort(out, {}, &PlaceOf::operand);
}

void add_asked(const Computation& c, const Instruction& i, std::vector<PlaceOf>& out) {
  for (const DonatedLeaf& alias : aliased_operands(i)) {
    if (static_cast<size_t>(alias.parameter) >= i.operands.size()) continue;
    const auto operand = static_cast<size_t>(alias.parameter);
    const auto from = buffer_at(c.at(i.operands[operand]).shape, alias.path);
    const auto to = buffer_at(i.shape, alias.result);
    if (from && to) out.push_back({operand, *from, *to, true});
  }
}

void add_alike(const Computation& c, const Instruction& i, std::vector<PlaceOf>& out) {
  for (size_t k = 0; k < i.operands.size(); ++k)
    if (is_alike(c.at(i.operands[k]).shape, i.shape)) out.push_back({k, 0, 0});
}
void add_updated(const Computation&, const Instruction&, std::vector<PlaceOf>& out) {
  out.push_back({0, 0, 0, true});
}
// Of the first half of its operands one result each.
void add_scattered(const Computation&, const Instruction& i, std::vector<PlaceOf>& out) {
  for (size_t k = 0; k < i.operands.size() / 2; ++k)
    out.push_back({k, 0, i.shape.is_tuple ? 1 + k : 0, true});
}
void add_sorted(const Computation&, const Instruction& i, std::vector<PlaceOf>& out) {
  for (size_t k = 0; k < i.operands.size(); ++k) out.push_back({k, 0, i.shape.is_tuple ? 1 + k : 0});
}

class LoopOrder {
 public:
  explicit LoopOrder(const Computation& body) : body_(body), readers_(readers_of(body)) {}

  std::vector<bool> run() {
    const Instruction& root = body_.root_instruction();
    std::vector<bool> out(root.operands.size(), false);
    if (root.opcode != Opcode::tuple || out.size() * readers_.size() > kMostOrdered) return out;
    for (size_t k = 0; k < readers_.size(); ++k) {
      const Instruction& i = body_.instructions[k];
      if (i.opcode != Opcode::get_tuple_element || body_.at(i.operands[0]).opcode != Opcode::parameter)
        continue;
      const auto element = static_cast<size_t>(i.tuple_index);
      if (element < out.size()) out[element] = out[element] || is_torn(k, place(root.operands[element]));
    }
    return out;
  }

 private:
  bool is_torn(size_t given, size_t next) const {
    if (given == next) return false;
    const std::vector<bool> awaited = needed_by(next);
    return std::ranges::any_of(readers_behind(body_, readers_, given), [&](size_t reader) {
      return body_.instructions[reader].opcode != Opcode::tuple && !awaited[reader];
    });
  }

  std::vector<bool> needed_by(size_t value) const {
    std::vector<bool> out(readers_.size(), false);
    out[value] = true;
    for (size_t k = value + 1; k-- > 0;) {
      if (!out[k]) continue;
      for (const auto* before :
           {&body_.instructions[k].operands, &*body_.instructions[k].control_predecessors})
        for (const InstructionId id : *before) out[place(id)] = true;
    }
    return out;
  }

  const Computation& body_;
  ReadersOf readers_;
};

}  // namespace

InPlaceSum sums_in_place(const Instruction& instruction, LaidOutFor chip) {
  static const OpTable<InPlaceSum> kInPlace({}, {{Opcode::all_reduce, InPlaceSum::may},
                                                 {Opcode::all_reduce_start, InPlaceSum::must},
                                                 {Opcode::collective_broadcast, InPlaceSum::may}});
  return chip == LaidOutFor::gpu ? kInPlace[instruction.opcode] : InPlaceSum::no;
}

bool is_part_of_update(const Instruction& read, const Instruction& update) {
  return read.opcode == Opcode::dynamic_slice && update.opcode == Opcode::dynamic_update_slice &&
         std::equal(read.operands.begin() + 1, read.operands.end(), update.operands.begin() + 2,
                    update.operands.end());
}

std::vector<bool> read_out_of_order(const Computation& body, const Shape& state, size_t buffers) {
  std::vector<bool> out(buffers, false);
  if (!state.is_tuple) return out;
  const std::vector<bool> elements = LoopOrder(body).run();
  for (size_t e = 0; e < elements.size() && e < state.elements->size(); ++e) {
    if (!elements[e]) continue;
    const size_t from = buffer_place(state, static_cast<int64_t>(e));
    for (size_t k = 0; k < buffer_count((*state.elements)[e]) && from + k < buffers; ++k)
      out[from + k] = true;
  }
  return out;
}

std::vector<PlaceOf> may_stand_in(const Program& program, const Computation& computation,
                                  const Instruction& instruction, LaidOutFor chip) {
  std::vector<PlaceOf> out;
  const Instruction& i = instruction;
  add_asked(computation, i, out);
  if (const Computation* fused = fused_computation(program, i)) {
    add_of_fusion(*fused, computation, i, chip, out);
    return out;
  }
  static const OpTable<void (*)(const Computation&, const Instruction&, std::vector<PlaceOf>&)> rules(
      {{OpClass::elementwise, &add_alike}}, {{Opcode::dynamic_update_slice, &add_updated},
                                             {Opcode::scatter, &add_scattered},
                                             {Opcode::sort, &add_sorted}});
  if (const auto rule = rules[i.opcode]) rule(computation, i, out);
  return out;
}

}  // namespace shardscope::inline program
