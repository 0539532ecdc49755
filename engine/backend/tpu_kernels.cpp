// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/tpu_kernels.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr size_t kMostInOneProduct = 200;  // instructions of a kernel around a product

// What a kernel around a product sees in an operation.
enum class TpuPart : uint8_t { other, product, plain, function, mask, sums, spread };
TpuPart tpu_part_of(Opcode opcode) {
  static const OpTable<TpuPart> kParts(
      {{OpClass::elementwise, TpuPart::plain}, {OpClass::product, TpuPart::product}},
      {{Opcode::convolution, TpuPart::product},
       {Opcode::exponential, TpuPart::function},
       {Opcode::exponential_minus_one, TpuPart::function},
       {Opcode::log, TpuPart::function},
       {Opcode::log_plus_one, TpuPart::function},
       {Opcode::tanh, TpuPart::function},
       {Opcode::logistic, TpuPart::function},
       {Opcode::sqrt, TpuPart::function},
       {Opcode::rsqrt, TpuPart::function},
       {Opcode::cbrt, TpuPart::function},
       {Opcode::sine, TpuPart::function},
       {Opcode::cosine, TpuPart::function},
       {Opcode::power, TpuPart::function},
       {Opcode::erf, TpuPart::function},
       {Opcode::compare, TpuPart::mask},
       {Opcode::transpose, TpuPart::plain},  // a layout
       {Opcode::reduce, TpuPart::sums},
       {Opcode::constant, TpuPart::spread},
       {Opcode::iota, TpuPart::spread},
       {Opcode::broadcast, TpuPart::spread}});
  return kParts[opcode];
}

const Instruction& instruction_at(const Computation& c, int32_t place) {
  return c.instructions[static_cast<size_t>(place)];
}

// Whether one of these is among what is computed element by element from `place` up, and the products and
// sums that this begins with.
bool is_made_with(const Computation& c, int32_t place, std::initializer_list<TpuPart> wanted) {
  const int64_t count = instruction_at(c, place).shape.element_count();
  std::vector<int32_t> open{place};
  for (size_t k = 0; k < open.size() && k < kMostInOneProduct; ++k) {
    const Instruction& i = instruction_at(c, open[k]);
    const TpuPart part = tpu_part_of(i.opcode);
    if (std::ranges::find(wanted, part) != wanted.end()) return true;
    if (part == TpuPart::other && !has(i.opcode, Trait::same_order)) continue;
    if (part == TpuPart::product || part == TpuPart::sums) continue;
    for (const InstructionId operand : i.operands)
      if (!c.at(operand).shape.is_tuple && c.at(operand).shape.element_count() == count)
        open.push_back(static_cast<int32_t>(operand.value));
  }
  return false;
}

// Whether it is summed as well as read otherwise, as a softmax's exponentials are, over rows that a product's
// kernel can hold: of 1024 and 2048 it was seen to, of 196 and 32000 not.
bool is_summed_and_read(const Computation& c, const std::vector<std::vector<size_t>>& readers, size_t place) {
  constexpr int64_t kTpuLanes = 128, kTpuLongestRow = 4096;
  bool summed = false, read = false;
  const auto look = [&](size_t reader) {
    const Instruction& i = c.instructions[reader];
    const int64_t rows = std::max<int64_t>(i.shape.is_tuple ? 1 : i.shape.element_count(), 1);
    const int64_t row = c.instructions[place].shape.element_count() / rows;
    if (tpu_part_of(i.opcode) != TpuPart::sums)
      read = true;
    else
      summed = row % kTpuLanes == 0 && row <= kTpuLongestRow;
  };
  for (const size_t reader : readers[place]) {
    look(reader);
    if (has(c.instructions[reader].opcode, Trait::same_array)) std::ranges::for_each(readers[reader], look);
  }
  return summed && read;
}

// What is computed element by element from a product alone up to where several read it: the last that is no
// conversion. -1: nothing.
int32_t end_of_product(const Computation& c, const std::vector<std::vector<size_t>>& readers,
                       size_t product) {
  const int64_t count = c.instructions[product].shape.element_count();
  int32_t end = -1;
  size_t place = product;
  while (readers[place].size() == 1) {
    const size_t next = readers[place].front();
    const Instruction& i = c.instructions[next];
    const TpuPart part = tpu_part_of(i.opcode);
    const bool in_order = part == TpuPart::plain || part == TpuPart::function;
    if (!in_order || i.shape.is_tuple || i.shape.element_count() != count) break;
    place = next;
    if (!has(i.opcode, Trait::same_array)) end = static_cast<int32_t>(place);
  }
  return readers[place].size() > 1 ? end : -1;
}

