// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/base/result.h"

namespace shardscope::inline numerics {

// A dense row-major array of a type that has an element::Element, each element from a byte of its own on
// (stored_bytes). Copies share the elements; nobody writes
// after it was made. 64-byte aligned.
class Array {
 public:
  Array() = default;
  static Array allocate(ElementType type, std::vector<int64_t> dims);  // uninitialised
  // An array over memory that somebody else made; `data` holds at least the bytes of `dims`.
  static Array adopt(ElementType type, std::vector<int64_t> dims, std::shared_ptr<std::byte[]> data);

  ElementType type() const { return type_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t element_count() const;
  int64_t bytes() const { return stored_bytes(type_, element_count()); }
  const std::byte* data() const { return data_.get(); }
  std::byte* mutable_data() { return data_.get(); }  // only while the maker is the sole owner
  const std::shared_ptr<std::byte[]>& buffer() const { return data_; }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data_.get()), static_cast<size_t>(element_count())};
  }
  template <class T>
  std::span<T> mutable_as() {
    return {reinterpret_cast<T*>(data_.get()), static_cast<size_t>(element_count())};
  }
  double at(int64_t flat) const;  // any type, as f64; of a complex number its real part
  std::complex<double> complex_at(int64_t flat) const;
  bool operator==(const Array& other) const;  // type, dims and bits

 private:
  ElementType type_ = ElementType::f32;
  std::vector<int64_t> dims_;
  std::shared_ptr<std::byte[]> data_;
};

Array transposed(const Array& matrix);  // of a 2-D array, of any elements

// Round to nearest even, as XLA's converts do; NaN stays NaN, overflow becomes infinity.
uint16_t bf16_from_f32(float value);
float f32_from_bf16(uint16_t bits);
uint16_t f16_from_f32(float value);
float f32_from_f16(uint16_t bits);
// One rounding from f64, not two.
uint16_t bf16_from_f64(double value);
uint16_t f16_from_f64(double value);

// NPY 1.0 and 2.0; C and Fortran order; of `rank` dimensions. A type of problems that numpy has is read as
// such; one that it lacks, when it is `wanted`, from its bits (V2 or u2 of bf16, V1 of s4, as ml_dtypes
// writes them), by rounding f4, or of integers from i1 or u1. Errors: not an NPY file, wrong dtype or rank,
// cut short.
Result<Array> read_npy(const std::string& path, std::optional<ElementType> wanted = std::nullopt,
                       size_t rank = 2);
// What a file says of itself; a type that numpy lacks only when it is `wanted`. Error: no NPY file, a type
// without arrays.
struct NpyHeader {
  ElementType type = ElementType::f32;
  std::vector<int64_t> dims;
};
Result<NpyHeader> read_npy_header(const std::string& path, std::optional<ElementType> wanted = std::nullopt);
// Of any rank and any type that arrays have, as `type`; read from bits or rounded as above.
Result<Array> read_npy_as(const std::string& path, ElementType type);
Result<void> write_npy(const std::string& path,
                       const Array& array);  // types that numpy lacks as f4, i1 or u1

}  // namespace shardscope::inline numerics
