// SPDX-License-Identifier: Apache-2.0
// Dots, alone or as the terms of a sum.
#include <algorithm>
#include <iterator>

#include "engine/base/check.h"
#include "engine/numerics/product/product.h"
#include "engine/numerics/rules/dot_operands.h"
#include "engine/numerics/rules/rules.h"

namespace shardscope::inline numerics {
namespace {

// Products device by device and batch by batch, with one term per dot.
struct DotProducts {
  std::vector<size_t> devices;  // without those that would multiply and add what another does
  std::vector<Product> products;
  int64_t batch = 1;
};

// `first`: see Step::first_alike.
Result<DotProducts> products_of(Step& step, const DotSum& sum, ElementType operand,
                                const std::vector<size_t>& first) {
  DotProducts out;
  for (size_t d = 0; d < first.size(); ++d)
    if (first[d] == d) out.devices.push_back(d);
  DotMatrices lhs(step, OperandSide::left), rhs(step, OperandSide::right);
  for (const InstructionId dot_id : sum.dots) {
    Step dot_step{step.run, step.frame, dot_id};
    const Instruction& dot = dot_step.at();
    if (dot_step.operand_shape(0).type != operand || dot_step.operand_shape(1).type != operand)
      return invalid("cannot run a sum of dots of different element types", "%" + dot.name);
    for (size_t p = 0; p < out.devices.size(); ++p) {
      const size_t d = out.devices[p];
      const ViewPtr left = dot_step.view(0, d), right = dot_step.view(1, d);
      const auto& a = lhs.of(left, dot);
      const auto& b = rhs.of(right, dot);
      CHECK(out.products.empty() || out.batch == static_cast<int64_t>(a.size()));
      out.batch = static_cast<int64_t>(a.size());
      out.products.resize(out.devices.size() * a.size());
      const auto kept_a = lhs.kept(a, left, dot), kept_b = rhs.kept(b, right, dot);
      for (size_t n = 0; n < a.size(); ++n)
        out.products[p * a.size() + n].terms.push_back({a[n], b[n], kept_a[n], kept_b[n]});
    }
  }
  return out;
}

// The memory of `value` for writing into, when nobody else can read it.
std::byte* sole_memory(DeviceValue& value) {
  if (value.view == nullptr || value.view.use_count() != 1 || !value.view->plain()) return nullptr;
  const View::Piece& piece = value.view->pieces().front();
  if (piece.buffer.use_count() != 1 || piece.buffer.get() != piece.data) return nullptr;
  return const_cast<std::byte*>(piece.data);
}

// What is added to, taken away from its instruction when this is its last reader.
DeviceValues base_of(Step& step, const DotSum& sum) {
  DeviceValues base(step.devices());
  if (!sum.base.valid()) return base;
  const std::vector<int32_t>& dying = step.frame.plan.dying[static_cast<size_t>(step.id.value)];
  bool last_reader = std::count(dying.begin(), dying.end(), sum.base.value) > 0;
  for (const InstructionId dot : sum.dots)
    for (const InstructionId read : step.frame.at(dot).operands)
      last_reader = last_reader && read != sum.base;
  if (!last_reader) return step.frame.of(sum.base);
  base.swap(step.frame.of(sum.base));
  return base;
}

// Sums that are rounded to a narrower type at once are made for some devices at a time, in the same memory.
constexpr int64_t kWideBytes = int64_t{32} << 20;

// Of DotProducts::devices.
struct DeviceRange {
  size_t begin, end;
};

// Starts sums that cannot be made in the memory of what they are added to.
struct Copy {
  View from;
  std::byte* to;
};
void run_copies(std::vector<Copy> copies, Loops& loops) {
  const auto count = static_cast<int64_t>(copies.size());
  loops.run({count,
             [copies = std::move(copies)](int64_t i) {
               copy_to(copies[static_cast<size_t>(i)].from, copies[static_cast<size_t>(i)].to);
             }},
            count * static_cast<int64_t>(sizeof(Copy)));
}

// Gives every product of these devices its place in the results: the memory of what is added to where that
// may be overwritten, else a copy of it; fresh memory when it is zero.
void place_results(Step& step, const DotSum& sum, ElementType type, DeviceRange devices, DeviceValues& base,
                   DotProducts& out) {
  const Shape& shape = step.at().shape;
  const int64_t bytes = stored_bytes(type, shape.element_count()) / out.batch;
  std::vector<Copy> copies;
  for (size_t p = devices.begin; p < devices.end; ++p) {
    const size_t d = out.devices[p];
    const auto start = [&] { return step.run.scalars.view_of(base[d], type); };
    const bool accumulate = sum.base.valid() && !is_zero(*start());
    std::byte* memory = accumulate ? sole_memory(base[d]) : nullptr;
    if (memory != nullptr) {
      step.results()[d].view = std::move(base[d].view);
    } else {
      Array array = step.run.pool.take(type, shape.dims);
      memory = array.mutable_data();
      if (accumulate) copies.emplace_back(Copy{*start(), memory}).from.let_go();
      step.results()[d].view = std::make_shared<View>(View::of(array));
    }
    for (int64_t n = 0; n < out.batch; ++n) {
      Product& product = out.products[p * static_cast<size_t>(out.batch) + static_cast<size_t>(n)];
      product.c = memory + n * bytes;
      product.accumulate = accumulate;
    }
  }
  run_copies(std::move(copies), step.run.loops);
}

// Runs the products of some devices and rounds them where the result is narrower.
void run_some(Step& step, DotProducts& out, DeviceRange some, ElementType made) {
  const auto batch = static_cast<size_t>(out.batch);
  const auto products = out.products.begin();
  run_products({std::make_move_iterator(products + static_cast<std::ptrdiff_t>(some.begin * batch)),
                std::make_move_iterator(products + static_cast<std::ptrdiff_t>(some.end * batch))},
               step.run.pool, step.run.loops, step.run.isa);
  const ElementType type = step.at().shape.type;
  if (made == type) return;
  DeviceValues values;
  for (size_t p = some.begin; p < some.end; ++p) values.push_back(std::move(step.results()[out.devices[p]]));
  convert_values(values, type, step.run.pool, step.run.loops);
  for (size_t p = some.begin; p < some.end; ++p)
    step.results()[out.devices[p]] = std::move(values[p - some.begin]);
}

}  // namespace

Result<void> run_dot(Step& step) {
  return run_dot_sum(step, {{step.id}, {}});
}

Result<void> run_dot_sum(Step& step, const DotSum& sum) {
  const Instruction &i = step.at(), &first = step.frame.at(sum.dots.front());
  const ElementType operand = step.frame.at(first.operands[0]).shape.type;
  const ElementType right = step.frame.at(first.operands[1]).shape.type;
  const auto type = product_type(operand);
  const bool kept_wider = type && is_integer(*type) && bits(first.shape.type) > bits(*type);
  if (!type || right != operand || kept_wider) {
    if (sum.dots.size() != 1 || sum.base.valid())
      return invalid("cannot run a sum of dots of different element types", "%" + first.name);
    step.run.loops.pass_by();
    return run_plain_dot(step);
  }
  if (i.shape.element_count() == 0) {
    step.give(step.new_arrays());
    return {};
  }
  std::vector<InstructionId> read;
  if (sum.base.valid()) read.push_back(sum.base);
  for (const InstructionId dot : sum.dots)
    for (const InstructionId id : step.frame.at(dot).operands) read.push_back(id);
  const std::vector<size_t> alike = step.first_alike(read);
  TRY(DotProducts out, products_of(step, sum, operand, alike));
  DeviceValues base = base_of(step, sum);
  for (size_t d = 0; d < alike.size(); ++d)
    if (alike[d] != d) base[d] = {};
  const int64_t bytes = stored_bytes(*type, i.shape.element_count());
  const size_t devices = out.devices.size();
  const size_t together =
      *type == i.shape.type ? devices : static_cast<size_t>(std::max<int64_t>(1, kWideBytes / bytes));
  for (size_t begin = 0; begin < devices; begin += together) {
    const DeviceRange some{begin, std::min(devices, begin + together)};
    place_results(step, sum, *type, some, base, out);
    run_some(step, out, some, *type);
  }
  for (size_t d = 0; d < alike.size(); ++d) step.results()[d].view = step.results()[alike[d]].view;
  return {};
}

}  // namespace shardscope::inline numerics
