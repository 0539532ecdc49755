// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/row_numbers.h"

#include <algorithm>

#include "engine/base/say.h"

namespace shardscope::inline hardware {
namespace {

// The row on whatever chip it is asked for; null: it has none.
template <class Rows>
auto* find_row(Rows& rows, ElementType type) {
  const auto found =
      std::ranges::find_if(rows, [&](const ProductTiles& row) { return row.types.front() == type; });
  return found == rows.end() ? nullptr : &*found;
}
template <class Rows>
auto* find_row(Rows& rows, const std::string& kind) {
  const auto found = std::ranges::find(rows, kind, &WorkRate::kind);
  return found == rows.end() ? nullptr : &*found;
}

struct Part {
  const char* key;
  const char* label;
  const char* unit;
  double factor, unsaid;
  const char* empty;
};
constexpr Part kPeak{"", to_say("{}: efficiency"), to_say("of the peak"), 1, 1, "1"};
constexpr Part kTraffic{"", to_say("{}: efficiency"), to_say("of the bandwidth"), 1, 1, "1"};
constexpr Part kLaunch{".launch_s", to_say("{}: launch"), to_say("µs a kernel"), 1e-6, 0, "0"};
constexpr Part kWave{".wave_s", to_say("{}: fill and empty"), to_say("µs a wave"), 1e-6, 0, "0"};

// What a program's kernels have otherwise than one alone; `unsaid` is what a chip without the number has.
struct OfPrograms {
  const char *key, *label, *unit;
  double factor, unsaid;
  double Hardware::Programs::*number;
};
constexpr OfPrograms kOfPrograms[] = {{"program.alone_launch_s", to_say("launch of a kernel alone"),
                                       to_say("µs a kernel"), 1e-6, 0, &Hardware::Programs::alone_launch_s},
                                      {"program.scratch_s", to_say("zeroing of scratch memory"),
                                       to_say("µs a product"), 1e-6, 0, &Hardware::Programs::scratch_s},
                                      {"program.sustained", to_say("products without a rest"),
                                       to_say("of their speed alone"), 1, 1, &Hardware::Programs::sustained},
                                      {"program.sustained_from", to_say("they slow down from"),
                                       to_say("of the time"), 1, 0, &Hardware::Programs::sustained_from}};

struct Row {
  const char* section;
  std::string key, of;
};

template <class Of, class Value>
void add(const Part& part, const Row& row, Of find, Value value, std::vector<ChipNumber>& out) {
  out.push_back({.key = row.key + part.key,
                 .section = row.section,
                 .label = part.label,
                 .of = row.of,
                 .unit = part.unit,
                 .factor = part.factor,
                 .empty = part.empty,
                 .get =
                     [find, value](const Hardware& h) {
                       const auto* same = find(h);
                       return same == nullptr ? std::nullopt : std::optional<double>(value(*same));
                     },
                 .set =
                     [find, value, part](Hardware& h, std::optional<double> v) {
                       if (auto* same = find(h)) value(*same) = v.value_or(part.unsaid);
                     }});
}

}  // namespace

void add_program_numbers(std::vector<ChipNumber>& out) {
  for (const OfPrograms& of : kOfPrograms) {
    out.push_back({.key = of.key,
                   .section = to_say("Programs"),
                   .label = of.label,
                   .unit = of.unit,
                   .factor = of.factor,
                   .empty = of.unsaid == 0 ? "0" : "1",
                   .get =
                       [&of](const Hardware& h) {
                         const double value = h.programs.*of.number;
                         return value == of.unsaid ? std::nullopt : std::optional(value);
                       },
                   .set = [&of](Hardware& h,
                                std::optional<double> v) { h.programs.*of.number = v.value_or(of.unsaid); }});
  }
}

void add_row_numbers(const Hardware& hardware, std::vector<ChipNumber>& out) {
  for (const ProductTiles& tiles : hardware.products) {
    const ElementType type = tiles.types.front();
    const auto find = [type](auto& h) { return find_row(h.products, type); };
    const Row row{to_say("Products by tiles"), std::string("product.") + name(type), name(type)};
    add(
        kPeak, row, find, [](auto& r) -> auto& { return r.efficiency; }, out);
    add(
        kLaunch, row, find, [](auto& r) -> auto& { return r.launch_s; }, out);
    add(
        kWave, row, find, [](auto& r) -> auto& { return r.wave_s; }, out);
  }
  for (const WorkRate& rate : hardware.work) {
    const auto find = [kind = rate.kind](auto& h) { return find_row(h.work, kind); };
    const Row row{to_say("Kernels of libraries"), "work." + rate.kind, rate.kind};
    if (rate.efficiency)
      add(
          kPeak, row, find, [](auto& r) -> auto& { return *r.efficiency; }, out);
    else
      add(
          kTraffic, row, find, [](auto& r) -> auto& { return r.hbm_efficiency; }, out);
    add(
        kLaunch, row, find, [](auto& r) -> auto& { return r.launch_s; }, out);
  }
}

}  // namespace shardscope::inline hardware
