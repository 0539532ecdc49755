// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/reference.h"

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/base/units.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/convert.h"

// Eigen's BLAS interface has no setting for threads.
extern "C" void openblas_set_num_threads(int threads);

namespace shardscope {

namespace {

constexpr int64_t kTileRows = 256, kTileColumns = 512;  // of one tile

std::vector<double>& scratch_doubles(int which, size_t count) {
  thread_local std::vector<double> buffers[3];
  if (buffers[which].size() < count) buffers[which].resize(count);
  return buffers[which];
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// EIGEN_USE_BLAS hands this product to OpenBLAS.
void multiply(int64_t m, int64_t n, int64_t k, const double* x, const double* w, double* y) {
  Eigen::Map<RowMajor>(y, m, n).noalias() =
      Eigen::Map<const RowMajor>(x, m, k) * Eigen::Map<const RowMajor>(w, k, n);
}

void load_rows(const Array& array, int64_t row, int64_t rows, int64_t column, int64_t columns, double* out) {
  const int64_t stride = array.dims()[1];
  for (int64_t r = 0; r < rows; ++r) {
    convert_elements(array.type(), array.data() + byte_size(array.type(), (row + r) * stride + column),
                     ElementType::f64, reinterpret_cast<std::byte*>(out + r * columns), columns);
  }
}

double largest(const Array& array) {
  double value = 0;
  element::visit(array.type(), [&](auto tag) {
    using Tag = decltype(tag);
    for (const auto stored : array.as<typename Tag::Stored>())
      value = std::max(value, std::fabs(static_cast<double>(Tag::load(stored))));
  });
  return value;
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

}  // namespace

std::optional<Reference> reference_product(const Array& lhs, const Array& rhs, ElementType type,
                                           const Workers& workers, const std::stop_token& stop,
                                           bool keep_unrounded) {
  openblas_set_num_threads(1);
  const int64_t m = lhs.dims()[0], k = lhs.dims()[1], n = rhs.dims()[1];
  Reference reference{Array::allocate(type, {m, n}), {}, 0};
  if (keep_unrounded) reference.unrounded = Array::allocate(ElementType::f64, {m, n});
  const bool integers = is_integer(lhs.type());
  const double beyond = std::ldexp(1.0, element_type(type).digits);
  const bool exact = !integers || largest(lhs) * largest(rhs) * static_cast<double>(k) < 0x1p53;
  std::atomic<int64_t> overflowing{0};
  const int64_t strips = ceil_div(n, kTileColumns);
  workers.parallel_for(strips, [&](int64_t s) {
    const int64_t column = s * kTileColumns, columns = std::min(kTileColumns, n - column);
    double* w = scratch_doubles(0, static_cast<size_t>(k * columns)).data();
    load_rows(rhs, 0, k, column, columns, w);
    for (int64_t row = 0; row < m && !stop.stop_requested(); row += kTileRows) {
      const int64_t rows = std::min(kTileRows, m - row);
      double* x = scratch_doubles(1, static_cast<size_t>(rows * k)).data();
      double* y = scratch_doubles(2, static_cast<size_t>(rows * columns)).data();
      load_rows(lhs, row, rows, 0, k, x);
      multiply(rows, columns, k, x, w, y);
      std::vector<uint32_t> wrapped;
      if (!exact) {
        wrapped.resize(static_cast<size_t>(rows * columns));
        multiply_in_halves(rows, columns, k, x, w, wrapped.data());
      }
      int64_t outside = 0;
      for (int64_t r = 0; r < rows; ++r) {
        std::byte* out = reference.product.mutable_data() + byte_size(type, (row + r) * n + column);
        if (keep_unrounded) {
          std::copy_n(y + r * columns, columns,
                      reference.unrounded.mutable_as<double>().data() + (row + r) * n + column);
        }
        if (!integers) {
          convert_elements(ElementType::f64, reinterpret_cast<const std::byte*>(y + r * columns), type, out,
                           columns);
          continue;
        }
        std::vector<int64_t> line(static_cast<size_t>(columns));
        for (int64_t c = 0; c < columns; ++c) {
          const double value = y[r * columns + c];
          outside += std::fabs(value + 0.5) > beyond;
          line[static_cast<size_t>(c)] =
              exact ? static_cast<int64_t>(value) : wrapped[static_cast<size_t>(r * columns + c)];
        }
        convert_elements(ElementType::s64, reinterpret_cast<const std::byte*>(line.data()), type, out,
                         columns);
      }
      overflowing += outside;
    }
  });
  if (stop.stop_requested()) return std::nullopt;
  reference.overflowing = m * n == 0 ? 0 : static_cast<double>(overflowing) / static_cast<double>(m * n);
  return reference;
}

}  // namespace shardscope