class TpuProducts {
 public:
  explicit TpuProducts(KernelGraph& graph)
      : graph_(graph), c_(graph.computation()), elsewhere_(c_.instructions.size(), false) {
    elsewhere_[static_cast<size_t>(c_.root.value)] = true;
    for (size_t k = 0; k < c_.instructions.size(); ++k) {
      const Instruction& i = c_.instructions[k];
      const bool is_kernel = graph_.maker(static_cast<int32_t>(k)) >= 0 || can_take(i);
      if (is_fusible(i) || is_kernel) continue;
      each_needed(i, [&](size_t needed) { elsewhere_[needed] = true; });
    }
    for (size_t k = 0; k < c_.instructions.size(); ++k)
      if (can_take(c_.instructions[k])) {
        const auto name = static_cast<int32_t>(k);
        products_.push_back(name);
        graph_.replace(name, kernel_of(c_, {name}, {name}), kAnyTime);
      }
  }

  void run() {
    for (auto product = products_.rbegin(); product != products_.rend(); ++product) follow(*product);
    std::vector<int32_t> names = graph_.names();
    std::ranges::reverse(names);
    for (const int32_t name : names) give_to_products(name);
  }

 private:
  static constexpr double kAnyTime = 1e-9;  // a product is never free

  static bool can_take(const Instruction& i) {
    return tpu_part_of(i.opcode) == TpuPart::product && !i.shape.is_tuple && i.control_predecessors.empty();
  }
  bool has_part(const Kernel& kernel, TpuPart part) const {
    return std::ranges::any_of(kernel.members,
                               [&](int32_t m) { return tpu_part_of(instruction_at(c_, m).opcode) == part; });
  }
  bool is_small(const Kernel& a, const Kernel& b) const {
    return a.members.size() + b.members.size() <= kMostInOneProduct;
  }

  // Whether it goes over the product's elements one by one and makes them or sums of them.
  bool follows(const Kernel& kernel, int64_t count) const {
    return std::ranges::all_of(kernel.members, [&](int32_t m) {
      const Instruction& i = instruction_at(c_, m);
      const TpuPart part = tpu_part_of(i.opcode);
      if (part == TpuPart::spread) return true;
      if (part == TpuPart::sums)
        return c_.at(i.operands[0]).shape.element_count() == count &&
               std::ranges::binary_search(kernel.roots, m);
      const bool same = has(i.opcode, Trait::same_order);
      const bool in_order =
          part == TpuPart::plain || part == TpuPart::function || part == TpuPart::mask || same;
      const bool of_rows = same || has(i.opcode, Trait::extreme);
      const int64_t own = i.shape.element_count();
      return in_order && (own == count || (of_rows && own < count));
    });
  }

  void follow(int32_t product) {
    const int64_t count = instruction_at(c_, product).shape.element_count();
    int32_t name = product;
    for (bool more = true; more;) {
      const bool is_private = graph_.find(name)->roots.size() == 1 && !elsewhere_[static_cast<size_t>(name)];
      const int32_t next = is_private ? take_reader(name, count) : name;
      more = next != name;
      name = next;
    }
    take_sums(product, name, count);
  }

  // The kernel's name then.
  int32_t take_reader(int32_t product, int64_t count) {
    const std::vector<int32_t> readers(graph_.readers(product).begin(), graph_.readers(product).end());
    if (readers.empty() || readers.size() > 2) return product;
    const int32_t last = readers.back();
    const Kernel& after = *graph_.find(last);
    if (!follows(after, count) || !is_small(*graph_.find(product), after)) return product;
    Kernel joined = graph_.joined(*graph_.find(product), after);
    if (readers.size() == 2) {
      // A row's maximum, that only the other one reads.
      if (!has_part(after, TpuPart::function)) return product;
      const int32_t top = readers.front();
      const Kernel& maximum = *graph_.find(top);
      const bool is_private = maximum.roots.size() == 1 && !elsewhere_[static_cast<size_t>(top)] &&
                              graph_.readers(top) == std::set<int32_t>{last};
      if (!is_private || !has_part(maximum, TpuPart::sums) || !follows(maximum, count) ||
          !is_small(maximum, joined))
        return product;
      joined = graph_.joined(maximum, joined);
      graph_.remove(top);
    }
    graph_.remove(product);
    graph_.replace(last, std::move(joined), graph_.seconds(last) + kAnyTime);
    return last;
  }

