// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>

#include "engine/numerics/array/array.h"

namespace shardscope::inline numerics {
namespace {

constexpr int64_t kTile = 32;  // a tile of either side stays in L1

template <class T>
void transpose_into(const Array& from, Array& to) {
  const int64_t rows = from.dims()[0];
  const int64_t columns = from.dims()[1];
  const auto source = from.as<T>();
  const auto target = to.mutable_as<T>();
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    for (int64_t c0 = 0; c0 < columns; c0 += kTile) {
      for (int64_t r = r0; r < std::min(rows, r0 + kTile); ++r) {
        for (int64_t c = c0; c < std::min(columns, c0 + kTile); ++c) {
          target[static_cast<size_t>(c * rows + r)] = source[static_cast<size_t>(r * columns + c)];
        }
      }
    }
  }
}

}  // namespace

Array transposed(const Array& matrix) {
  CHECK(matrix.dims().size() == 2, matrix.dims().size());
  Array out = Array::allocate(matrix.type(), {matrix.dims()[1], matrix.dims()[0]});
  switch (stored_bytes(matrix.type(), 1)) {
    case 1:
      transpose_into<uint8_t>(matrix, out);
      break;
    case 2:
      transpose_into<uint16_t>(matrix, out);
      break;
    case 4:
      transpose_into<uint32_t>(matrix, out);
      break;
    case 8:
      transpose_into<uint64_t>(matrix, out);
      break;
    default:
      transpose_into<std::complex<double>>(matrix, out);
      break;
  }
  return out;
}

}  // namespace shardscope::inline numerics
