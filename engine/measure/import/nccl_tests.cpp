// SPDX-License-Identifier: Apache-2.0
// What nccl-tests (and rccl-tests) print: a line a size, out of place and in place.
#include <algorithm>
#include <istream>
#include <sstream>

#include "engine/base/text.h"
#include "engine/measure/import/event_words.h"
#include "engine/measure/import/nccl_points.h"

namespace shardscope::inline measure {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word && out.size() < 32;) out.push_back(word);
  return out;
}

// size count type redop root, then time algbw busbw wrong twice. Older ones print no root or no redop.
std::optional<NcclSizes> sizes_of(const std::vector<std::string>& words) {
  if (words.size() < 7) return std::nullopt;
  const auto bytes = parse_int(words[0]), count = parse_int(words[1]);
  const std::string type = element_type_name(words[2]);
  if (!bytes || !count || *bytes < 0 || *count < 0 || type.empty()) return std::nullopt;
  return NcclSizes{*bytes, *count, type, parse_double(words[3]) ? std::string() : words[3]};
}

std::optional<NcclMeasured> time_at(const std::vector<std::string>& words, size_t place) {
  if (place + 2 >= words.size()) return std::nullopt;
  return nccl_time(parse_double(words[place]), parse_double(words[place + 1]),
                   parse_double(words[place + 2]));
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

class NcclText {
 public:
  explicit NcclText(NcclPoints& points) : points_(points) {}

  Result<void> line(const std::string& given) {
    const std::string text(without_stream(given));
    points_.find_test(text);
    if (const size_t comment = text.find('#'); comment != std::string::npos) {
      if (text.find("cputime", comment) != std::string::npos) return points_.of_cpu();
      rank(text.substr(comment));
      return {};
    }
    const std::vector<std::string> words = results_in(text);
    if (words.empty()) rank(text);  // where whoever kept the output took its marks away
    const auto sizes = sizes_of(words);
    if (!sizes) return {};
    const auto columns = columns_of(words);
    for (const bool in_place : {false, true}) {
      const size_t place = columns.first + (in_place ? columns.group : 0);
      const auto time = time_at(words, place);
      if (!time) continue;
      TRY_VOID(points_.add(*sizes, *time, in_place));
      if (place + 3 < words.size()) points_.count_wrong(parse_double(words[place + 3]).value_or(0));
    }
    return {};
  }

 private:
  // "#  Rank  3 Group  0 Pid  12 on  worker-1 device  3 [0x99] NVIDIA H100 80GB HBM3".
  void rank(const std::string& text) {
    if (text.find("Rank") == std::string::npos || text.find(" device ") == std::string::npos) return;
    const std::vector<std::string> words = words_of(text);
    const auto at = std::ranges::find(words, std::string("Rank"));
    if (at == words.end() || at + 1 == words.end()) return;
    const auto on = std::find(at, words.end(), std::string("on"));
    const bool says_host = std::distance(on, words.end()) > 2 && *(on + 2) == "device";
    points_.add_rank(*(at + 1), says_host ? *(on + 1) : "");
    if (const size_t bus = text.find("] "); bus != std::string::npos)
      points_.name_chip(std::string(trim(std::string_view(text).substr(bus + 2))));
  }
  // Where the first group of times stands, and how long it is. Lines end in one or two groups of time, two
  // bandwidths and errors, with -I also four of the iterations, and may have a date and a time of day behind
  // them. What stands between groups and type, two words at most, differs by version and test.
  struct Columns {
    size_t first = 0, group = 4;
  };
  static Columns columns_of(const std::vector<std::string>& words) {
    constexpr size_t kFewestInFront = 3, kMostInFront = 5;  // words
    const bool dated = words.size() > 2 && holds(words.back(), ":");
    const size_t end = words.size() - (dated ? 2 : 0);
    for (const auto& [groups, group] : {std::pair<size_t, size_t>{1, 4}, {2, 4}, {2, 8}})
      if (const size_t all = groups * group; end >= all + kFewestInFront && end <= all + kMostInFront)
        return {end - all, group};
    return {words.size(), 0};
  }

  NcclPoints& points_;
};

}  // namespace

Result<void> read_nccl_tests(const std::string& path, Importing& into) {
  into.format = "nccl-tests";
  TRY(const auto source, ByteSource::open(path, into.context));
  SourceBuffer buffer(*source);
  std::istream stream(&buffer);
  NcclPoints points(path, into);
  NcclText tests(points);
  for (std::string text; std::getline(stream, text);) {
    buffer.mark();
    TRY_VOID(tests.line(text));
  }
  if (buffer.error()) return *buffer.error();
  return points.finish();
}

}  // namespace shardscope::inline measure
