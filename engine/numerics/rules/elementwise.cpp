// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/base/units.h"
#include "engine/numerics/array/element.h"

namespace shardscope {

namespace {

template <class Tag, class F>
bool map_one(const std::byte* a, std::byte* out, int64_t count, F f) {
  using Stored = typename Tag::Stored;
  const Stored* in = reinterpret_cast<const Stored*>(a);
  Stored* to = reinterpret_cast<Stored*>(out);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = Tag::store(static_cast<typename Tag::Computed>(f(Tag::load(in[i]))));
  }
  return true;
}

template <class Tag, class F>
bool map_two(const std::byte* a, const std::byte* b, std::byte* out, int64_t count, F f) {
  using Stored = typename Tag::Stored;
  const Stored* left = reinterpret_cast<const Stored*>(a);
  const Stored* right = reinterpret_cast<const Stored*>(b);
  Stored* to = reinterpret_cast<Stored*>(out);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = Tag::store(static_cast<typename Tag::Computed>(f(Tag::load(left[i]), Tag::load(right[i]))));
  }
  return true;
}

// HLO's max and min give NaN when either side is NaN.
template <class C>
C larger(C x, C y) {
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(x)) return x;
    if (std::isnan(y)) return y;
  }
  return x < y ? y : x;
}
template <class C>
C smaller(C x, C y) {
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(x)) return x;
    if (std::isnan(y)) return y;
  }
  return y < x ? y : x;
}

// Integers add without overflow's undefined behaviour; floats as they are.
inline uint64_t wrapping(int64_t x) {
  return static_cast<uint64_t>(x);
}
inline float wrapping(float x) {
  return x;
}
inline double wrapping(double x) {
  return x;
}

// What orders and divides: a u64 as itself, everything else as it is computed.
template <class Tag>
auto ordered(typename Tag::Computed x) {
  if constexpr (std::is_same_v<Tag, element::U64>)
    return static_cast<uint64_t>(x);
  else
    return x;
}
template <class Tag, class O>
typename Tag::Computed from_order(O x) {
  return static_cast<typename Tag::Computed>(x);
}

template <class Tag>
bool common_two(Opcode op, const std::byte* a, const std::byte* b, std::byte* out, int64_t n) {
  using C = typename Tag::Computed;
  switch (op) {
    case Opcode::add:
      return map_two<Tag>(a, b, out, n, [](C x, C y) { return static_cast<C>(wrapping(x) + wrapping(y)); });
    case Opcode::subtract:
      return map_two<Tag>(a, b, out, n, [](C x, C y) { return static_cast<C>(wrapping(x) - wrapping(y)); });
    case Opcode::maximum:
      return map_two<Tag>(a, b, out, n,
                          [](C x, C y) { return from_order<Tag>(larger(ordered<Tag>(x), ordered<Tag>(y))); });
    case Opcode::minimum:
      return map_two<Tag>(
          a, b, out, n, [](C x, C y) { return from_order<Tag>(smaller(ordered<Tag>(x), ordered<Tag>(y))); });
    default:
      return false;
  }
}

template <class Tag>
bool float_two(Opcode op, const std::byte* a, const std::byte* b, std::byte* out, int64_t n) {
  using C = typename Tag::Computed;
  switch (op) {
    case Opcode::multiply:
      return map_two<Tag>(a, b, out, n, [](C x, C y) { return x * y; });
    case Opcode::divide:
      return map_two<Tag>(a, b, out, n, [](C x, C y) { return x / y; });
    case Opcode::remainder:
      return map_two<Tag>(a, b, out, n, [](C x, C y) { return std::fmod(x, y); });
    case Opcode::power:
      return map_two<Tag>(a, b, out, n, [](C x, C y) { return std::pow(x, y); });
    default:
      return common_two<Tag>(op, a, b, out, n);
  }
}

