// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/drawn.h"

#include <algorithm>
#include <charconv>

#include "engine/base/text.h"
#include "engine/numerics/array/element.h"

namespace shardscope::inline numerics {

namespace {

template <class Tag>
typename Tag::Stored drawn_element(uint64_t bits) {
  constexpr ElementType kType = element::kType<Tag>;
  const int64_t of_five = static_cast<int64_t>(bits % 5) - 2;
  if constexpr (element::kComplex<Tag>) {
    using Part = typename Tag::Stored::value_type;
    return {static_cast<Part>(of_five), static_cast<Part>(static_cast<int64_t>((bits >> 32) % 5) - 2)};
  } else {
    int64_t value = of_five;
    if (kType == ElementType::pred)
      value = static_cast<int64_t>(bits & 1);
    else if (!is_signed(kType))
      value = static_cast<int64_t>(bits % 4);
    else if (element::kFloat<Tag> && !float_format(kType).has_zero())
      value = static_cast<int64_t>(bits % 4) + 1;
    return Tag::store(static_cast<typename Tag::Computed>(value));
  }
}

}  // namespace

Array drawn_array(ElementType type, const std::vector<int64_t>& dims, uint64_t seed, const Workers& workers) {
  Array array = Array::allocate(type, dims);
  constexpr int64_t kBlock = 1 << 16;
  const int64_t count = array.element_count();
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    const auto out = array.mutable_as<typename Tag::Stored>();
    workers.parallel_for((count + kBlock - 1) / kBlock, [&](int64_t block) {
      for (int64_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i) {
        const uint64_t bits = mixed_bits(seed ^ mixed_bits(static_cast<uint64_t>(i)));
        out[static_cast<size_t>(i)] = drawn_element<Tag>(bits);
      }
    });
  });
  return array;
}

std::optional<uint64_t> elided_seed(std::string_view literal) {
  constexpr std::string_view kElided = "{...";
  literal = trim(literal);
  if (!literal.starts_with(kElided) || !literal.ends_with('}')) return std::nullopt;
  const std::string_view rest = literal.substr(kElided.size(), literal.size() - kElided.size() - 1);
  if (rest.empty()) return 0;
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), seed);
  const bool whole = rest.front() == '#' && error == std::errc() && end == rest.data() + rest.size();
  return whole ? std::optional(seed) : std::nullopt;
}

std::string elided_literal(uint64_t seed) {
  return "{...#" + std::to_string(seed) + "}";
}

}  // namespace shardscope::inline numerics
