// SPDX-License-Identifier: Apache-2.0
// The rules are those of XLA's YnnMatcher and its library rewriter.
#include "engine/backend/library_kernels.h"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/functions.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr int64_t kFewestElements = 4096;
constexpr int64_t kFewestFeatures = 16;
constexpr size_t kMostDimensions = 8;
constexpr int64_t kSmallestProduct = 8;  // its longest side

bool has_many(const Shape& shape) {
  return !shape.is_tuple && shape.element_count() >= kFewestElements;
}

bool is_long(const Computation& c, const Instruction& i) {
  return has_many(i.shape) ||
         std::ranges::any_of(i.operands, [&](InstructionId id) { return has_many(c.at(id).shape); });
}

bool has_librarys_type(const Shape& shape) {
  return !shape.is_tuple &&
         (shape.type == ElementType::f64 || shape.type == ElementType::f32 ||
          shape.type == ElementType::bf16 || shape.type == ElementType::s8 || shape.type == ElementType::u8);
}

// Windows that lie side by side.
bool is_in_pieces(const Instruction& i) {
  const auto* window = std::get_if<Window>(&*i.attributes);
  if (window == nullptr) return false;
  size_t cut = 0;
  for (const WindowDim& d : window->dims) {
    if (d.size == 1 && d.stride == 1) continue;
    if ((d.size > 1 && d.stride != d.size) || d.base_dilation != 1 || d.window_dilation != 1 || d.reversed)
      return false;
    ++cut;
  }
  return cut > 0 && i.shape.rank() + cut <= kMostDimensions;
}

// A picture by rows, features last, that gets no larger.
bool is_librarys_convolution(const Computation& c, const Instruction& i) {
  const auto dims = convolution_dims(c, i);
  if (!dims.ok() || dims->batch_groups != 1) return false;
  const std::vector<int64_t> rows{1, 2};
  if (dims->input_spatial != rows || dims->output_spatial != rows ||
      dims->kernel_spatial != std::vector<int64_t>{0, 1})
    return false;
  if (dims->input_feature != 3 || dims->output_feature != 3 || dims->kernel_input != 2 ||
      dims->kernel_output != 3)
    return false;
  const Shape &of = c.at(i.operands[0]).shape, &kernel = c.at(i.operands[1]).shape;
  const bool is_float = of.type == ElementType::f32 || of.type == ElementType::f64;
  if (kernel.type != of.type || (is_float ? i.shape.type != of.type : i.shape.type != ElementType::s32))
    return false;
  if (!is_float && of.type != ElementType::s8) return false;
  if (std::max(of.dims[3], i.shape.dims[3]) <= kFewestFeatures) return false;
  for (size_t d = 1; d < 3; ++d)
    if (i.shape.dims[d] > of.dims[d] || kernel.dims[d - 1] > of.dims[d]) return false;
  return std::ranges::none_of(dims->window,
                              [](const WindowDim& d) { return d.base_dilation != 1 || d.reversed; });
}

bool is_spread_in_order(const Program&, const Computation&, const Instruction& i) {
  return has_librarys_type(i.shape) && std::ranges::is_sorted(*i.dimensions);
}
bool has_product(const Program&, const Computation& c, const Instruction& i) {
  return is_librarys_product(c, i);
}
bool has_convolution(const Program&, const Computation& c, const Instruction& i) {
  return is_librarys_convolution(c, i);
}

bool can_join(const Program& program, const Computation& c, const Instruction& i) {
  if (!i.control_predecessors.empty()) return false;
  using Rule = bool (*)(const Program&, const Computation&, const Instruction&);
  static const OpTable<Rule> kRules({}, {{Opcode::dot, &has_product},
                                         {Opcode::convolution, &has_convolution},
                                         {Opcode::reduce, &is_librarys_reduction},
                                         {Opcode::reduce_window, &is_librarys_reduction},
                                         {Opcode::broadcast, &is_spread_in_order}});
  if (const Rule rule = kRules[i.opcode]) return rule(program, c, i);
  if (!has_librarys_type(i.shape)) return false;
  if (has(i.opcode, Trait::view)) return true;
  return function_of(i.opcode).in_library && is_long(c, i) &&
         std::ranges::all_of(i.operands, [&](InstructionId id) { return has_librarys_type(c.at(id).shape); });
}

// Kernels that grow from a reduction, the last of a computation first: over what is made for it alone, and
// over what alone reads it, products and whole kernels too.
class Library {
 public:
  Library(const Program& program, const Computation& c)
      : program_(program), c_(c), readers_(followers_of(c)), owner_(readers_.size(), kNobody) {}

  LibraryKernels run() {
    for (size_t k = readers_.size(); k-- > 0;)
      if (owner_[k] == kNobody && is_librarys_reduction(program_, c_, c_.instructions[k])) start(k);
    LibraryKernels out;
    for (const int32_t owner : owner_) out.taken.push_back(owner != kNobody);
    for (Group& group : groups_) {
      if (group.members.size() < 2) continue;
      std::ranges::sort(group.members);
      out.kernels.push_back(kernel_of(c_, std::move(group.members), {static_cast<int32_t>(group.root)}));
    }
    return out;
  }

 private:
  static constexpr int32_t kNobody = -1;
  struct Group {
    std::vector<int32_t> members;  // none: it is part of another now
    size_t root = 0;
  };
  enum class Way : uint8_t { up, down };
  struct Candidate {
    size_t place;  // of the root where it is a kernel
    Way way;
  };

