// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/story/beat_words.h"

namespace shardscope::inline lesson {
namespace {

struct WrittenUnit {
  std::string_view text;
  double factor;
  FactUnit unit;
};
constexpr FactUnit kByteRate{1, -1, 0}, kFlopRate{0, -1, 1};
constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi;
constexpr std::array kUnits{
    WrittenUnit{"%", 0.01, {}},           WrittenUnit{"s", 1, kSeconds},
    WrittenUnit{"ms", 1e-3, kSeconds},    WrittenUnit{"us", 1e-6, kSeconds},
    WrittenUnit{"µs", 1e-6, kSeconds},    WrittenUnit{"ns", 1e-9, kSeconds},
    WrittenUnit{"ps", 1e-12, kSeconds},   WrittenUnit{"B", 1, kBytes},
    WrittenUnit{"KiB", kKi, kBytes},      WrittenUnit{"MiB", kMi, kBytes},
    WrittenUnit{"GiB", kGi, kBytes},      WrittenUnit{"KB", 1e3, kBytes},
    WrittenUnit{"MB", 1e6, kBytes},       WrittenUnit{"GB", 1e9, kBytes},
    WrittenUnit{"B/s", 1, kByteRate},     WrittenUnit{"GB/s", 1e9, kByteRate},
    WrittenUnit{"TB/s", 1e12, kByteRate}, WrittenUnit{"FLOP", 1, kFlops},
    WrittenUnit{"GFLOP", 1e9, kFlops},    WrittenUnit{"TFLOP", 1e12, kFlops},
    WrittenUnit{"FLOP/s", 1, kFlopRate},  WrittenUnit{"TFLOP/s", 1e12, kFlopRate},
};

std::string plain_number(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15)
    return group_digits(static_cast<int64_t>(number));
  if (std::abs(number) >= 1000) return group_digits(std::llround(number));
  return std::abs(number) < 1 ? fmt::format("{:.4g}", number) : fmt::format("{:.2f}", number);
}

std::string quantity_words(const Quantity& q) {
  if (q.written == Written::percent) return format_percent(q.number);
  if (q.written == Written::ratio) return fmt::format("{:.2f}", q.number);
  if (q.unit.none()) return plain_number(q.number);
  if (q.unit == kBytes) return format_bytes(q.number);
  if (q.unit == kSeconds) return format_seconds(q.number);
  return format_rate(q.number, q.unit.text().c_str());
}

std::string refused(std::string_view verb, const FactValue& a, const FactValue& b) {
  return fmt::format("cannot {} {} and {}", verb, kind_of(a), kind_of(b));
}

// Both as numbers; error: one is none.
struct Pair {
  Quantity a, b;
};
Result<Pair> numbers(std::string_view verb, const FactValue& a, const FactValue& b) {
  const auto* first = std::get_if<Quantity>(&a);
  const auto* second = std::get_if<Quantity>(&b);
  if (first == nullptr || second == nullptr) return invalid(refused(verb, a, b));
  return Pair{*first, *second};
}
Result<Pair> alike(std::string_view verb, const FactValue& a, const FactValue& b) {
  TRY(const Pair pair, numbers(verb, a, b));
  if (pair.a.unit != pair.b.unit) return invalid(refused(verb, a, b));
  return pair;
}

FactUnit product(const FactUnit& a, const FactUnit& b, int sign) {
  const auto sum = [&](int8_t x, int8_t y) { return static_cast<int8_t>(x + sign * y); };
  return {sum(a.bytes, b.bytes), sum(a.seconds, b.seconds), sum(a.flops, b.flops)};
}

// A list with one name is that name.
const std::string* only_text(const FactValue& value) {
  if (const auto* names = std::get_if<FactNames>(&value)) return names->size() == 1 ? names->data() : nullptr;
  return std::get_if<std::string>(&value);
}

}  // namespace

std::string FactUnit::text() const {
  std::string above, below;
  const auto put = [&](int power, const char* symbol) {
    for (int k = 0; k < std::abs(power); ++k) {
      std::string& side = power > 0 ? above : below;
      side += (side.empty() ? "" : "·") + std::string(symbol);
    }
  };
  put(bytes, "B");
  put(flops, "FLOP");
  put(seconds, "s");
  if (below.empty()) return above;
  return (above.empty() ? "1" : above) + "/" + below;
}

