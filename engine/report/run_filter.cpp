// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline report {
namespace {

struct Unit {
  const char* text;
  ColumnKind quantity;
  double factor;
};
constexpr std::array kUnits{
    Unit{"ps", ColumnKind::seconds, 1e-12},
    Unit{"ns", ColumnKind::seconds, 1e-9},
    Unit{"us", ColumnKind::seconds, 1e-6},
    Unit{"µs", ColumnKind::seconds, 1e-6},
    Unit{"ms", ColumnKind::seconds, 1e-3},
    Unit{"s", ColumnKind::seconds, 1},
    Unit{"b", ColumnKind::bytes, 1},
    Unit{"kb", ColumnKind::bytes, 1e3},
    Unit{"mb", ColumnKind::bytes, 1e6},
    Unit{"gb", ColumnKind::bytes, 1e9},
    Unit{"kib", ColumnKind::bytes, 1024},
    Unit{"mib", ColumnKind::bytes, 1048576},
    Unit{"gib", ColumnKind::bytes, 1073741824},
    Unit{"%", ColumnKind::fraction, 0.01},
    Unit{"x", ColumnKind::ratio, 1},
    Unit{"×", ColumnKind::ratio, 1},
};

// Words with their places; a quote holds blanks together.
struct Word {
  std::string text;
  size_t at = 0;
};
Result<std::vector<Word>> words_of(const std::string& text) {
  std::vector<Word> out;
  for (size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    Word word{"", i};
    bool quoted = false;
    size_t quote = 0;
    for (; i < text.size() && (quoted || std::isspace(static_cast<unsigned char>(text[i])) == 0); ++i) {
      if (text[i] != '"') {
        word.text += text[i];
        continue;
      }
      quoted = !quoted;
      quote = i;
    }
    if (quoted)
      return invalid("the quote does not end", fmt::format("filter:{}", quote + 1), "close it with \"");
    out.push_back(std::move(word));
  }
  return out;
}

// What is compared how: the operator's place and length in a word; none in a plain one.
struct Operator {
  size_t at = 0, length = 0;
  char first = 0;
  bool or_equal = false;
};
std::optional<Operator> operator_of(const std::string& word) {
  const size_t at = word.find_first_of(":=<>");
  if (at == std::string::npos || at == 0) return std::nullopt;
  const bool or_equal = (word[at] == '<' || word[at] == '>') && at + 1 < word.size() && word[at + 1] == '=';
  return Operator{at, or_equal ? size_t{2} : size_t{1}, word[at], or_equal};
}

}  // namespace

// "100us" for a column in seconds.
Result<void> RunFilter::read_number(const std::string& text, const std::string& where, Term& term) {
  const RunColumn& column = run_columns()[*term.column];
  const size_t digits = std::min(text.find_first_not_of("0123456789.+-eE"), text.size());
  // "1e" of "1exbyte" is no number: the unit begins at its letter.
  size_t end = digits;
  std::optional<double> number;
  while (end > 0 && !(number = parse_double(text.substr(0, end)))) --end;
  if (!number)
    return invalid(fmt::format("'{}' is not a number, as {} is", text, column.id), where, "as in time<100us");
  const std::string unit = text.substr(end);
  double factor = 1;
  if (!unit.empty()) {
    const auto found = std::ranges::find_if(kUnits, [&](const Unit& u) { return unit == u.text; });
    const bool part = found != kUnits.end() && found->quantity == ColumnKind::fraction &&
                      column.quantity == ColumnKind::seconds;
    if (found == kUnits.end() || (found->quantity != column.quantity && !part)) {
      std::vector<std::string> fitting;
      for (const Unit& u : kUnits)
        if (u.quantity == column.quantity) fitting.emplace_back(u.text);
      return invalid(fmt::format("'{}' is not a unit of {}", unit, column.id), where,
                     fitting.empty() ? "it has none" : "units are " + join(fitting, ", "));
    }
    factor = found->factor;
    term.of_time = part;
  }
  term.number = *number * factor;
  return {};
}

Result<RunFilter::Term> RunFilter::read(const std::string& word, size_t at) {
  Term term;
  term.negated = word.size() > 1 && word[0] == '-';
  const std::string text = small_letters(term.negated ? word.substr(1) : word);
  const size_t start = at + (term.negated ? 1 : 0) + 1;  // characters count from 1
  const auto op = operator_of(text);
  if (!op) {
    term.text = text;
    return term;
  }
  const Result<size_t> column = find_run_column(text.substr(0, op->at));
  if (!column.ok()) return invalid(column.error().what, fmt::format("filter:{}", start), column.error().fix);
  term.column = *column;
  const RunColumn& found = run_columns()[*column];
  term.text = text.substr(op->at + op->length);
  const std::string where = fmt::format("filter:{}", start + op->at + op->length);
  if (term.text.empty())
    return invalid(fmt::format("there is nothing behind '{}'", text), where, "say what to look for");
  if (op->first == ':') return term;
  const bool text_column = found.quantity == ColumnKind::text;
  if (op->first != '=' && text_column)
    return invalid(fmt::format("{} is a text: it is not less or more", found.id), where,
                   fmt::format("say {}:{}", found.id, term.text));
  term.compare = op->first == '='   ? Compare::equal
                 : op->first == '<' ? (op->or_equal ? Compare::less_equal : Compare::less)
                                    : (op->or_equal ? Compare::greater_equal : Compare::greater);
  if (!text_column) {
    TRY_VOID(read_number(term.text, where, term));
  }
  return term;
}

Result<RunFilter> RunFilter::parse(const std::string& text) {
  TRY(const std::vector<Word> words, words_of(text));
  RunFilter out;
  for (const Word& word : words) {
    TRY(out.terms_.emplace_back(), read(word.text, word.at));
  }
  return out;
}

bool RunFilter::Term::holds(const ListedRun& run) const {
  const auto has = [&](const RunColumn& c) {
    return small_letters(c.text(run)).find(text) != std::string::npos;
  };
  if (!column) return std::ranges::any_of(run_columns(), has);
  const RunColumn& own = run_columns()[*column];
  if (compare == Compare::contains) return has(own);
  if (!number) {
    // One of several tags is the whole of one.
    const auto& tags = run.run.given.tags;
    if (std::string_view(own.id) == "tags")
      return std::ranges::any_of(tags, [&](const std::string& tag) { return small_letters(tag) == text; });
    return small_letters(own.text(run)) == text ||
           (std::string_view(own.id) == "strategy" && run.run.strategy == text);
  }
  const auto value = own.number(run);
  if (!value) return false;
  const double against = of_time ? *number * run.run.numbers.get(RunMetric::time) : *number;
  const double slack = 1e-9 * std::abs(against);  // "0.09ms" is not the nearest double to 90 µs
  switch (compare) {
    case Compare::less:
      return *value < against - slack;
    case Compare::less_equal:
      return *value <= against + slack;
    case Compare::greater:
      return *value > against + slack;
    case Compare::greater_equal:
      return *value >= against - slack;
    default:
      return std::abs(*value - against) <= slack || small_letters(own.text(run)) == text;
  }
}

bool RunFilter::matches(const ListedRun& run) const {
  return std::ranges::all_of(terms_, [&](const Term& term) { return term.holds(run) != term.negated; });
}

std::set<size_t> matching(const RunFilter& filter, std::span<const RunSummary> runs,
                          const std::vector<Rank>& ranks) {
  std::set<size_t> out;
  for (size_t i = 0; i < runs.size(); ++i)
    if (filter.matches({runs[i], ranks[i]})) out.insert(i);
  return out;
}

}  // namespace shardscope::inline report
