// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/lesson/derivation.h"
#include "engine/lesson/fact_tables.h"
#include "engine/run/metrics.h"
#include "engine/run/sum_steps.h"
#include "engine/run/terms.h"

namespace shardscope::inline lesson {
namespace {

struct RunFact {
  const char* name;
  const char* meaning;
  Result<FactValue> (*of)(const Run& run);
  bool numbers = false;
};

FactValue seconds(double s) {
  return Quantity{s, kSeconds};
}
FactValue bytes(double b) {
  return Quantity{b, kBytes};
}

Result<FactValue> count_instructions(const Run& run, OpClass kind) {
  int64_t count = 0;
  for (const Instruction& i : run.program.entry_computation().instructions)
    count += operation(i.opcode).kind == kind;
  return count_value(static_cast<double>(count));
}

Result<FactValue> links_used(const Run& run) {
  if (run.timeline.events.empty() && run.timeline.event_count > 0)
    return invalid("its events were not kept, so its links are not known");
  std::set<std::pair<int32_t, int16_t>> links;
  for (const Event& e : run.timeline.events)
    if (e.kind == EventKind::transfer) links.emplace(e.device, e.lane);
  return count_value(static_cast<double>(links.size()));
}

Result<FactValue> overlap_of(const Run& run) {
  const auto overlap = summarise(run.timeline).overlap;
  if (!overlap) return invalid("it does not communicate, so nothing can overlap");
  return percent_value(*overlap);
}

// What devices send: one size, or the least, the most and the mean.
Result<FactValue> sent_words(const Run& run) {
  const auto [least, most] = std::ranges::minmax(run.timeline.totals, {}, &DeviceTotals::bytes_sent);
  const auto size = [](double b) { return format_bytes(b); };
  if (least.bytes_sent == most.bytes_sent) return FactValue(size(static_cast<double>(most.bytes_sent)));
  return FactValue(fmt::format(
      "between {} and {}, {} on average", size(static_cast<double>(least.bytes_sent)),
      size(static_cast<double>(most.bytes_sent)), size(mean_per_device(run.timeline).bytes_sent)));
}

Result<FactValue> repeats_of(const Run& run) {
  if (run.problem.flops() <= 0) return invalid("it has no product");
  return count_value(mean_per_device(run.timeline).flops * run.timeline.devices / run.problem.flops());
}

template <auto member>
Result<FactValue> part_of(const Run& run) {
  return seconds(to_seconds(run.timeline.critical_path.*member));
}

Result<FactValue> checked(const Run& run, FactValue value) {
  if (!run.numerics.checked) return invalid("its numbers were not computed");
  return value;
}

// Of the element where the comparison is decided.
template <class Read>
Result<FactValue> decided(const Run& run, Read&& read) {
  if (!run.numerics.exact) return invalid("its numbers were not compared with the product in f64");
  return FactValue(read(*run.numerics.exact));
}

// Of that element's partial sums in the type that the program keeps them in.
template <class Read>
Result<FactValue> of_sums(const Run& run, Read&& read) {
  if (!run.numerics.exact || !run.numerics.exact->partial_type)
    return invalid("its numbers were not compared with the product in f64");
  const auto sum = sum_in(*run.numerics.exact->partial_type, run.numerics.exact->partials);
  if (!sum) return invalid("its partial sums are not rounded to a narrow type");
  return count_value(read(*sum));
}

double largest_partial(const SumInType& sum) {
  double out = 0;
  for (const SumStep& step : sum.steps)
    if (!step.adds) out = std::max(out, std::fabs(step.exact));
  return out;
}

double widest_spacing(const SumInType& sum) {
  double out = 0;
  for (const SumStep& step : sum.steps) out = std::max(out, step.spacing);
  return out;
}

std::string index_words(const ExactComparison& exact) {
  return "[" + join(exact.index, ",") + "]";
}

double number(const Run& run, RunMetric id) {
  return numbers_of(run).get(id);
}

// Means over devices are of devices that do alike, or of the whole.
const std::array kRunFacts{
    RunFact{"total", "when its last event ends",
            [](const Run& r) -> Result<FactValue> { return seconds(to_seconds(r.timeline.total)); }},
    RunFact{"derivation",
            "how its time comes about, with its values: \" = 3 steps × (24 MiB / 45 GB/s + 1 µs)\"",
            [](const Run& r) -> Result<FactValue> {
              const std::string words = derivation_of(r);
              return FactValue(words.empty() ? words : " = " + words);
            }},
    RunFact{"compute", "time that the simulated device computes",
            [](const Run& r) -> Result<FactValue> { return seconds(number(r, RunMetric::compute)); }},
    RunFact{"comm", "time during which transfers leave or reach it",
            [](const Run& r) -> Result<FactValue> { return seconds(number(r, RunMetric::communication)); }},
    RunFact{"exposed", "communication that no computation hides",
            [](const Run& r) -> Result<FactValue> { return seconds(number(r, RunMetric::exposed)); }},
    RunFact{"idle", "time in which it neither computes nor communicates",
            [](const Run& r) -> Result<FactValue> { return seconds(number(r, RunMetric::idle)); }},
    RunFact{"overlap", "share of communication that computation hides", overlap_of},
    RunFact{"latency", "α on the critical path", part_of<&CriticalPath::latency>},
    RunFact{"bandwidth", "β on the critical path", part_of<&CriticalPath::bandwidth>},
    RunFact{"price", "time to come from the experiment's own shardings and go back there",
            [](const Run& r) -> Result<FactValue> {
              return seconds(r.price ? to_seconds(r.price->total()) : 0);
            }},
    RunFact{"bound", "what most of the critical path is",
            [](const Run& r) -> Result<FactValue> { return FactValue(summarise(r.timeline).bound); }},
    RunFact{"bytes_sent", "that a device sends, mean",
            [](const Run& r) -> Result<FactValue> { return bytes(number(r, RunMetric::sent)); }},
    RunFact{"sent", "bytes that a device sends in words, also where devices differ", sent_words},
    RunFact{"repeats", "how often each part of the product is computed, on how many chips", repeats_of},
    RunFact{"alike", "whether all devices send as much",
            [](const Run& r) -> Result<FactValue> {
              const auto [least, most] =
                  std::ranges::minmax(r.timeline.totals, {}, &DeviceTotals::bytes_sent);
              return FactValue(least.bytes_sent == most.bytes_sent);
            }},
    RunFact{"elements_sent", "that a device sends, mean",
            [](const Run& r) -> Result<FactValue> {
              const auto width = static_cast<double>(bits(r.problem.dtype));
              return count_value(number(r, RunMetric::sent) * 8 / width);
            }},
    RunFact{"peak_bytes", "memory of the fullest device",
            [](const Run& r) -> Result<FactValue> { return bytes(number(r, RunMetric::peak)); }},
    RunFact{"flops", "of a device, mean",
            [](const Run& r) -> Result<FactValue> { return count_value(number(r, RunMetric::flops)); }},
    RunFact{"mxu", "share of the padded products that is real work",
            [](const Run& r) -> Result<FactValue> { return percent_value(r.timeline.mxu_utilisation); }},
    RunFact{"steps", "transfer steps of its collectives, one after the other",
            [](const Run& r) -> Result<FactValue> {
              int64_t steps = 0;
              for (const CollectiveSummary& c : r.timeline.collectives) steps += c.steps;
              return count_value(static_cast<double>(steps));
            }},
    RunFact{"collectives", "collectives that a device takes part in",
            [](const Run& r) { return count_instructions(r, OpClass::collective); }},
    RunFact{"products", "products that a device computes",
            [](const Run& r) { return count_instructions(r, OpClass::product); }},
    RunFact{"links", "links that carry something, each direction by itself", links_used},
    RunFact{"devices", "devices of its mesh",
            [](const Run& r) -> Result<FactValue> { return count_value(r.timeline.devices); }},
    RunFact{"strategy", "its strategy",
            [](const Run& r) -> Result<FactValue> { return FactValue(r.strategy); }},
    RunFact{"correct", "whether its numbers are right",
            [](const Run& r) { return checked(r, r.numerics.allclose); }, true},
    RunFact{"largest_error", "the most that an element is off",
            [](const Run& r) { return checked(r, count_value(r.numerics.max_abs)); }, true},
    RunFact{"worst_value", "the element that is off the most",
            [](const Run& r) { return checked(r, count_value(r.numerics.worst_value)); }, true},
    RunFact{"worst_reference", "what that element should be",
            [](const Run& r) { return checked(r, count_value(r.numerics.worst_reference)); }, true},
    RunFact{"decided_at", "the element that decides whether it passes",
            [](const Run& r) { return decided(r, index_words); }, true},
    RunFact{"decided_value", "that element of the result",
            [](const Run& r) {
              return decided(r, [](const ExactComparison& e) { return count_value(e.value); });
            },
            true},
    RunFact{"decided_reference", "that element of what it is compared with",
            [](const Run& r) {
              return decided(r, [](const ExactComparison& e) { return count_value(e.reference_value); });
            },
            true},
    RunFact{"decided_exact", "that element in f64",
            [](const Run& r) {
              return decided(r, [](const ExactComparison& e) { return count_value(e.exact_value); });
            },
            true},
    RunFact{"largest_partial", "the largest of its partial sums there, in f64, without its sign",
            [](const Run& r) { return of_sums(r, largest_partial); }, true},
    RunFact{"partial_spacing", "between neighbours of that sum in the type that keeps it",
            [](const Run& r) { return of_sums(r, widest_spacing); }, true},
    RunFact{"lost", "what rounding those sums loses, without its sign",
            [](const Run& r) {
              return of_sums(
                  r, [&](const SumInType& s) { return std::fabs(s.result - r.numerics.exact->exact_value); });
            },
            true},
    RunFact{"error_rms", "root mean square of the result's error against f64",
            [](const Run& r) {
              return decided(r, [](const ExactComparison& e) { return count_value(e.result.rms); });
            },
            true},
    RunFact{"reference_error_rms", "the same of what it is compared with",
            [](const Run& r) {
              return decided(r, [](const ExactComparison& e) { return count_value(e.reference.rms); });
            },
            true},
};

const RunFact* find_fact(std::string_view name) {
  const auto found = std::ranges::find_if(kRunFacts, [&](const RunFact& f) { return f.name == name; });
  return found == kRunFacts.end() ? nullptr : &*found;
}

}  // namespace

std::vector<FactRow> run_facts() {
  std::vector<FactRow> out;
  for (const RunFact& fact : kRunFacts) out.push_back({fact.name, fact.meaning});
  return out;
}

bool is_run_fact(std::string_view name) {
  return find_fact(name) != nullptr;
}

bool needs_numbers(std::string_view run_fact) {
  const RunFact* fact = find_fact(run_fact);
  return fact != nullptr && fact->numbers;
}

Result<FactValue> run_fact(std::string_view name, const Run& run) {
  const RunFact* fact = find_fact(name);
  if (fact == nullptr) return unknown_fact(name, "a run", run_facts());
  return fact->of(run);
}

Error unknown_fact(std::string_view name, std::string_view owner, const std::vector<FactRow>& known) {
  FactNames names;
  for (const FactRow& row : known) names.push_back(row.name);
  const auto near = nearest(name, names);
  return invalid(fmt::format("no value '{}' of {}", name, owner), "",
                 near ? fmt::format("did you mean {}?", *near) : "use " + join(names, ", "));
}

}  // namespace shardscope::inline lesson
