// SPDX-License-Identifier: Apache-2.0
// What nccl-tests (and rccl-tests) print: a line a size, out of place and in place.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <istream>
#include <set>
#include <sstream>

#include "engine/base/text.h"
#include "engine/measure/import/event_words.h"
#include "engine/measure/import/reader.h"

namespace shardscope::inline measure {
namespace {

struct Sizes {
  int64_t bytes = 0, count = 0;
  std::string type, operation;  // "float", "sum" or "none"
};
struct Time {
  double us = 0, algorithm = 0, bus = 0;  // GB/s
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word && out.size() < 32;) out.push_back(word);
  return out;
}

// size count type redop root, then time algbw busbw wrong twice. Older ones print no root or no redop.
std::optional<Sizes> sizes_of(const std::vector<std::string>& words) {
  if (words.size() < 7) return std::nullopt;
  const auto bytes = parse_int(words[0]), count = parse_int(words[1]);
  const std::string type = element_type_name(words[2]);
  if (!bytes || !count || *bytes < 0 || *count < 0 || type.empty()) return std::nullopt;
  return Sizes{*bytes, *count, type, parse_double(words[3]) ? std::string() : words[3]};
}

std::optional<Time> time_at(const std::vector<std::string>& words, size_t place) {
  if (place + 2 >= words.size()) return std::nullopt;
  const auto us = parse_double(words[place]), algorithm = parse_double(words[place + 1]),
             bus = parse_double(words[place + 2]);
  if (!us || !algorithm || !bus || !(*us > 0 && *us < 1e12) || !std::isfinite(*algorithm) ||
      !std::isfinite(*bus))
    return std::nullopt;
  return Time{*us, *algorithm, *bus};
}

// Of a printed bandwidth two decimals are known: only where they are much of it a ratio says which operation
// it was.
std::string opcode_by_ratio(const Sizes& sizes, const Time& time, int64_t ranks) {
  if (ranks < 2 || time.algorithm < 1 || time.bus <= 0) return "";
  const double ratio = time.bus / time.algorithm, n = static_cast<double>(ranks);
  const auto near = [&](double expected) { return std::abs(ratio / expected - 1) < 0.02; };
  const bool sums = !sizes.operation.empty() && sizes.operation != "none";
  if (sums && near(2 * (n - 1) / n) && ranks > 2) return "all-reduce";
  if (sums && near((n - 1) / n) && ranks > 2) return "reduce-scatter";
  return "";  // gathers and exchanges print alike
}

// Launchers put a time, a host or a rank in front of each line: "…<stdout>:", "[1,0]<stdout>:", "host:",
// "3:".
std::string_view without_stream(std::string_view line) {
  for (const std::string_view mark : {"<stdout>:", "<stderr>:"})
    if (const size_t at = line.find(mark); at != std::string_view::npos) return line.substr(at + mark.size());
  return line;
}

// The words of a line of results from its first number on; empty: it is none.
std::vector<std::string> results_in(const std::string& line) {
  constexpr size_t kMostInFront = 12;
  const std::vector<std::string> words = words_of(line);
  for (size_t first = 0; first < std::min(words.size(), kMostInFront); ++first) {
    std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
    if (sizes_of(rest)) return rest;
  }
  return {};
}

class NcclTests {
 public:
  NcclTests(std::string path, Importing& into) : path_(std::move(path)), into_(into) {}