  bool is_root(size_t place) const { return static_cast<int64_t>(place) == c_.root.value; }
  Group& group(int32_t number) { return groups_[static_cast<size_t>(number)]; }

  void start(size_t reduction) {
    auto grown = static_cast<int32_t>(groups_.size());
    groups_.push_back({{}, reduction});
    join(reduction, grown);
    while (grow(grown)) continue;
  }
  void join(size_t place, int32_t number) {
    owner_[place] = number;
    group(number).members.push_back(static_cast<int32_t>(place));
  }

  bool grow(int32_t& grown) {
    frontier_.clear();
    seen_.clear();
    for (const int32_t member : std::vector<int32_t>(group(grown).members))
      add_makers(static_cast<size_t>(member), grown);
    add_reader(group(grown).root, grown);
    bool changed = false;
    while (!frontier_.empty()) {
      const auto [place, way] = frontier_.front();
      frontier_.pop_front();
      if (owner_[place] != kNobody) {
        merge(place, way, grown);
      } else if (can_join(program_, c_, c_.instructions[place])) {
        join(place, grown);
        if (way == Way::down) group(grown).root = place;
        way == Way::up ? add_makers(place, grown) : add_reader(place, grown);
      } else {
        continue;
      }
      changed = true;
    }
    return changed;
  }

  // The kernel that reads the other one goes on.
  void merge(size_t place, Way way, int32_t& grown) {
    const int32_t other = owner_[place];
    const int32_t kept = way == Way::up ? grown : other, gone = way == Way::up ? other : grown;
    if (kept == gone) return;
    for (const int32_t member : group(gone).members) join(static_cast<size_t>(member), kept);
    group(gone).members.clear();
    grown = kept;
  }

  void add(size_t place, Way way) {
    if (seen_.insert(place).second) frontier_.push_back({place, way});
  }
  void add_makers(size_t place, int32_t number) {
    for (const InstructionId operand : c_.instructions[place].operands) {
      const auto made = static_cast<size_t>(operand.value);
      if (owner_[made] == number || is_root(made)) continue;
      if (std::ranges::all_of(readers_[made], [&](size_t reader) { return owner_[reader] == number; }))
        add(made, Way::up);
    }
  }
  void add_reader(size_t place, int32_t number) {
    if (is_root(place) || readers_[place].empty()) return;
    const size_t reader = readers_[place].front();
    const int32_t owner = owner_[reader];
    const auto is_it = [&](size_t r) { return r == reader || (owner != kNobody && owner_[r] == owner); };
    if (owner == number || !std::ranges::all_of(readers_[place], is_it)) return;
    add(owner == kNobody ? reader : group(owner).root, Way::down);
  }

  const Program& program_;
  const Computation& c_;
  const ReadersOf readers_;
  std::vector<Group> groups_;
  std::vector<int32_t> owner_;  // by place: a group
  // Of the group that grows.
  std::deque<Candidate> frontier_;
  std::set<size_t> seen_;
};

}  // namespace

bool is_librarys_reduction(const Program& program, const Computation& c, const Instruction& i) {
  enum class Sums : uint8_t { nothing, all, windows };
  static const OpTable<Sums> kSums({}, {{Opcode::reduce, Sums::all}, {Opcode::reduce_window, Sums::windows}});
  const Sums sums = kSums[i.opcode];
  if (sums == Sums::nothing || i.operands.size() != 2 || i.shape.is_tuple || i.called.empty()) return false;
  const Shape& of = c.at(i.operands[0]).shape;
  if (of.is_tuple || !is_long(c, i) || (sums == Sums::windows && !is_in_pieces(i))) return false;
  const Instruction& reducer = program.computation(i.called.front().computation).root_instruction();
  if (reducer.shape.type != of.type) return false;  // widened only afterwards
  const Opcode by = reducer.opcode;
  const bool is_f32 = of.type == ElementType::f32 || of.type == ElementType::f64;
  if (by == Opcode::add) return is_f32;
  return has(by, Trait::extreme) && (is_f32 || of.type == ElementType::bf16 || of.type == ElementType::f16);
}

bool is_librarys_product(const Computation& c, const Instruction& dot) {
  if (dot.dot->lhs_contracting.size() != 1) return false;
  const Shape &lhs = c.at(dot.operands[0]).shape, &rhs = c.at(dot.operands[1]).shape;
  using enum ElementType;
  static const std::set<std::tuple<ElementType, ElementType, ElementType>> kTypes{
      {f64, f64, f64}, {f32, f32, f32}, {bf16, bf16, f32}, {s8, s8, s32}, {u8, s8, s32}};
  if (!kTypes.contains({lhs.type, rhs.type, dot.shape.type})) return false;
  const DotDims& dims = *dot.dot;
  const size_t batches = dims.lhs_batch.size();
  if (lhs.rank() != batches + 2 || rhs.rank() != batches + 2) return false;
  if (dims.lhs_contracting[0] + 1 != static_cast<int64_t>(lhs.rank())) return false;
  const int64_t m = dot.shape.dims[batches], n = dot.shape.dims[batches + 1];
  return m > 1 && n > 1 && std::max({m, n, lhs.dims.back()}) >= kSmallestProduct;
}

LibraryKernels library_kernels(const Program& program, const Computation& computation) {
  return Library(program, computation).run();
}

}  // namespace shardscope::inline backend