std::string kind_of(const FactValue& value) {
  if (const auto* q = std::get_if<Quantity>(&value))
    return q->unit.none() ? "a bare number" : fmt::format("a number in {}", q->unit.text());
  if (std::holds_alternative<bool>(value)) return "yes or no";
  return std::holds_alternative<FactNames>(value) ? "a list of names" : "a text";
}

std::string words_of(const FactValue& value) {
  if (const auto* q = std::get_if<Quantity>(&value)) return quantity_words(*q);
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? "yes" : "no";
  if (const auto* names = std::get_if<FactNames>(&value))
    return names->empty() ? "nothing" : list_words(*names);
  return std::get<std::string>(value);
}

std::vector<std::pair<std::string, double>> written_units(const FactUnit& unit) {
  std::vector<std::pair<std::string, double>> out;
  if (unit.none()) out.emplace_back("", 1);
  for (const WrittenUnit& written : kUnits)
    if (written.unit == unit) out.emplace_back(written.text, written.factor);
  return out;
}

Result<Quantity> unit_of(std::string_view written) {
  FactNames known;
  for (const WrittenUnit& unit : kUnits) {
    if (unit.text == written) return Quantity{unit.factor, unit.unit};
    known.emplace_back(unit.text);
  }
  return invalid(fmt::format("no unit '{}'", written), "", "use one of " + join(known, ", "));
}

Result<FactValue> add(const FactValue& a, const FactValue& b) {
  TRY(const Pair pair, alike("add", a, b));
  return FactValue(Quantity{pair.a.number + pair.b.number, pair.a.unit});
}

Result<FactValue> subtract(const FactValue& a, const FactValue& b) {
  TRY(const Pair pair, alike("subtract", a, b));
  return FactValue(Quantity{pair.a.number - pair.b.number, pair.a.unit});
}

Result<FactValue> multiply(const FactValue& a, const FactValue& b) {
  TRY(const Pair pair, numbers("multiply", a, b));
  return FactValue(Quantity{pair.a.number * pair.b.number, product(pair.a.unit, pair.b.unit, 1)});
}

Result<FactValue> divide(const FactValue& a, const FactValue& b) {
  TRY(const Pair pair, numbers("divide", a, b));
  if (pair.b.number == 0) return invalid("divides by 0");
  const bool ratio = pair.a.unit == pair.b.unit && !pair.a.unit.none();
  return FactValue(Quantity{pair.a.number / pair.b.number, product(pair.a.unit, pair.b.unit, -1),
                            ratio ? Written::ratio : Written::plain});
}

Result<FactValue> remainder(const FactValue& a, const FactValue& b) {
  TRY(const Pair pair, alike("divide", a, b));
  if (pair.b.number == 0) return invalid("divides by 0");
  return FactValue(Quantity{std::fmod(pair.a.number, pair.b.number), pair.a.unit});
}

Result<FactValue> negate(const FactValue& a) {
  const auto* q = std::get_if<Quantity>(&a);
  if (q == nullptr) return invalid("cannot negate " + kind_of(a));
  return FactValue(Quantity{-q->number, q->unit});
}

Result<bool> equal(const FactValue& a, const FactValue& b) {
  const std::string *first = only_text(a), *second = only_text(b);
  if (first != nullptr && second != nullptr) return *first == *second;
  if (a.index() == b.index() && !std::holds_alternative<Quantity>(a)) return a == b;
  TRY(const Pair pair, alike("compare", a, b));
  const double size = std::max(std::abs(pair.a.number), std::abs(pair.b.number));
  return std::abs(pair.a.number - pair.b.number) <= 1e-12 * size;
}

Result<bool> less(const FactValue& a, const FactValue& b) {
  TRY(const Pair pair, alike("compare", a, b));
  TRY(const bool same, equal(a, b));
  return !same && pair.a.number < pair.b.number;
}

}  // namespace shardscope::inline lesson