  Result<void> line(const std::string& given) {
    const std::string text(without_stream(given));
    if (const std::string named = test_named(text); !named.empty()) opcode_ = named;
    if (const size_t comment = text.find('#'); comment != std::string::npos) {
      rank(text.substr(comment));
      return {};
    }
    const std::vector<std::string> words = results_in(text);
    const auto sizes = sizes_of(words);
    if (!sizes) return {};
    const auto first = first_time(words);
    for (const bool in_place : {false, true}) {
      const size_t place = first.value_or(words.size()) + (in_place ? 4 : 0);
      if (const auto time = time_at(words, place)) TRY_VOID(take(*sizes, *time, in_place));
    }
    return {};
  }
  Result<void> finish() {
    if (lines_ == 0)
      return invalid("the output of nccl-tests holds no line of results", path_, "give all of it");
    const int64_t ranks = std::min<int64_t>(std::ssize(ranks_), TraceBuilder::kMostNames);
    if (ranks == 0) into_.builder.note(fmt::format("{} does not say how many ranks took part", path_));
    for (int64_t rank = 0; rank < ranks; ++rank) {  // those of another file are the same ones
      TRY_VOID(into_.builder.device(fmt::format("rank {}", rank)));
    }
    for (auto& [facts, time] : points_) {
      facts.group = static_cast<int32_t>(ranks);
      TRY_VOID(into_.builder.add_point(facts, time));
    }
    return {};
  }

 private:
  // "#  Rank  3 Group  0 Pid …": the third word.
  void rank(const std::string& text) {
    if (text.find("Rank") == std::string::npos || text.find(" device ") == std::string::npos) return;
    const std::vector<std::string> words = words_of(text);
    const auto at = std::ranges::find(words, std::string("Rank"));
    if (at != words.end() && at + 1 != words.end() && ranks_.size() < TraceBuilder::kMostNames)
      ranks_.insert(*(at + 1));
  }
  // "all_reduce_perf" in a header line, a command or "Collective test starting: …".
  static std::string test_named(const std::string& text) {
    const size_t end = text.find("_perf");
    if (end == std::string::npos) return "";
    size_t begin = end;
    while (begin > 0 &&
           (std::isalpha(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_'))
      --begin;
    return collective_opcode(text.substr(begin, end - begin));
  }
  // Lines end in one or two groups of time, two bandwidths and errors; what stands between them and the type
  // differs by version and test.
  static std::optional<size_t> first_time(const std::vector<std::string>& words) {
    if (words.size() >= 11 && words.size() <= 13) return words.size() - 8;
    if (words.size() >= 7 && words.size() <= 9) return words.size() - 4;
    return std::nullopt;
  }
  Result<void> take(const Sizes& sizes, const Time& time, bool in_place) {
    if (points_.size() >= TraceBuilder::kMostOperations)
      return too_big("the output has too many lines", path_);
    ++lines_;
    MeasuredOperation facts;
    facts.kind = MeasuredKind::collective;
    facts.opcode = opcode_.empty() ? opcode_by_ratio(sizes, time, std::ssize(ranks_)) : opcode_;
    facts.matched = !facts.opcode.empty();
    facts.op = (facts.matched ? facts.opcode : std::string("a collective of nccl-tests")) +
               (in_place ? ", in place" : ", out of place");
    facts.dtype = sizes.type;
    facts.bytes = sizes.bytes;
    facts.shapes = fmt::format("{}[{}]", sizes.type, sizes.count);
    points_.emplace_back(facts, to_picoseconds(time.us * 1e-6));
    return {};
  }

  std::string path_;
  Importing& into_;
  std::string opcode_;           // as the output names its test
  std::set<std::string> ranks_;  // by number: each process may list all of them
  int64_t lines_ = 0;
  std::vector<std::pair<MeasuredOperation, Picoseconds>> points_;
};

}  // namespace

Result<void> read_nccl_tests(const std::string& path, Importing& into) {
  into.format = "nccl-tests";
  TRY(const auto source, ByteSource::open(path, into.context));
  SourceBuffer buffer(*source);
  std::istream stream(&buffer);
  NcclTests tests(path, into);
  for (std::string text; std::getline(stream, text);) {
    buffer.mark();
    TRY_VOID(tests.line(text));
  }
  if (buffer.error()) return *buffer.error();
  return tests.finish();
}

}  // namespace shardscope::inline measure
