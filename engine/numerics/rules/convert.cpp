// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/base/units.h"
#include "engine/numerics/array/element.h"

namespace shardscope {
namespace {

// XLA saturates; NaN is 0.
template <class T>
T saturated(double value) {
  constexpr double kBeyond = std::numeric_limits<T>::digits == 64
                                 ? 0x1p64
                                 : static_cast<double>(uint64_t{1} << std::numeric_limits<T>::digits);
  if (std::isnan(value)) return 0;
  if (value >= kBeyond) return std::numeric_limits<T>::max();
  if (value <= (std::is_signed_v<T> ? -kBeyond : 0.0)) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

template <class From, class To>
void convert_run(const std::byte* in, std::byte* out, int64_t count) {
  const auto* source = reinterpret_cast<const typename From::Stored*>(in);
  auto* target = reinterpret_cast<typename To::Stored*>(out);
  for (int64_t i = 0; i < count; ++i) {
    const auto value = From::load(source[i]);
    if constexpr (std::is_same_v<From, element::F64> && element::kNarrow<To>) {
      target[i] = To::store(element::round_to_odd(value));
    } else if constexpr (std::is_floating_point_v<decltype(value)> && std::is_same_v<To, element::Pred>) {
      target[i] = value != 0;
    } else if constexpr (std::is_floating_point_v<decltype(value)> &&
                         std::is_same_v<typename To::Computed, int64_t>) {
      target[i] = saturated<typename To::Stored>(static_cast<double>(value));
    } else if constexpr (std::is_same_v<From, element::U64> &&
                         std::is_floating_point_v<typename To::Computed>) {
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

}  // namespace

void convert_elements(ElementType from, const std::byte* in, ElementType to, std::byte* out, int64_t count) {
  bool direct = false;
  visit_main(from, [&](auto source) {
    direct =
        visit_main(to, [&](auto target) { convert_run<decltype(source), decltype(target)>(in, out, count); });
  });
  if (direct) return;
  const bool by_float = is_floating(from) || (from == ElementType::u64 && is_floating(to));
  constexpr int64_t kStage = 1024;
  alignas(64) std::byte stage[kStage * 8];
  for (int64_t first = 0; first < count; first += kStage) {
    const int64_t part = std::min(kStage, count - first);
    element::visit(from, [&](auto tag) {
      const std::byte* source = in + byte_size(from, first);
      if (by_float)
        convert_run<decltype(tag), element::F64>(source, stage, part);
      else
        convert_run<decltype(tag), element::S64>(source, stage, part);
    });
    element::visit(to, [&](auto tag) {
      std::byte* target = out + byte_size(to, first);
      if (by_float)
        convert_run<element::F64, decltype(tag)>(stage, target, part);
      else
        convert_run<element::S64, decltype(tag)>(stage, target, part);
    });
  }
}

std::vector<double> as_f64(const Array& array, int64_t first, int64_t count) {
  std::vector<double> out(static_cast<size_t>(count));
  convert_elements(array.type(), array.data() + byte_size(array.type(), first), ElementType::f64,
                   reinterpret_cast<std::byte*>(out.data()), count);
  return out;
}

bool equal_and_finite(const Array& a, const Array& b) {
  if (!(a == b)) return false;
  bool finite = true;
  element::visit(a.type(), [&](auto tag) {
    using Tag = decltype(tag);
    using Computed = typename Tag::Computed;
    if constexpr (std::is_floating_point_v<Computed>) {
      Computed off = 0;  // stays 0 until one is infinite or no number
      for (const auto stored : a.as<typename Tag::Stored>()) {
        const Computed value = Tag::load(stored);
        off += value - value;
      }
      finite = off == 0;
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

}  // namespace shardscope
