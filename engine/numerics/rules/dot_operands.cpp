// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/dot_operands.h"

namespace shardscope::inline numerics {

const std::vector<int64_t>& DotMatrices::batch_of(const Instruction& dot) const {
  return side_ == OperandSide::left ? dot.dot->lhs_batch : dot.dot->rhs_batch;
}

const std::vector<int64_t>& DotMatrices::contracted_of(const Instruction& dot) const {
  return side_ == OperandSide::left ? dot.dot->lhs_contracting : dot.dot->rhs_contracting;
}

const std::vector<MatrixPtr>& DotMatrices::of(const ViewPtr& view, const Instruction& dot) {
  const std::vector<int64_t>&batch = batch_of(dot), &contracting = contracted_of(dot);
  auto& matrices = made_[{view.get(), batch, contracting}];
  if (!matrices.empty()) return matrices;
  int64_t count = 1;
  for (const int64_t d : batch) count *= view->dims()[static_cast<size_t>(d)];
  // Sliced batch dimensions have one index: they may stand with the rows.
  std::vector<int64_t> rows = batch;
  for (const int64_t d : free_dims(view->rank(), batch, contracting)) rows.push_back(d);
  matrices.reserve(static_cast<size_t>(count));
  for (int64_t b = 0; b < count; ++b) {
    View one = *view;
    int64_t rest = b;
    for (size_t i = batch.size(); i-- > 0;) {
      const auto dim = static_cast<size_t>(batch[i]);
      const int64_t index = rest % view->dims()[dim];
      rest /= view->dims()[dim];
      one = *one.slice(dim, index, index + 1);
    }
    matrices.push_back(only(matrix_view(one, rows, contracting)));
  }
  return matrices;
}

MatrixPtr DotMatrices::stack(const std::vector<MatrixPtr>& parts) {
  if (parts.size() == 1) return parts.front();
  MatrixPtr& stack = stacks_[parts];
  if (stack == nullptr) stack = only(stacked(parts));
  return stack;
}

MatrixPtr DotMatrices::only(MatrixView matrix) {
  const auto known = matrices_.find(matrix);
  if (known != matrices_.end()) return known->second;
  const auto made = std::make_shared<const MatrixView>(std::move(matrix));
  return matrices_.emplace(*made, made).first->second;
}

std::vector<std::shared_ptr<KeptPanels>> DotMatrices::kept(const std::vector<MatrixPtr>& matrices,
                                                           const ViewPtr& view, const Instruction& dot) {
  Frame& frame = step_.frame;
  const InstructionId id = dot.operands[side_ == OperandSide::left ? 0 : 1];
  std::vector<std::shared_ptr<KeptPanels>> panels;
  panels.reserve(matrices.size());
  for (const MatrixPtr& matrix : matrices) panels.push_back(kept(matrix));
  if ((frame.plan.kept[static_cast<size_t>(id.value)] & static_cast<unsigned>(side_)) == 0) return panels;
  auto& here = frame.panels[id.value][{view.get(), side_, batch_of(dot), contracted_of(dot)}];
  here.resize(matrices.size());
  for (size_t m = 0; m < panels.size(); ++m) {
    if (panels[m] != nullptr) continue;
    if (here[m] == nullptr) here[m] = std::make_shared<KeptPanels>();
    panels[m] = here[m];
  }
  return panels;
}

std::shared_ptr<KeptPanels> DotMatrices::kept(const MatrixPtr& matrix) {
  const auto [known, fresh] = kept_.try_emplace(matrix);
  if (fresh) known->second = step_.run.packed.of(*matrix, side_);
  return known->second;
}

}  // namespace shardscope::inline numerics
