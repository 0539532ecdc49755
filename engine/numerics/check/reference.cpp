// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/reference.h"

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "engine/base/units.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/convert.h"

// Eigen's BLAS interface has no setting for threads.
extern "C" void openblas_set_num_threads(int threads);

namespace shardscope::inline numerics {

namespace {

constexpr int64_t kTileRows = 256, kTileColumns = 512;  // of one tile

template <class T>
T* scratch_of(int which, int64_t count) {
  thread_local std::vector<T> buffers[3];
  if (std::ssize(buffers[which]) < count) buffers[which].resize(static_cast<size_t>(count));
  return buffers[which].data();
}

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
constexpr ElementType kTypeOf = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;

// EIGEN_USE_BLAS hands this product to OpenBLAS.
template <class T>
void multiply(int64_t m, int64_t n, int64_t k, const T* x, const T* w, T* y) {
  Eigen::Map<RowMajor<T>>(y, m, n).noalias() =
      Eigen::Map<const RowMajor<T>>(x, m, k) * Eigen::Map<const RowMajor<T>>(w, k, n);
}

template <class T>
void load_rows(const Array& array, int64_t row, int64_t rows, int64_t column, int64_t columns, T* out) {
  const int64_t stride = array.dims()[1];
  for (int64_t r = 0; r < rows; ++r) {
    convert_elements(array.type(), array.data() + stored_bytes(array.type(), (row + r) * stride + column),
                     kTypeOf<T>, reinterpret_cast<std::byte*>(out + r * columns), columns);
  }
}

// Of the elements' sizes.
double largest(const Array& array) {
  double value = 0;
  element::visit_real(array.type(), [&](auto tag) {
    using Tag = decltype(tag);
    for (const auto stored : array.as<typename Tag::Stored>())
      value = std::max(value, std::fabs(static_cast<double>(Tag::load(stored))));
  });
  return value;
}

// What the elements of a matrix of floats are like.
struct Contents {
  double largest = 0;    // of their sizes, when all are numbers
  bool whole = true;     // all of them; false where one is no number
  int64_t non_zero = 0;  // how many
};

template <class T>
Contents contents_of(const T* row, int64_t count) {
  constexpr T kNoFraction = std::is_same_v<T, float> ? 0x1p23 : 0x1p52;  // nor has any size above
  // Lanes instead of one sum: what a vector unit does at once.
  constexpr int64_t kLanes = 16;
  T largest[kLanes] = {}, fraction[kLanes] = {}, non_zero[kLanes] = {};
  const auto look = [&](T value, int64_t lane) {
    const T size = std::fabs(value);
    largest[lane] = size <= largest[lane] ? largest[lane] : size;
    fraction[lane] += std::fabs((size + kNoFraction) - kNoFraction - size);
    non_zero[lane] += size == 0 ? T{0} : T{1};
  };
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane) look(row[i + lane], lane);
  for (; i < count; ++i) look(row[i], 0);
  Contents out;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    const double size = static_cast<double>(largest[lane]);
    out.largest = std::max(out.largest, size);
    out.whole = out.whole && fraction[lane] == 0;
    out.non_zero += static_cast<int64_t>(non_zero[lane]);
  }
  return out;
}

Contents contents_of(const Array& matrix, const Workers& workers) {
  const int64_t columns = matrix.dims()[1];
  std::vector<Contents> rows(static_cast<size_t>(matrix.dims()[0]));
  workers.parallel_for(matrix.dims()[0], [&](int64_t r) {
    Contents& row = rows[static_cast<size_t>(r)];
    if (matrix.type() == ElementType::f64) {
      row = contents_of(matrix.as<double>().data() + r * columns, columns);
    } else {
      float* values = scratch_of<float>(1, columns);
      load_rows(matrix, r, 1, 0, columns, values);
      row = contents_of(values, columns);
    }
  });
  Contents all;
  for (const Contents& row : rows) {
    all.largest = std::max(all.largest, row.largest);
    all.whole = all.whole && row.whole;
    all.non_zero += row.non_zero;
  }
  return all;
}

// Every partial sum of integers as small as these is one that an f32 holds: f32 gives what f64 would.
bool exact_in_f32(const Contents& lhs, const Contents& rhs, int64_t k) {
  return lhs.whole && rhs.whole && lhs.largest * rhs.largest * static_cast<double>(k) <= 0x1p24;
}

// A plain product multiplies this many elements in the time in which a sparse one finds one pair.
constexpr double kSparseGain = 64;

