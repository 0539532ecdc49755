// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/array.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

#include "engine/base/check.h"

namespace shardscope {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;

// Big arrays ask for huge pages: the first touch of fresh 4 KiB pages costs more than the copy that fills
// them.
std::shared_ptr<std::byte[]> allocate_bytes(int64_t bytes) {
  const size_t wanted = static_cast<size_t>(bytes);
  const size_t alignment = wanted >= 2 * kHugePage ? kHugePage : kAlignment;
  const size_t rounded = std::max(alignment, (wanted + alignment - 1) / alignment * alignment);
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  if (alignment == kHugePage) madvise(memory, rounded, MADV_HUGEPAGE);
  return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

int64_t product_of(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

}  // namespace

Array Array::allocate(ElementType type, std::vector<int64_t> dims) {
  const int64_t bytes = byte_size(type, product_of(dims));
  return adopt(type, std::move(dims), allocate_bytes(bytes));
}

Array Array::adopt(ElementType type, std::vector<int64_t> dims, std::shared_ptr<std::byte[]> data) {
  Array array;
  array.type_ = type;
  array.dims_ = std::move(dims);
  array.data_ = std::move(data);
  return array;
}

int64_t Array::element_count() const {
  return data_ == nullptr ? 0 : product_of(dims_);
}

double Array::at(int64_t flat) const {
  const size_t i = static_cast<size_t>(flat);
  switch (type_) {
    case ElementType::f32:
      return as<float>()[i];
    case ElementType::f64:
      return as<double>()[i];
    case ElementType::bf16:
      return f32_from_bf16(as<uint16_t>()[i]);
    case ElementType::f16:
      return f32_from_f16(as<uint16_t>()[i]);
    case ElementType::s32:
      return as<int32_t>()[i];
    case ElementType::u32:
      return as<uint32_t>()[i];
    case ElementType::pred:
    case ElementType::u8:
      return as<uint8_t>()[i];
    case ElementType::s8:
      return as<int8_t>()[i];
    case ElementType::s16:
      return as<int16_t>()[i];
    case ElementType::u16:
      return as<uint16_t>()[i];
    case ElementType::s64:
      return static_cast<double>(as<int64_t>()[i]);
    case ElementType::u64:
      return static_cast<double>(as<uint64_t>()[i]);
    default:
      break;
  }
  CHECK(false, "no arrays of type", name(type_));
  return 0;
}

bool Array::operator==(const Array& other) const {
  if (type_ != other.type_ || dims_ != other.dims_) return false;
  if (data_ == other.data_) return true;
  if (data_ == nullptr || other.data_ == nullptr) return false;
  return std::memcmp(data(), other.data(), static_cast<size_t>(bytes())) == 0;
}

}  // namespace shardscope
