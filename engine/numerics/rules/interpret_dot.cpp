// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/numerics/product/product.h"
#include "engine/numerics/rules/elementwise.h"
#include "engine/numerics/rules/interpreter.h"

namespace shardscope {

namespace {

std::vector<int64_t> free_dims(size_t rank, const std::vector<int64_t>& batch,
                               const std::vector<int64_t>& contracting) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (std::count(batch.begin(), batch.end(), d) == 0 &&
        std::count(contracting.begin(), contracting.end(), d) == 0) {
      dims.push_back(d);
    }
  }
  return dims;
}

// The operands of one dot as matrices, one per batch index. Devices that hold the same view get the same
// matrix.
class Matrices {
 public:
  Matrices(std::vector<int64_t> batch, std::vector<int64_t> contracting)
      : batch_(std::move(batch)), contracting_(std::move(contracting)) {}

  const std::vector<std::shared_ptr<const MatrixView>>& of(const ViewPtr& view) {
    auto& matrices = made_[view.get()];
    if (!matrices.empty()) return matrices;
    int64_t count = 1;
    for (int64_t d : batch_) count *= view->dims()[static_cast<size_t>(d)];
    for (int64_t b = 0; b < count; ++b) {
      View one = *view;
      int64_t rest = b;
      for (size_t i = batch_.size(); i-- > 0;) {
        const size_t dim = static_cast<size_t>(batch_[i]);
        const int64_t index = rest % view->dims()[dim];
        rest /= view->dims()[dim];
        one = *one.slice(dim, index, index + 1);
      }
      // Sliced batch dimensions have one index: they may stand with the rows.
      std::vector<int64_t> rows = batch_;
      for (int64_t d : free_dims(view->rank(), batch_, contracting_)) rows.push_back(d);
      matrices.push_back(std::make_shared<MatrixView>(matrix_view(one, rows, contracting_)));
    }
    return matrices;
  }

 private:
  std::vector<int64_t> batch_, contracting_;
  std::map<const View*, std::vector<std::shared_ptr<const MatrixView>>> made_;
};

// The memory of `value` for writing into, when nobody else can read it.
std::byte* sole_memory(DeviceValue& value) {
  if (value.view == nullptr || value.view.use_count() != 1 || !value.view->plain()) return nullptr;
  const View::Piece& piece = value.view->pieces().front();
  if (piece.buffer.use_count() != 1 || piece.buffer.get() != piece.data) return nullptr;
  return const_cast<std::byte*>(piece.data);
}

}  // namespace

Result<void> Interpreter::execute_dot(Frame& frame, InstructionId id, const Plan::Sum& sum) {
  const Instruction& i = frame.at(id);
  const Instruction& first = frame.at(sum.dots.front());
  const ElementType operand = frame.at(first.operands[0]).shape.type;
  const auto type = product_type(operand);
  if (!type || frame.at(first.operands[1]).shape.type != operand) {
    return invalid(std::string("cannot run dot of ") + name(operand) + " and " +
                       name(frame.at(first.operands[1]).shape.type),
                   "%" + first.name, "operands must both be f32, f64, bf16, f16, s32 or u32");
  }
  if (i.shape.element_count() == 0) {
    for (DeviceValue& value : frame.of(id))
      value.view = std::make_shared<View>(View::of(pool_.take(i.shape.type, i.shape.dims)));
    return {};
  }
  std::vector<Product> products;  // [device · batch]
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, Matrices> matrices;
  int64_t batch = 1;
  for (InstructionId dot_id : sum.dots) {
    const Instruction& dot = frame.at(dot_id);
    if (frame.at(dot.operands[0]).shape.type != operand || frame.at(dot.operands[1]).shape.type != operand) {
      return invalid("cannot run a sum of dots of different element types", "%" + dot.name);
    }
    const auto side = [&](const std::vector<int64_t>& b, const std::vector<int64_t>& c) -> Matrices& {
      return matrices.try_emplace({b, c}, b, c).first->second;
    };
    Matrices& lhs = side(dot.dot.lhs_batch, dot.dot.lhs_contracting);
    Matrices& rhs = side(dot.dot.rhs_batch, dot.dot.rhs_contracting);
    const InstructionId right = dot.operands[1];
    const bool kept = plan_of(frame.computation).kept[static_cast<size_t>(right.value)] != 0;
    for (size_t d = 0; d < devices_; ++d) {
      const auto& a = lhs.of(view_of(frame.of(dot.operands[0])[d], operand));
      const ViewPtr right_view = view_of(frame.of(right)[d], operand);
      const auto& b = rhs.of(right_view);
      batch = static_cast<int64_t>(a.size());
      products.resize(devices_ * a.size());
      std::vector<std::shared_ptr<KeptPanels>>* panels = nullptr;
      if (kept) {
        panels = &frame.panels[right.value][{right_view.get(), dot.dot.rhs_batch, dot.dot.rhs_contracting}];
        while (panels->size() < b.size()) panels->push_back(std::make_shared<KeptPanels>());
      }
      for (size_t n = 0; n < a.size(); ++n) {
        products[d * a.size() + n].terms.push_back({a[n], b[n], panels ? (*panels)[n] : nullptr});
      }
    }
  }
  // What is added to: its memory when this is its last reader, else a copy; nothing when it is zero.
  std::vector<DeviceValue> base(devices_);
  if (sum.base.valid()) {
    const std::vector<int32_t>& dying = plan_of(frame.computation).dying[static_cast<size_t>(id.value)];
    bool last_reader = std::count(dying.begin(), dying.end(), sum.base.value) > 0;
    for (InstructionId dot : sum.dots) {
      for (InstructionId read : frame.at(dot).operands) last_reader = last_reader && read != sum.base;
    }
    if (last_reader) {
      base.swap(frame.of(sum.base));
    } else {
      base = frame.of(sum.base);
    }
  }
  const int64_t bytes = byte_size(*type, i.shape.element_count()) / batch;
  for (size_t d = 0; d < devices_; ++d) {
    const bool accumulate = sum.base.valid() && !view_of(base[d], *type)->is_zero();
    std::byte* memory = accumulate ? sole_memory(base[d]) : nullptr;
    if (memory != nullptr) {
      frame.of(id)[d].view = std::move(base[d].view);
    } else {
      Array array = pool_.take(*type, i.shape.dims);
      memory = array.mutable_data();
      if (accumulate) copy_to(*view_of(base[d], *type), memory);
      frame.of(id)[d].view = std::make_shared<View>(View::of(array));
    }
    for (int64_t n = 0; n < batch; ++n) {
      Product& product = products[d * static_cast<size_t>(batch) + static_cast<size_t>(n)];
      product.c = memory + n * bytes;
      product.accumulate = accumulate;
    }
  }
  run_products(products, pool_, workers_, stop_, isa_);
  if (*type != i.shape.type) convert_values(frame.of(id), i.shape.type, pool_, workers_, stop_);
  return {};
}

}  // namespace shardscope
