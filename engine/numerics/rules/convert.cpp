// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "engine/base/units.h"
#include "engine/numerics/array/element.h"

namespace shardscope::inline numerics {
namespace {

// XLA saturates; NaN is 0.
template <class Tag>
typename Tag::Stored saturated(double value) {
  using Stored = typename Tag::Stored;
  constexpr int kDigits = Tag::kBits - (std::is_signed_v<Stored> ? 1 : 0);
  constexpr double kBeyond = kDigits == 64 ? 0x1p64 : static_cast<double>(uint64_t{1} << (kDigits % 64));
  constexpr uint64_t kLargest = kDigits == 64 ? UINT64_MAX : (uint64_t{1} << (kDigits % 64)) - 1;
  constexpr auto kMost = static_cast<Stored>(kLargest);
  constexpr auto kLeast = static_cast<Stored>(std::is_signed_v<Stored> ? ~kLargest : 0);
  if (std::isnan(value)) return 0;
  if (value >= kBeyond) return kMost;
  if (value <= (std::is_signed_v<Stored> ? -kBeyond : 0.0)) return kLeast;
  return static_cast<Stored>(value);
}

// Between real types.
template <class From, class To>
void convert_run(const std::byte* in, std::byte* out, int64_t count) {
  const auto* source = reinterpret_cast<const typename From::Stored*>(in);
  auto* target = reinterpret_cast<typename To::Stored*>(out);
  for (int64_t i = 0; i < count; ++i) {
    const auto value = From::load(source[i]);
    if constexpr (std::is_same_v<From, element::F64> && element::kNarrow<To>) {
      target[i] = To::store(element::round_to_odd(value));
    } else if constexpr (element::kFloat<From> && std::is_same_v<To, element::Pred>) {
      target[i] = value != 0;
    } else if constexpr (element::kFloat<From> && element::kInteger<To>) {
      target[i] = saturated<To>(static_cast<double>(value));
    } else if constexpr (std::is_same_v<From, element::U64> && element::kFloat<To>) {
      target[i] = To::store(static_cast<typename To::Computed>(source[i]));
    } else {
      target[i] = To::store(static_cast<typename To::Computed>(value));
    }
  }
}

// Pairs of these types get a loop of their own; others go by way of f64 or s64, which keeps the number of
// loops small.
template <ElementType... types, class F>
bool visit_one_of(ElementType type, F&& f) {
  return ((type == types && (f(element::Element<types>{}), true)) || ...);
}
template <class F>
bool visit_main(ElementType type, F&& f) {
  using enum ElementType;
  return visit_one_of<f32, f64, bf16, f16, s32, u32, pred>(type, f);
}

// What lies between two types, so that nothing is rounded twice: floats go by f64, which holds all of them;
// integers to the float that the target is computed as, which is how XLA rounds them.
ElementType between(ElementType from, ElementType to) {
  if (is_floating(from)) return ElementType::f64;
  if (!is_floating(to)) return ElementType::s64;
  return to == ElementType::f64 ? ElementType::f64 : ElementType::f32;
}

template <class Tag>
void convert_by(const std::byte* in, ElementType to, std::byte* out, int64_t count) {
  element::visit_real(to, [&](auto tag) { convert_run<Tag, decltype(tag)>(in, out, count); });
}

// Stretches of `count` elements by way of a third type.
void convert_in_two(ElementType from, const std::byte* in, ElementType to, std::byte* out, int64_t count) {
  using element::F32, element::F64, element::S64;
  constexpr int64_t kStage = 1024;
  alignas(64) std::byte stage[kStage * 8];
  const ElementType way = between(from, to);
  for (int64_t first = 0; first < count; first += kStage) {
    const int64_t part = std::min(kStage, count - first);
    element::visit_real(from, [&](auto tag) {
      using From = decltype(tag);
      const std::byte* source = in + stored_bytes(from, first);
      if (way == ElementType::f64) return convert_run<From, F64>(source, stage, part);
      if (way == ElementType::f32) return convert_run<From, F32>(source, stage, part);
      convert_run<From, S64>(source, stage, part);
    });
    std::byte* target = out + stored_bytes(to, first);
    if (way == ElementType::f64)
      convert_by<F64>(stage, to, target, part);
    else if (way == ElementType::f32)
      convert_by<F32>(stage, to, target, part);
    else
      convert_by<S64>(stage, to, target, part);
  }
}

// One part of each complex number beside the other: its real one from `in`, its imaginary one 0.
void widen_to_complex(ElementType part, const std::byte* in, std::byte* out, int64_t count) {
  const auto size = static_cast<size_t>(stored_bytes(part, 1));
  for (int64_t i = 0; i < count; ++i, in += size, out += 2 * size) {
    std::memcpy(out, in, size);
    std::memset(out + size, 0, size);
  }
}

}  // namespace

void convert_elements(ElementType from, const std::byte* in, ElementType to, std::byte* out, int64_t count) {
  if (is_complex(from) && is_complex(to))
    return convert_elements(real_type(from), in, real_type(to), out, 2 * count);
  if (is_complex(from) || is_complex(to)) {
    std::vector<std::byte> parts(
        static_cast<size_t>(stored_bytes(real_type(is_complex(to) ? to : from), count)));
    if (is_complex(to)) {
      convert_elements(from, in, real_type(to), parts.data(), count);
      return widen_to_complex(real_type(to), parts.data(), out, count);
    }
    const auto size = static_cast<size_t>(stored_bytes(real_type(from), 1));
    for (size_t i = 0; i < static_cast<size_t>(count); ++i)
      std::memcpy(parts.data() + i * size, in + 2 * i * size, size);
    return convert_elements(real_type(from), parts.data(), to, out, count);
  }
  bool direct = false;
  visit_main(from, [&](auto source) {
    direct =
        visit_main(to, [&](auto target) { convert_run<decltype(source), decltype(target)>(in, out, count); });
  });
  if (!direct) convert_in_two(from, in, to, out, count);
}

std::vector<double> as_f64(const Array& array, int64_t first, int64_t count) {
  std::vector<double> out(static_cast<size_t>(count));
  convert_elements(array.type(), array.data() + stored_bytes(array.type(), first), ElementType::f64,
                   reinterpret_cast<std::byte*>(out.data()), count);
  return out;
}

bool equal_and_finite(const Array& a, const Array& b) {
  if (!(a == b)) return false;
  bool finite = true;
  element::visit(a.type(), [&](auto tag) {
    using Tag = decltype(tag);
    using Computed = typename Tag::Computed;
    if constexpr (!element::kInteger<Tag>) {
      Computed off = 0;  // stays 0 until one is infinite or no number
      for (const auto stored : a.as<typename Tag::Stored>()) {
        const Computed value = Tag::load(stored);
        off += value - value;
      }
      finite = off == Computed(0);
    }
  });
  return finite;
}

void for_stretches(size_t arrays, int64_t elements, const Workers& workers, const std::stop_token& stop,
                   const StretchBody& body) {
  Loops loops(workers, stop);
  for_stretches(arrays, elements, loops, body);
}

void for_stretches(size_t arrays, int64_t elements, Loops& loops, StretchBody body) {
  constexpr int64_t kStretch = 65536;
  const int64_t stretches = std::max<int64_t>(1, ceil_div(elements, kStretch));
  loops.run({static_cast<int64_t>(arrays) * stretches,
             [=, stop = &loops.stop(), body = std::move(body)](int64_t i) {
               const int64_t first = i % stretches * kStretch;
               if (!stop->stop_requested()) {
                 body(static_cast<size_t>(i / stretches), first, std::min(kStretch, elements - first));
               }
             }},
            static_cast<int64_t>(arrays * sizeof(void*)));
}

}  // namespace shardscope::inline numerics
