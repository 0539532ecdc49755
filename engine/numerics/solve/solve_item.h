// SPDX-License-Identifier: Apache-2.0
// One item of a batch of matrices: what a routine of LAPACK reads of an instruction's operands, and what it
// writes of its results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/numerics/solve/lapack.h"

namespace shardscope::inline numerics {

// How an instruction is to be carried out, in LAPACK's letters.
struct SolveOptions {
  lapack::Triangle triangle;
  char mode = 'V';          // V or N; of singular vectors A, S or N
  bool transposed = false;  // of ormqr
  bool left = true, right = true;
  int64_t low = 1, high = 0;  // of gehrd
  bool is_complex = false;    // the matrices
  bool is_understood = true;  // every letter that was said
};

// What an item of an operand or a result is: elements of the matrices, of their real or complex type, s32, or
// whatever it says, for it is not used.
struct SolvePart {
  enum class Of : unsigned char { matrix, real, complex, integer, unused } of = Of::matrix;
  std::vector<int64_t> dims{};
};
// What a routine takes and gives.
struct SolveSignature {
  std::vector<SolvePart> operands, results;
};
// The dimensions of the items that there are.
struct SolveShapes {
  std::vector<std::vector<int64_t>> operands, results;
};

// Row-major elements of the item.
class SolveItem {
 public:
  struct Place {
    const std::byte* data = nullptr;
    std::vector<int64_t> dims;
  };
  struct Target {
    std::byte* data = nullptr;
    std::vector<int64_t> dims;
  };
  std::vector<Place> operands;
  std::vector<Target> results;
  const SolveOptions* options = nullptr;

  int64_t rows(size_t k) const { return operands[k].dims[0]; }
  int64_t columns(size_t k) const { return operands[k].dims[1]; }

  template <class T>
  DenseMatrix<T> matrix(size_t k) const {
    DenseMatrix<T> out(rows(k), columns(k));
    const T* from = reinterpret_cast<const T*>(operands[k].data);
    for (int64_t r = 0; r < out.rows; ++r)
      for (int64_t c = 0; c < out.columns; ++c) out.at(r, c) = *from++;
    return out;
  }
  template <class T>
  std::vector<T> vector(size_t k) const {
    const T* from = reinterpret_cast<const T*>(operands[k].data);
    return std::vector<T>(from, from + operands[k].dims[0]);
  }
  template <class T>
  void put(size_t k, const DenseMatrix<T>& matrix) const {
    T* to = reinterpret_cast<T*>(results[k].data);
    for (int64_t r = 0; r < matrix.rows; ++r)
      for (int64_t c = 0; c < matrix.columns; ++c) *to++ = matrix.at(r, c);
  }
  template <class T>
  void put(size_t k, const std::vector<T>& vector) const {
    std::copy(vector.begin(), vector.end(), reinterpret_cast<T*>(results[k].data));
  }
  void put(size_t k, int info) const { *reinterpret_cast<int32_t*>(results[k].data) = info; }
};

}  // namespace shardscope::inline numerics