  // Sums of what the product's kernel makes, that need nothing else but what is there before it.
  void take_sums(int32_t product, int32_t name, int64_t count) {
    for (const int32_t root : std::vector<int32_t>(graph_.find(name)->roots)) {
      for (const int32_t reader : std::set<int32_t>(graph_.readers(root))) {
        const Kernel& of = *graph_.find(name);
        const Kernel& sums = *graph_.find(reader);
        if (reader == name || sums.roots.size() > 1 || !has_part(sums, TpuPart::sums)) continue;
        if (has_part(sums, TpuPart::product) || !follows(sums, count) || !is_small(of, sums)) continue;
        const bool ready = std::ranges::all_of(sums.inputs, [&](int32_t input) {
          if (std::ranges::binary_search(of.roots, input)) return true;
          return std::max(input, graph_.maker(input)) < product;  // its kernel makes nothing of the product
        });
        if (!ready) continue;
        Kernel both = graph_.joined(sums, of);
        std::ranges::set_union(of.roots, sums.roots, std::back_inserter(both.roots));
        std::ranges::sort(both.roots);
        both.roots.erase(std::unique(both.roots.begin(), both.roots.end()), both.roots.end());
        const int32_t last = both.roots.back(), other = last == name ? reader : name;
        const double seconds = graph_.seconds(name);
        graph_.remove(other);
        graph_.replace(last, std::move(both), seconds);
        name = last;
      }
    }
  }

  // What products alone read is computed by each of them.
  void give_to_products(int32_t name) {
    const Kernel* kernel = graph_.find(name);
    if (kernel == nullptr || kernel->roots.size() > 1 || elsewhere_[static_cast<size_t>(name)]) return;
    if (has_part(*kernel, TpuPart::product) || has_part(*kernel, TpuPart::sums)) return;
    const std::set<int32_t> readers = graph_.readers(name);
    if (readers.empty() || (readers.size() > 1 && has_part(*kernel, TpuPart::function))) return;
    for (const int32_t reader : readers)
      if (!has_part(*graph_.find(reader), TpuPart::product) || !is_small(*kernel, *graph_.find(reader)))
        return;
    for (const int32_t reader : readers)
      graph_.replace(reader, graph_.joined(*kernel, *graph_.find(reader)), graph_.seconds(reader));
    graph_.remove(name);
  }

  KernelGraph& graph_;
  const Computation& c_;
  std::vector<bool> elsewhere_;  // by place: what is neither a kernel nor such a product reads it
  std::vector<int32_t> products_;
};

}  // namespace

void keep_for_tpus(KernelGraph& graph) {
  const Computation& c = graph.computation();
  const auto readers = readers_of(c);
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    const Instruction& i = c.instructions[k];
    const auto place = static_cast<int32_t>(k);
    const TpuPart part = tpu_part_of(i.opcode);
    if (part == TpuPart::sums) graph.keep(place);
    if (part == TpuPart::product && !i.shape.is_tuple)
      if (const int32_t end = end_of_product(c, readers, k); end >= 0) graph.keep(end);
    if (part == TpuPart::function && is_summed_and_read(c, readers, k) &&
        is_made_with(c, place, {TpuPart::product}))
      graph.keep(place);
    if (part != TpuPart::spread || i.operands.empty()) continue;
    const auto of = static_cast<int32_t>(i.operands[0].value);
    const Shape& from = instruction_at(c, of).shape;
    if (from.rank() > 0 && from.element_count() < i.shape.element_count() &&
        is_made_with(c, of, {TpuPart::function, TpuPart::mask}))
      graph.keep(of);
  }
}

void take_tpu_products(KernelGraph& graph) {
  TpuProducts(graph).run();
}

}  // namespace shardscope::inline backend