bool mostly_zero(const Contents& lhs, const Contents& rhs, int64_t m, int64_t n, int64_t k) {
  const double pairs = static_cast<double>(lhs.non_zero) * static_cast<double>(rhs.non_zero) /
                       static_cast<double>(std::max<int64_t>(1, k));
  return pairs * kSparseGain <= static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

uint32_t modulo_2_32(double value) {
  return static_cast<uint32_t>(static_cast<int64_t>(value));
}

double floor_mod_2_16(double value) {
  return value - std::floor(value * 0x1p-16) * 0x1p16;
}

// Integers whose sums may pass 2^53: halves of 16 bits, the three products of which that matter modulo 2^32
// are exact.
void multiply_in_halves(int64_t m, int64_t n, int64_t k, const double* x, const double* w, uint32_t* y) {
  const auto split = [](const double* in, int64_t count, std::vector<double>& low,
                        std::vector<double>& high) {
    for (int64_t i = 0; i < count; ++i) {
      low.push_back(floor_mod_2_16(in[i]));
      high.push_back((in[i] - low.back()) * 0x1p-16);
    }
  };
  std::vector<double> xl, xh, wl, wh, part(static_cast<size_t>(m * n));
  split(x, m * k, xl, xh);
  split(w, k * n, wl, wh);
  const auto add = [&](const std::vector<double>& a, const std::vector<double>& b, int shift) {
    multiply(m, n, k, a.data(), b.data(), part.data());
    for (size_t i = 0; i < part.size(); ++i) y[i] += modulo_2_32(part[i]) << shift;
  };
  std::fill(y, y + m * n, 0u);
  add(xl, wl, 0);
  add(xl, wh, 16);
  add(xh, wl, 16);
}

// Where a tile of the product stands.
struct TilePlace {
  int64_t row, rows, column, columns;
};

// The product tile by tile in T: finish(place, its elements).
template <class T, class Finish>
void for_tiles(const Array& lhs, const Array& rhs, const Workers& workers, const std::stop_token& stop,
               Finish finish) {
  const int64_t m = lhs.dims()[0], k = lhs.dims()[1], n = rhs.dims()[1];
  workers.parallel_for(ceil_div(n, kTileColumns), [&](int64_t strip) {
    const int64_t column = strip * kTileColumns, columns = std::min(kTileColumns, n - column);
    T* w = scratch_of<T>(0, k * columns);
    load_rows(rhs, 0, k, column, columns, w);
    for (int64_t row = 0; row < m && !stop.stop_requested(); row += kTileRows) {
      const int64_t rows = std::min(kTileRows, m - row);
      T* x = scratch_of<T>(1, rows * k);
      T* y = scratch_of<T>(2, rows * columns);
      load_rows(lhs, row, rows, 0, k, x);
      multiply(rows, columns, k, x, w, y);
      finish(TilePlace{row, rows, column, columns}, x, w, y);
    }
  });
}

// Rounds a tile of the product into it.
template <class T>
void put_rows(const TilePlace& at, const T* y, int64_t n, Reference& out) {
  for (Array* to : {&out.product, &out.unrounded}) {
    if (to->data() == nullptr) continue;
    for (int64_t r = 0; r < at.rows; ++r) {
      convert_elements(kTypeOf<T>, reinterpret_cast<const std::byte*>(y + r * at.columns), to->type(),
                       to->mutable_data() + stored_bytes(to->type(), (at.row + r) * n + at.column),
                       at.columns);
    }
  }
}

template <class T>
void multiply_floats(const Array& lhs, const Array& rhs, Reference& out, const Workers& workers,
                     const std::stop_token& stop) {
  for_tiles<T>(lhs, rhs, workers, stop, [&](const TilePlace& at, const T*, const T*, const T* y) {
    put_rows(at, y, rhs.dims()[1], out);
  });
}

// The elements of a matrix that are not zero, row by row.
struct NonZeros {
  std::vector<int64_t> starts;  // of rows, and the end
  std::vector<int64_t> columns;
  std::vector<float> values;
};

NonZeros non_zeros_of(const Array& matrix, int64_t count) {
  const int64_t rows = matrix.dims()[0], columns = matrix.dims()[1];
  NonZeros out;
  out.columns.reserve(static_cast<size_t>(count));
  out.values.reserve(static_cast<size_t>(count));
  float* row = scratch_of<float>(0, columns);
  for (int64_t r = 0; r < rows; ++r) {
    out.starts.push_back(std::ssize(out.columns));
    load_rows(matrix, r, 1, 0, columns, row);
    for (int64_t c = 0; c < columns; ++c) {
      if (row[c] == 0) continue;
      out.columns.push_back(c);
      out.values.push_back(row[c]);
    }
  }
  out.starts.push_back(std::ssize(out.columns));
  return out;
}

// Row by row: each element of X that is not zero times those of W's row (F. Gustavson, "Two fast algorithms
// for sparse matrices", 1978). Of numbers that are exact in f32.
void multiply_sparse(const Array& lhs, const Array& rhs, int64_t rhs_non_zero, Reference& out,
                     const Workers& workers, const std::stop_token& stop) {
  const int64_t k = lhs.dims()[1], n = rhs.dims()[1];
  const NonZeros w = non_zeros_of(rhs, rhs_non_zero);
  workers.parallel_for(lhs.dims()[0], [&](int64_t row) {
    if (stop.stop_requested()) return;
    float* x = scratch_of<float>(1, k);
    float* y = scratch_of<float>(2, n);
    load_rows(lhs, row, 1, 0, k, x);
    std::fill(y, y + n, 0.0f);
    for (int64_t i = 0; i < k; ++i) {
      if (x[i] == 0) continue;
      const auto end = static_cast<size_t>(w.starts[static_cast<size_t>(i) + 1]);
      for (auto at = static_cast<size_t>(w.starts[static_cast<size_t>(i)]); at < end; ++at)
        y[w.columns[at]] += x[i] * w.values[at];
    }
    put_rows({row, 1, 0, n}, y, n, out);
  });
}

void multiply_floats(const Array& lhs, const Array& rhs, Reference& out, const Workers& workers,
                     const std::stop_token& stop) {
  const int64_t m = lhs.dims()[0], k = lhs.dims()[1], n = rhs.dims()[1];
  const Contents x = contents_of(lhs, workers), w = contents_of(rhs, workers);
  if (!exact_in_f32(x, w, k)) return multiply_floats<double>(lhs, rhs, out, workers, stop);
  if (mostly_zero(x, w, m, n, k)) return multiply_sparse(lhs, rhs, w.non_zero, out, workers, stop);
  multiply_floats<float>(lhs, rhs, out, workers, stop);
}

void multiply_integers(const Array& lhs, const Array& rhs, Reference& out, const Workers& workers,
                       const std::stop_token& stop) {
  const ElementType type = out.product.type();
  const int64_t m = lhs.dims()[0], k = lhs.dims()[1], n = rhs.dims()[1];
  const double beyond = std::ldexp(1.0, element_type(type).digits);
  const bool exact = largest(lhs) * largest(rhs) * static_cast<double>(k) < 0x1p53;
  std::atomic<int64_t> overflowing{0};
  for_tiles<double>(
      lhs, rhs, workers, stop, [&](const TilePlace& at, const double* x, const double* w, const double* y) {
        std::vector<uint32_t> wrapped;
        if (!exact) {
          wrapped.resize(static_cast<size_t>(at.rows * at.columns));
          multiply_in_halves(at.rows, at.columns, k, x, w, wrapped.data());
        }
        int64_t outside = 0;
        std::vector<int64_t> line(static_cast<size_t>(at.columns));
        for (int64_t r = 0; r < at.rows; ++r) {
          for (int64_t c = 0; c < at.columns; ++c) {
            const double value = y[r * at.columns + c];
            outside += std::fabs(value + 0.5) > beyond;
            line[static_cast<size_t>(c)] =
                exact ? static_cast<int64_t>(value) : wrapped[static_cast<size_t>(r * at.columns + c)];
          }
          convert_elements(ElementType::s64, reinterpret_cast<const std::byte*>(line.data()), type,
                           out.product.mutable_data() + stored_bytes(type, (at.row + r) * n + at.column),
                           at.columns);
          if (out.unrounded.data() != nullptr)
            std::copy_n(y + r * at.columns, at.columns,
                        out.unrounded.mutable_as<double>().data() + (at.row + r) * n + at.column);
        }
        overflowing += outside;
      });
  out.overflowing = m * n == 0 ? 0 : static_cast<double>(overflowing) / static_cast<double>(m * n);
}

}  // namespace

std::optional<Reference> reference_product(const Array& lhs, const Array& rhs, ElementType type,
                                           const Workers& workers, const std::stop_token& stop,
                                           bool keep_unrounded) {
  openblas_set_num_threads(1);
  const std::vector<int64_t> dims{lhs.dims()[0], rhs.dims()[1]};
  Reference reference{Array::allocate(type, dims), {}, 0};
  if (keep_unrounded) reference.unrounded = Array::allocate(ElementType::f64, dims);
  if (is_integer(lhs.type()))
    multiply_integers(lhs, rhs, reference, workers, stop);
  else
    multiply_floats(lhs, rhs, reference, workers, stop);
  if (stop.stop_requested()) return std::nullopt;
  return reference;
}

}  // namespace shardscope::inline numerics
