// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verdict.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/request/check_kind.h"

namespace shardscope {
namespace {

constexpr double kTie = 1.005;      // below this a ratio prints as 1.00×
constexpr Picoseconds kNamed = 12;  // a term is named that is at least a twelfth of the largest

// A part of a difference and what is behind it.
struct Reason {
  Picoseconds difference = 0;
  std::string term;     // "compute"
  std::string because;  // "8 products of 2048×128 instead of 16 of 2048×64"; may be empty
};

std::vector<OperationTime> operations_of(const Breakdown& b, Term term) {
  std::vector<OperationTime> out;
  std::ranges::copy_if(b.operations, std::back_inserter(out),
                       [&](const OperationTime& o) { return o.term == term; });
  return out;
}

// All products of a run, if they have one size.
std::optional<OperationTime> only_product(const Breakdown& b) {
  std::optional<OperationTime> out;
  for (const OperationTime& o : b.operations) {
    if (o.m == 0) continue;
    if (out) return std::nullopt;
    out = o;
  }
  return out;
}

std::string product_words(const OperationTime& o, bool with_k, const char* noun) {
  return fmt::format("{} {}of {}×{}{}", o.count, noun, o.m, o.n,
                     with_k ? fmt::format(" over k={}", o.k) : "");
}

// The operation that differs most the way the term does.
std::string largest_change(const Difference& d, Term term) {
  const bool more = d.term(term) > 0;
  for (const OperationDifference& o : d.operations) {
    if (o.term != term || o.difference() == 0 || (o.difference() > 0) != more) continue;
    if (o.second == 0) return fmt::format("{} takes {}", o.what, format_picoseconds(o.first));
    if (o.first == 0) return fmt::format("no {}, {} there", o.what, format_picoseconds(o.second));
    return fmt::format("{} takes {} instead of {}", o.what, format_picoseconds(o.first),
                       format_picoseconds(o.second));
  }
  return "";
}

std::string compute_words(const Difference& d) {
  const auto ours = only_product(d.first), theirs = only_product(d.second);
  if (!ours || !theirs) return largest_change(d, Term::compute);
  const bool same = std::tie(ours->m, ours->k, ours->n, ours->count) ==
                    std::tie(theirs->m, theirs->k, theirs->n, theirs->count);
  // The same products, or products that speak the other way: something else makes the difference.
  if (same || (ours->time > theirs->time) != (d.term(Term::compute) > 0))
    return largest_change(d, Term::compute);
  const bool with_k = ours->k != theirs->k;
  return product_words(*ours, with_k, ours->count == 1 ? "product " : "products ") + " instead of " +
         product_words(*theirs, with_k, "");
}

// "34.5 µs, most of it reduce-scatter over col".
std::string exposed_share(const Breakdown& b) {
  const std::vector<OperationTime> operations = operations_of(b, Term::exposed);
  const Picoseconds all = b.terms[static_cast<size_t>(Term::exposed)];
  if (all == 0) return "nothing";
  if (operations.empty()) return format_picoseconds(all);
  const char* share = operations.size() == 1               ? "all of it"
                      : 2 * operations.front().time >= all ? "most of it"
                                                           : "the largest part";
  return fmt::format("{}, {} {}", format_picoseconds(all), share, operations.front().what);
}

std::string price_words(const Run& first, const Run& second) {
  const auto words = [](const Run& run) {
    const std::string said = run.price ? run.price->words() : "";
    return said.empty() ? std::string("nothing moves") : said;
  };
  return fmt::format("{}; {}: {}", words(first), second.strategy, words(second));
}

std::string because(const Difference& d, Term term) {
  switch (term) {
    case Term::compute:
      return compute_words(d);
    case Term::exposed:
      return exposed_share(d.first) + ", instead of " + exposed_share(d.second);
    case Term::idle:
      return largest_change(d, Term::idle);
  }
  return "";
}

// Those that make most of the difference: in favour of the first run first, then by size.
std::vector<Reason> reasons(const Difference& d, const Run& first, const Run& second) {
  std::vector<Reason> out;
  for (const Term term : kTerms) out.push_back({d.term(term), name(term), because(d, term)});
  out.push_back({d.price(), "resharding", price_words(first, second)});
  Picoseconds most = 0;
  for (const Reason& r : out) most = std::max(most, std::abs(r.difference));
  std::erase_if(out,
                [&](const Reason& r) { return r.difference == 0 || std::abs(r.difference) < most / kNamed; });
  std::ranges::stable_sort(out, [](const Reason& a, const Reason& b) { return a.difference < b.difference; });
  const auto against = std::ranges::find_if(out, [](const Reason& r) { return r.difference > 0; });
  std::reverse(against, out.end());
  return out;
}

std::string named(const Run& run) {
  if (!run.module) return heading_of(run);
  return run.id ? fmt::format("{} (run {})", heading_label(run), *run.id) : heading_label(run);
}

// As the difference has it: with the price or without.
Picoseconds counted(const Breakdown& b) {
  return b.total + b.price;
}

// Two runs of one name by their numbers too.
std::string named_beside(const Run& run, const Run& other) {
  const std::string name = named(run);
  return name == named(other) && run.id && !run.module ? fmt::format("{} (run {})", name, *run.id) : name;
}

std::string priced_words(const Run& run) {
  std::string time = format_picoseconds(run.timeline.total);
  if (!run.price || run.price->legs.empty()) return time;
  return fmt::format("{} and {} to {}", time, format_picoseconds(run.price->total()), run.price->words());
}

// "wang.os takes 166 µs: 89.3 µs exposed, most of it …, 76.8 µs compute, 0 s idle; bound by bandwidth."
std::string alone(const Run& run) {
  const Breakdown b = breakdown_of(run);
  std::vector<std::pair<Picoseconds, std::string>> terms;
  for (const Term term : kTerms) {
    const Picoseconds time = b.terms[static_cast<size_t>(term)];
    std::string words = fmt::format("{} {}", format_picoseconds(time), name(term));
    const auto operations = operations_of(b, term);
    if (operations.size() > 1 && term != Term::idle)
      words += fmt::format(" (most in {})", operations.front().what);
    if (operations.size() == 1 && term != Term::idle) words += fmt::format(" ({})", operations.front().what);
    if (time > 0) terms.emplace_back(time, std::move(words));
  }
  std::ranges::stable_sort(terms, std::ranges::greater(), &std::pair<Picoseconds, std::string>::first);
  std::vector<std::string> parts;
  for (const auto& [time, words] : terms) parts.push_back(words);
  const std::string bound = summarise(run.timeline).bound;
  return fmt::format("{} takes {}{}{}{}.", named(run), priced_words(run), parts.empty() ? "" : ": ",
                     join(parts, ", "), bound.empty() ? "" : "; bound by " + bound);
}

// "A beats B by 15.6 µs: …", "A ties with B at 113 µs."
std::string against(const Run& first, const Run& second, const Difference& d) {
  const Picoseconds best = counted(d.first);
  const double ratio = best > 0 ? static_cast<double>(counted(d.second)) / static_cast<double>(best) : 1;
  const std::string why = difference_words(d, first, second);
  if (ratio >= kTie || d.priced() > 0)
    return fmt::format("{} beats {} by {}{}{}.", named_beside(first, second), named_beside(second, first),
                       format_picoseconds(-d.priced()), why.empty() ? "" : ": ", why);
  const std::string apart =
      d.priced() == 0 ? "" : fmt::format(", {} apart", format_picoseconds(std::abs(d.priced())));
  return fmt::format("{} ties with {} at {}{}{}{}.", named_beside(first, second), named_beside(second, first),
                     format_picoseconds(best), apart, why.empty() ? "" : ": ", why);
}

int64_t count(const std::vector<RunPtr>& runs, auto matches) {
  return std::ranges::count_if(runs, [&](const RunPtr& run) { return matches(*run); });
}

// What is to be said of the runs beside their times.
std::string cautions(const Run& best, const std::vector<RunPtr>& runs) {
  std::string text;
  if (!fits_hbm(best).value_or(true))
    text += fmt::format(" It does not fit the memory of {}.", best.hardware.name);
  const auto told = [&](int64_t some, const char* what) {
    if (some > 0) text += fmt::format(" {} of {} runs {}.", some, runs.size(), what);
  };
  const auto wrong = [](const Run& run) { return run.numerics.checked && !run.numerics.allclose; };
  const auto by_f64 = [](const Run& run) {
    return run.numerics.reference == kF64Reference || run.numerics.reference == kQuickProduct;
  };
  told(count(runs, [](const Run& run) { return !fits_hbm(run).value_or(true); }), "do not fit");
  told(count(runs, [&](const Run& run) { return wrong(run) && !by_f64(run); }),
       "differ from the reference strategy");
  told(count(runs, [&](const Run& run) { return wrong(run) && by_f64(run); }), "have wrong numbers");
  return text;
}

// The next of the ranking after the first for which `wanted` holds.
RunPtr next_of(const std::vector<RankedRun>& ranking, auto wanted) {
  const auto found = std::find_if(ranking.begin() + 1, ranking.end(), [&](const RankedRun& r) {
    return r.ranked && r.best == ranking.front().place && wanted(r);
  });
  return found == ranking.end() ? nullptr : found->run;
}

}  // namespace

std::string difference_words(const Difference& difference, const Run& first, const Run& second) {
  std::string out;
  bool for_it = true;
  for (const Reason& r : reasons(difference, first, second)) {
    const bool against_it = r.difference > 0;
    if (!out.empty()) out += against_it && for_it ? ", though " : ", ";
    for_it = !against_it;
    out += fmt::format("{} {} {}", format_picoseconds(std::abs(r.difference)), against_it ? "more" : "less",
                       r.term);
    if (!r.because.empty()) out += " (" + r.because + ")";
  }
  return out;
}

Verdict judge(const std::vector<RunPtr>& runs) {
  const std::vector<RankedRun> ranking = rank(runs);
  Verdict out;
  if (ranking.empty() || !ranking.front().ranked) {
    out.text = "no ranked run";
    return out;
  }
  const RankedRun& best = ranking.front();
  out.winner = best.run;
  out.other = next_of(ranking, [](const RankedRun&) { return true; });
  if (out.other == nullptr) {
    out.text = alone(*best.run) + cautions(*best.run, runs);
    return out;
  }
  out.difference = difference_of(*best.run, *out.other);
  out.text = against(*best.run, *out.other, *out.difference);
  const RunPtr alike = next_of(ranking, [&](const RankedRun& r) { return r.group == best.group; });
  if (alike != nullptr && alike != out.other)
    out.text += " Of those that start and end alike it is first: " +
                against(*best.run, *alike, difference_of(*best.run, *alike));
  out.text += cautions(*best.run, runs);
  return out;
}

std::string against_the_first(const std::vector<RunPtr>& runs) {
  std::vector<RunPtr> others(runs.begin() + 1, runs.end());
  const RunPtr fastest =
      *std::ranges::min_element(others, {}, [](const RunPtr& run) { return run->timeline.total; });
  const bool first_wins = runs.front()->timeline.total <= fastest->timeline.total;
  const Run& winner = first_wins ? *runs.front() : *fastest;
  const Run& other = first_wins ? *fastest : *runs.front();
  Difference d = difference_of(winner, other);
  d.first.price = d.second.price = 0;
  return against(winner, other, d);
}

std::string verdict(const std::vector<RunPtr>& runs) {
  return judge(runs).text;
}

}  // namespace shardscope
