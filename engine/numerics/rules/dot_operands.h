// SPDX-License-Identifier: Apache-2.0
// The operands of dots as the matrices that products read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/numerics/array/matrix_view.h"
#include "engine/numerics/product/product.h"
#include "engine/numerics/rules/execution.h"
#include "engine/program/ir/free_dims.h"

namespace shardscope::inline numerics {

using MatrixPtr = std::shared_ptr<const MatrixView>;

// What dots that run together read on one side, as matrices. Equal ones are the same object, whichever views
// they came from.
class DotMatrices {
 public:
  DotMatrices(Step& step, OperandSide side) : step_(step), side_(side) {}
  DotMatrices(const DotMatrices&) = delete;
  DotMatrices& operator=(const DotMatrices&) = delete;

  // Of a dot's operand, one per batch index. The view outlives this.
  const std::vector<MatrixPtr>& of(const ViewPtr& view, const Instruction& dot);
  // Matrices of this below each other.
  MatrixPtr stack(const std::vector<MatrixPtr>& parts);
  // Where the panels of these matrices of a dot's operand are kept; null where nobody reads them again.
  std::vector<std::shared_ptr<KeptPanels>> kept(const std::vector<MatrixPtr>& matrices, const ViewPtr& view,
                                                const Instruction& dot);
  // The same of a matrix that is none of an operand as a whole.
  std::shared_ptr<KeptPanels> kept(const MatrixPtr& matrix);

 private:
  MatrixPtr only(MatrixView matrix);
  const std::vector<int64_t>& batch_of(const Instruction& dot) const;
  const std::vector<int64_t>& contracted_of(const Instruction& dot) const;

  Step& step_;
  OperandSide side_;
  std::map<std::tuple<const View*, std::vector<int64_t>, std::vector<int64_t>>, std::vector<MatrixPtr>> made_;
  std::map<MatrixView, MatrixPtr> matrices_;
  std::map<std::vector<MatrixPtr>, MatrixPtr> stacks_;
  std::map<MatrixPtr, std::shared_ptr<KeptPanels>> kept_;
};

}  // namespace shardscope::inline numerics
