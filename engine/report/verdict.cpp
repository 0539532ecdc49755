// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verdict.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/run_scope.h"
#include "engine/request/check_kind.h"

namespace shardscope::inline report {
namespace {

constexpr size_t kNamedBehind = 4;  // of those behind the second of many
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
    if (term == Term::idle)  // before what, which is no operation's own time
      return fmt::format("{} {} instead of {}", format_picoseconds(o.first), o.what,
                         format_picoseconds(o.second));
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

// As the difference has it: with the price or without.
Picoseconds with_resharding(const Breakdown& b) {
  return b.total + b.price;
}

using Rivals = std::vector<RunPtr>;  // of one problem, the best first

Picoseconds with_resharding(const Run& run) {
  return run.timeline.total + (run.price ? run.price->total() : 0);
}

double ratio(Picoseconds time, Picoseconds least) {
  return least > 0 ? static_cast<double>(time) / static_cast<double>(least) : 1;
}

bool ties(const Run& run, const Run& best) {
  return ratio(with_resharding(run), with_resharding(best)) < kTie;
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

// "A beats B by 15.6 µs: …", with resharding "by 15.6 µs in all, 103 µs against 119 µs: …"; "A ties with B at
// 113 µs."
std::string against(const Rivals& rivals, const Difference& d) {
  const Run &first = *rivals[0], &second = *rivals[1];
  const std::string why = difference_words(d, first, second), reasons = why.empty() ? "" : ": " + why;
  const std::string a = named_among(first, rivals), b = named_among(second, rivals);
  if (!ties(second, first)) {
    const bool priced = d.first.price > 0 || d.second.price > 0;
    const std::string in_all =
        priced ? fmt::format(" in all, {} against {}", format_picoseconds(with_resharding(d.first)),
                             format_picoseconds(with_resharding(d.second)))
               : "";
    return fmt::format("{} beats {} by {}{}{}.", a, b, format_picoseconds(-d.priced()), in_all, reasons);
  }
  const std::string apart =
      d.priced() == 0 ? "" : fmt::format(", {} apart", format_picoseconds(std::abs(d.priced())));
  return fmt::format("{} ties with {} at {}{}{}.", a, b, format_picoseconds(with_resharding(d.first)), apart,
                     reasons);
}

// All behind the second: "C ties too, then follow D (+20.1 µs) and 36 more, up to 8.01×."
std::string behind(const Rivals& rivals, Judged judged) {
  std::vector<std::string> tied, follow;
  size_t more = 0;
  for (size_t i = 2; i < rivals.size(); ++i) {
    const std::string name = named_among(*rivals[i], rivals);
    if (judged == Judged::ranked && i >= 2 + kNamedBehind) {
      ++more;
    } else if (ties(*rivals[i], *rivals[0])) {
      tied.push_back(name);
    } else {
      follow.push_back(fmt::format(
          "{} (+{})", name, format_picoseconds(with_resharding(*rivals[i]) - with_resharding(*rivals[0]))));
    }
  }
  std::string out;
  if (!tied.empty()) out += fmt::format(" {} {} too.", listed(tied), tied.size() == 1 ? "ties" : "tie");
  const size_t following = follow.size() + more;
  if (more > 0)
    follow.push_back(
        fmt::format("{} more, up to {}", more,
                    format_ratio(ratio(with_resharding(*rivals.back()), with_resharding(*rivals[0])))));
  if (!follow.empty())
    out += fmt::format(" Then {} {}.", following == 1 ? "follows" : "follow", listed(follow));
  return out;
}

// Who takes less time than the first, but has to come from and go to other shardings.
std::string without_resharding(const Rivals& rivals) {
  const Run& first = *rivals[0];
  const RunPtr& least =
      *std::ranges::min_element(rivals, {}, [](const RunPtr& run) { return run->timeline.total; });
  if (ratio(first.timeline.total, least->timeline.total) < kTie || !least->price) return "";
  return fmt::format(" Without resharding {} would be first, {} against {}; {} takes it {}.",
                     named_among(*least, rivals), format_picoseconds(least->timeline.total),
                     format_picoseconds(first.timeline.total), least->price->words(),
                     format_picoseconds(least->price->total()));
}

std::string about(const Rivals& rivals, Judged judged) {
  if (rivals.size() == 1) return alone(*rivals[0]);
  std::string out = against(rivals, difference_of(*rivals[0], *rivals[1]));
  // The second may start or end otherwise: then the next that does not is named with its reasons too.
  const auto alike = std::find_if(rivals.begin() + 1, rivals.end(), [&](const RunPtr& run) {
    return group_key(*run) == group_key(*rivals[0]);
  });
  if (alike != rivals.end() && *alike != rivals[1] && !ties(**alike, *rivals[0])) {
    const Rivals both{rivals[0], *alike};
    out +=
        " Of those that start and end alike it is first: " + against(both, difference_of(*both[0], *both[1]));
  }
  return out + behind(rivals, judged) + without_resharding(rivals);
}

int64_t count(const std::vector<RunPtr>& runs, auto matches) {
  return std::ranges::count_if(runs, [&](const RunPtr& run) { return matches(*run); });
}

// What is to be said of the runs beside their times.
std::string cautions(const Run& best, const std::vector<RunPtr>& runs) {
  std::string text;
  if (!fits_hbm(best).value_or(true))
    text += " " + say("It does not fit the memory of {}.", best.hardware.name);
  const std::string all = counted(runs.size(), "run");
  const auto add = [&text](int64_t some, const std::string& sentence) {
    if (some > 0) text += " " + sentence;
  };
  const auto wrong = [](const Run& run) { return run.numerics.checked && !run.numerics.allclose; };
  const auto by_f64 = [](const Run& run) {
    return run.numerics.reference == kF64Reference || run.numerics.reference == kQuickProduct;
  };
  const int64_t large = count(runs, [](const Run& run) { return !fits_hbm(run).value_or(true); });
  add(large, say_count("{} of {} does not fit.", "{} of {} do not fit.", large, all));
  const int64_t other = count(runs, [&](const Run& run) { return wrong(run) && !by_f64(run); });
  add(other, say_count("{} of {} differs from the reference strategy.",
                       "{} of {} differ from the reference strategy.", other, all));
  const int64_t broken = count(runs, [&](const Run& run) { return wrong(run) && by_f64(run); });
  add(broken, say_count("{} of {} has wrong numbers.", "{} of {} have wrong numbers.", broken, all));
  return text;
}

// By problem, that of the first of the ranking first. Where a comparison has not two that are ranked, all by
// time.
std::vector<Rivals> by_problem(const std::vector<RankedRun>& ranking, Judged judged) {
  std::vector<Rivals> out;
  std::map<size_t, size_t> at;  // by the problem's best
  for (const RankedRun& r : ranking) {
    if (!r.ranked) continue;
    const auto [place, is_new] = at.try_emplace(*r.best, out.size());
    if (is_new) out.emplace_back();
    out[place->second].push_back(r.run);
  }
  const bool rivals = std::ranges::any_of(out, [](const Rivals& of) { return of.size() > 1; });
  const size_t ranked = static_cast<size_t>(std::ranges::count_if(ranking, &RankedRun::ranked));
  if (judged == Judged::ranked || rivals || ranked == ranking.size()) return out;
  Rivals all;
  for (const RankedRun& r : ranking) all.push_back(r.run);
  std::ranges::stable_sort(all, {}, [](const RunPtr& run) { return with_resharding(*run); });
  return {all};
}

// Of a comparison those that nobody is ranked beside.
std::string not_ranked(const std::vector<RankedRun>& ranking, const std::vector<Rivals>& problems) {
  std::vector<std::string> parts;
  for (const RankedRun& r : ranking) {
    const bool said = std::ranges::any_of(
        problems, [&](const Rivals& of) { return std::ranges::find(of, r.run) != of.end(); });
    if (!said)
      parts.push_back(fmt::format("{} ({}, {})", named(*r.run), name(r.run->kind),
                                  format_picoseconds(r.run->timeline.total)));
  }
  return parts.empty() ? "" : fmt::format(" Not ranked: {}.", listed(parts));
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

Verdict judge(const std::vector<RunPtr>& runs, Judged judged) {
  const std::vector<RankedRun> ranking = rank(runs);
  const std::vector<Rivals> problems = by_problem(ranking, judged);
  Verdict out;
  if (problems.empty()) {
    out.text = "no ranked run";
    return out;
  }
  const Rivals& first = problems.front();
  out.winner = first[0];
  if (first.size() > 1) {
    out.other = first[1];
    out.difference = difference_of(*out.winner, *out.other);
  }
  std::vector<RunPtr> all;
  for (const Rivals& rivals : problems) all.insert(all.end(), rivals.begin(), rivals.end());
  out.text = differ_in(all);
  for (size_t p = 0; p < problems.size() && (p <= kNamedBehind || judged == Judged::each); ++p)
    out.text += (p == 0 ? "" : " ") + about(problems[p], judged);
  if (judged == Judged::each) out.text += not_ranked(ranking, problems);
  out.text += cautions(*out.winner, runs);
  return out;
}

std::string verdict(const std::vector<RunPtr>& runs) {
  return judge(runs).text;
}

}  // namespace shardscope::inline report