// Division by zero as XLA does it on CPUs: all ones, and the dividend as remainder. Products wrap in 64 bits,
// whose low half is right for every 32-bit type.
template <class Tag>
bool integer_two(Opcode op, const std::byte* a, const std::byte* b, std::byte* out, int64_t n) {
  using C = int64_t;
  using Bits = std::make_unsigned_t<typename Tag::Stored>;
  constexpr auto kBits = static_cast<C>(8 * sizeof(typename Tag::Stored));
  const auto low = [](C x) { return static_cast<Bits>(static_cast<uint64_t>(x)); };
  // A u64 shift count above 2^63 is below zero here: too far either way.
  const auto far = [](C y) { return y < 0 || y >= kBits; };
  const auto over = [](C x, C y) { return y == 0 || (y == -1 && x == INT64_MIN); };
  switch (op) {
    case Opcode::multiply:
      return map_two<Tag>(a, b, out, n, [](C x, C y) {
        return static_cast<C>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
      });
    case Opcode::divide:
      return map_two<Tag>(a, b, out, n, [=](C x, C y) {
        if (y == 0) return C{-1};
        return over(x, y) && std::is_same_v<decltype(ordered<Tag>(x)), C>
                   ? x
                   : from_order<Tag>(ordered<Tag>(x) / ordered<Tag>(y));
      });
    case Opcode::remainder:
      return map_two<Tag>(a, b, out, n, [=](C x, C y) {
        if (y == 0) return x;
        return over(x, y) && std::is_same_v<decltype(ordered<Tag>(x)), C>
                   ? C{0}
                   : from_order<Tag>(ordered<Tag>(x) % ordered<Tag>(y));
      });
    case Opcode::power:
      return map_two<Tag>(a, b, out, n, [](C x, C y) {
        if (y < 0) return x == 1 ? C{1} : x == -1 ? (y % 2 == 0 ? C{1} : C{-1}) : C{0};
        uint64_t result = 1, base = static_cast<uint64_t>(x);
        for (auto e = static_cast<uint64_t>(y); e != 0; e >>= 1, base *= base)
          if (e & 1) result *= base;
        return static_cast<C>(result);
      });
    case Opcode::and_:
      return map_two<Tag>(a, b, out, n, [](C x, C y) { return x & y; });
    case Opcode::or_:
      return map_two<Tag>(a, b, out, n, [](C x, C y) { return x | y; });
    case Opcode::xor_:
      return map_two<Tag>(a, b, out, n, [](C x, C y) { return x ^ y; });
    case Opcode::shift_left:
      return map_two<Tag>(a, b, out, n, [=](C x, C y) {
        return far(y) ? C{0} : static_cast<C>(static_cast<uint64_t>(low(x)) << y);
      });
    case Opcode::shift_right_logical:
      return map_two<Tag>(a, b, out, n, [=](C x, C y) {
        return far(y) ? C{0} : static_cast<C>(static_cast<uint64_t>(low(x)) >> y);
      });
    case Opcode::shift_right_arithmetic:
      return map_two<Tag>(a, b, out, n, [=](C x, C y) { return far(y) ? (x < 0 ? C{-1} : C{0}) : x >> y; });
    default:
      return common_two<Tag>(op, a, b, out, n);
  }
}

template <class Tag>
bool float_one(Opcode op, const std::byte* a, std::byte* out, int64_t n) {
  using C = typename Tag::Computed;
  switch (op) {
    case Opcode::negate:
      return map_one<Tag>(a, out, n, [](C x) { return -x; });
    case Opcode::abs:
      return map_one<Tag>(a, out, n, [](C x) { return std::fabs(x); });
    case Opcode::sign:
      return map_one<Tag>(a, out, n, [](C x) { return x > 0 ? C{1} : x < 0 ? C{-1} : x; });
    case Opcode::exponential:
      return map_one<Tag>(a, out, n, [](C x) { return std::exp(x); });
    case Opcode::exponential_minus_one:
      return map_one<Tag>(a, out, n, [](C x) { return std::expm1(x); });
    case Opcode::log:
      return map_one<Tag>(a, out, n, [](C x) { return std::log(x); });
    case Opcode::log_plus_one:
      return map_one<Tag>(a, out, n, [](C x) { return std::log1p(x); });
    case Opcode::tanh:
      return map_one<Tag>(a, out, n, [](C x) { return std::tanh(x); });
    case Opcode::logistic:
      return map_one<Tag>(a, out, n, [](C x) { return 1 / (1 + std::exp(-x)); });
    case Opcode::rsqrt:
      return map_one<Tag>(a, out, n, [](C x) { return 1 / std::sqrt(x); });
    case Opcode::sqrt:
      return map_one<Tag>(a, out, n, [](C x) { return std::sqrt(x); });
    case Opcode::cbrt:
      return map_one<Tag>(a, out, n, [](C x) { return std::cbrt(x); });
    case Opcode::erf:
      return map_one<Tag>(a, out, n, [](C x) { return std::erf(x); });
    case Opcode::floor:
      return map_one<Tag>(a, out, n, [](C x) { return std::floor(x); });
    case Opcode::ceil:
      return map_one<Tag>(a, out, n, [](C x) { return std::ceil(x); });
    case Opcode::round_nearest_afz:
      return map_one<Tag>(a, out, n, [](C x) { return std::round(x); });
    case Opcode::round_nearest_even:
      return map_one<Tag>(a, out, n, [](C x) { return std::nearbyint(x); });
    case Opcode::sine:
      return map_one<Tag>(a, out, n, [](C x) { return std::sin(x); });
    case Opcode::cosine:
      return map_one<Tag>(a, out, n, [](C x) { return std::cos(x); });
    default:
      return false;
  }
}

