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

namespace shardscope {

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
    convert_elements(array.type(), array.data() + byte_size(array.type(), (row + r) * stride + column),
                     kTypeOf<T>, reinterpret_cast<std::byte*>(out + r * columns), columns);
  }
}

// Of the elements' sizes.
double largest(const Array& array) {
  double value = 0;
  element::visit(array.type(), [&](auto tag) {
    using Tag = decltype(tag);
    for (const auto stored : array.as<typename Tag::Stored>())
      value = std::max(value, std::fabs(static_cast<double>(Tag::load(stored))));
  });
  return value;
}

// Every partial sum of integers as small as these is one that an f32 holds: f32 gives what f64 would.
bool exact_in_f32(const Array& lhs, const Array& rhs) {
  const auto integers = [](const Array& array) {
    bool all = true;
    element::visit(array.type(), [&](auto tag) {
      using Tag = decltype(tag);
      for (const auto stored : array.as<typename Tag::Stored>()) {
        const auto value = static_cast<double>(Tag::load(stored));
        all = all && value == std::trunc(value);
      }
    });
    return all;
  };
  constexpr double kMost = 0x1p24;
  return largest(lhs) * largest(rhs) * static_cast<double>(lhs.dims()[1]) <= kMost && integers(lhs) &&
         integers(rhs);
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

template <class T>
void multiply_floats(const Array& lhs, const Array& rhs, Reference& out, const Workers& workers,
                     const std::stop_token& stop) {
  const int64_t n = rhs.dims()[1];
  const auto put = [&](Array& to, const TilePlace& at, const T* y) {
    for (int64_t r = 0; r < at.rows; ++r) {
      convert_elements(kTypeOf<T>, reinterpret_cast<const std::byte*>(y + r * at.columns), to.type(),
                       to.mutable_data() + byte_size(to.type(), (at.row + r) * n + at.column), at.columns);
    }
  };
  for_tiles<T>(lhs, rhs, workers, stop, [&](const TilePlace& at, const T*, const T*, const T* y) {
    put(out.product, at, y);
    if (out.unrounded.data() != nullptr) put(out.unrounded, at, y);
  });
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
                           out.product.mutable_data() + byte_size(type, (at.row + r) * n + at.column),
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
  else if (exact_in_f32(lhs, rhs))
    multiply_floats<float>(lhs, rhs, reference, workers, stop);
  else
    multiply_floats<double>(lhs, rhs, reference, workers, stop);
  if (stop.stop_requested()) return std::nullopt;
  return reference;
}

}  // namespace shardscope
