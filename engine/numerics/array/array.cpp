// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/array.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#include "engine/base/check.h"
#include "engine/base/machine/memory_door.h"
#include "engine/numerics/array/element.h"

namespace shardscope::inline numerics {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;

size_t rounded_up(size_t bytes, size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

// Big arrays ask for huge pages: the first touch of fresh 4 KiB pages costs more than the copy that fills
// them. They are mapped one by one, so that each goes back to the system as soon as nobody has it.
std::shared_ptr<std::byte[]> map_bytes(size_t bytes) {
  const size_t rounded = rounded_up(bytes, kHugePage), mapped = rounded + kHugePage;
  void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw MemoryRefused(static_cast<int64_t>(bytes));
  auto* start = static_cast<std::byte*>(memory);
  const size_t head =
      rounded_up(reinterpret_cast<size_t>(start), kHugePage) - reinterpret_cast<size_t>(start);
  madvise(start + head, rounded, MADV_HUGEPAGE);
  return {start + head, [start, mapped](std::byte*) { munmap(start, mapped); }};
}

std::shared_ptr<std::byte[]> allocate_bytes(int64_t bytes) {
  const size_t wanted = static_cast<size_t>(bytes);
  if (wanted >= 2 * kHugePage) return map_bytes(wanted);
  void* memory = std::aligned_alloc(kAlignment, std::max(kAlignment, rounded_up(wanted, kAlignment)));
  if (memory == nullptr) throw MemoryRefused(bytes);
  return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

int64_t product_of(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

}  // namespace

Array Array::allocate(ElementType type, std::vector<int64_t> dims) {
  const int64_t bytes = stored_bytes(type, product_of(dims));
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
  return complex_at(flat).real();
}

std::complex<double> Array::complex_at(int64_t flat) const {
  std::complex<double> value = 0;
  const bool known = element::visit(type_, [&](auto tag) {
    using Tag = decltype(tag);
    const typename Tag::Stored stored = as<typename Tag::Stored>()[static_cast<size_t>(flat)];
    if constexpr (std::is_same_v<Tag, element::U64>)
      value = static_cast<double>(stored);
    else if constexpr (element::kComplex<Tag>)
      value = stored;
    else
      value = static_cast<double>(Tag::load(stored));
  });
  CHECK(known, "no arrays of type", name(type_));
  return value;
}

bool Array::operator==(const Array& other) const {
  if (type_ != other.type_ || dims_ != other.dims_) return false;
  if (data_ == other.data_) return true;
  if (data_ == nullptr || other.data_ == nullptr) return false;
  return std::memcmp(data(), other.data(), static_cast<size_t>(bytes())) == 0;
}

}  // namespace shardscope::inline numerics