template <class Tag>
bool integer_one(Opcode op, const std::byte* a, std::byte* out, int64_t n) {
  using C = int64_t;
  switch (op) {
    case Opcode::negate:
      return map_one<Tag>(a, out, n, [](C x) { return static_cast<C>(0 - static_cast<uint64_t>(x)); });
    case Opcode::abs:
      return map_one<Tag>(a, out, n, [](C x) {
        return x < 0 && std::is_signed_v<typename Tag::Stored> ? static_cast<C>(0 - static_cast<uint64_t>(x))
                                                               : x;
      });
    case Opcode::sign:
      return map_one<Tag>(a, out, n, [](C x) { return C{x > 0} - C{x < 0}; });
    case Opcode::not_:
      return map_one<Tag>(a, out, n, [](C x) { return std::is_same_v<Tag, element::Pred> ? C{x == 0} : ~x; });
    default:
      return false;
  }
}

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
    if constexpr (std::is_same_v<From, element::F64> && std::is_same_v<To, element::BF16>) {
      target[i] = bf16_from_f64(value);
    } else if constexpr (std::is_same_v<From, element::F64> && std::is_same_v<To, element::F16>) {
      target[i] = f16_from_f64(value);
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

}  // namespace

bool apply_elementwise(Opcode opcode, ElementType type, const std::byte* a, const std::byte* b,
                       std::byte* out, int64_t count) {
  bool done = false;
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    if constexpr (std::is_floating_point_v<typename Tag::Computed>) {
      done = b == nullptr ? float_one<Tag>(opcode, a, out, count) : float_two<Tag>(opcode, a, b, out, count);
    } else {
      done =
          b == nullptr ? integer_one<Tag>(opcode, a, out, count) : integer_two<Tag>(opcode, a, b, out, count);
    }
  });
  return done;
}

bool has_elementwise(Opcode opcode, ElementType type) {
  std::byte element[8] = {};
  return apply_elementwise(opcode, type, element, nullptr, element, 0) ||
         apply_elementwise(opcode, type, element, element, element, 0);
}

bool apply_compare(const std::string& direction, ElementType type, const std::byte* a, const std::byte* b,
                   std::byte* out, int64_t count) {
  bool done = false;
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    using Stored = typename Tag::Stored;
    const Stored* left = reinterpret_cast<const Stored*>(a);
    const Stored* right = reinterpret_cast<const Stored*>(b);
    const auto loop = [&](auto test) {
      for (int64_t i = 0; i < count; ++i)
        out[i] = std::byte{test(ordered<Tag>(Tag::load(left[i])), ordered<Tag>(Tag::load(right[i])))};
      done = true;
    };
    if (direction == "EQ") loop([](auto x, auto y) { return x == y; });
    if (direction == "NE") loop([](auto x, auto y) { return x != y; });
    if (direction == "LT") loop([](auto x, auto y) { return x < y; });
    if (direction == "LE") loop([](auto x, auto y) { return x <= y; });
    if (direction == "GT") loop([](auto x, auto y) { return x > y; });
    if (direction == "GE") loop([](auto x, auto y) { return x >= y; });
  });
  return done;
}

void convert_elements(ElementType from, const std::byte* in, ElementType to, std::byte* out, int64_t count) {
  const bool direct = element::visit_main(from, [&](auto from_tag) {
    element::visit_main(
        to, [&](auto to_tag) { convert_run<decltype(from_tag), decltype(to_tag)>(in, out, count); });
  });
  if (direct && element::visit_main(to, [](auto) {})) return;
  // Other types go by way of f64 or s64, which keeps the number of loops small.
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

void for_stretches(size_t arrays, int64_t elements, const Workers& workers, const std::stop_token& stop,
                   const std::function<void(size_t array, int64_t first, int64_t count)>& body) {
  constexpr int64_t kStretch = 65536;
  const int64_t stretches = std::max<int64_t>(1, ceil_div(elements, kStretch));
  workers.parallel_for(static_cast<int64_t>(arrays) * stretches, [&](int64_t i) {
    const int64_t first = i % stretches * kStretch;
    if (!stop.stop_requested()) {
      body(static_cast<size_t>(i / stretches), first, std::min(kStretch, elements - first));
    }
  });
}

void convert_values(std::vector<DeviceValue>& values, ElementType to, BufferPool& pool,
                    const Workers& workers, const std::stop_token& stop) {
  std::vector<ViewPtr> views;
  for (const DeviceValue& value : values) views.push_back(value.view);
  const std::vector<ViewPtr> plain = materialise(views, pool, workers, stop);
  std::vector<Array> results;
  for (const ViewPtr& view : plain) results.push_back(pool.take(to, view->dims()));
  const ElementType from = plain.front()->type();
  for_stretches(values.size(), plain.front()->element_count(), workers, stop,
                [&](size_t a, int64_t first, int64_t count) {
                  convert_elements(from, plain[a]->data() + byte_size(from, first), to,
                                   results[a].mutable_data() + byte_size(to, first), count);
                });
  for (size_t d = 0; d < values.size(); ++d) values[d].view = std::make_shared<View>(View::of(results[d]));
}

}  // namespace shardscope
