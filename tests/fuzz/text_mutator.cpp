// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/text_mutator.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace shardscope {
namespace {

struct Span {
  size_t begin = 0, end = 0;
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '%' || c == '@' || c == '#';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Stretches of characters that `belongs` takes.
std::vector<Span> runs(std::string_view text, bool (*belongs)(char)) {
  std::vector<Span> out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!belongs(text[at])) continue;
    const size_t begin = at;
    while (at < text.size() && belongs(text[at])) ++at;
    out.push_back({begin, at});
  }
  return out;
}

// Each line with its end.
std::vector<Span> lines(std::string_view text) {
  std::vector<Span> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out.push_back({at, end});
    at = end;
  }
  return out;
}

// Brackets with what they hold; those that do not fit end nothing.
std::vector<Span> groups(std::string_view text) {
  std::vector<Span> out;
  std::vector<std::pair<char, size_t>> open;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t kind = std::string_view("([{<").find(text[at]);
    if (kind != std::string_view::npos) open.emplace_back(")]}>"[kind], at);
    if (open.empty() || text[at] != open.back().first || (text[at] == '>' && text[at - 1] == '-')) continue;
    out.push_back({open.back().second, at + 1});
    open.pop_back();
  }
  return out;
}

// What stands between the commas of a bracket.
std::vector<Span> items(std::string_view text, Span group) {
  std::vector<Span> out;
  int depth = 0;
  size_t begin = group.begin + 1;
  for (size_t at = begin; at < group.end; ++at) {
    const bool last = at + 1 == group.end;
    if ((text[at] == ',' && depth == 0) || last) {
      out.push_back({begin, at});
      begin = at + 1;
    }
    depth += std::string_view("([{<").find(text[at]) != std::string_view::npos ? 1 : 0;
    depth -= std::string_view(")]}>").find(text[at]) != std::string_view::npos ? 1 : 0;
  }
  return out;
}

class Mutation {
 public:
  Mutation(std::string text, unsigned seed, std::span<const std::string_view> words)
      : text_(std::move(text)), random_(seed), words_(words) {}

  std::string run() {
    constexpr void (Mutation::*kKinds[])() = {&Mutation::line,   &Mutation::group, &Mutation::item,
                                              &Mutation::number, &Mutation::word,  &Mutation::word,
                                              &Mutation::piece,  &Mutation::nest};
    for (size_t k = 1 + below(3); k > 0; --k) (this->*kKinds[below(std::size(kKinds))])();
    return std::move(text_);
  }
  void line() { change(lines(text_)); }
  // A bracket becomes another of its kind, or empty.
  void group() {
    const std::vector<Span> all = groups(text_);
    if (all.empty()) return;
    const Span at = pick(all);
    std::vector<Span> same;
    for (const Span& s : all)
      if (text_[s.begin] == text_[at.begin]) same.push_back(s);
    if (below(6) == 0) return replace({at.begin + 1, at.end - 1}, "");
    replace(at, copy(pick(same)));
  }
  void item() {
    const std::vector<Span> all = groups(text_);
    if (!all.empty()) change(items(text_, pick(all)));
  }
  void number() {
    constexpr std::string_view kNumbers[] = {"0",
                                             "1",
                                             "2",
                                             "3",
                                             "4",
                                             "7",
                                             "8",
                                             "-1",
                                             "16",
                                             "64",
                                             "1048576",
                                             "2147483647",
                                             "2147483648",
                                             "4294967296",
                                             "1125899906842624",
                                             "9223372036854775807",
                                             "-9223372036854775808",
                                             "9223372036854775808",
                                             "0x7f",
                                             "1e400"};
    const std::vector<Span> all = runs(text_, &is_digit);
    if (!all.empty()) replace(pick(all), std::string(kNumbers[below(std::size(kNumbers))]));
  }
  void word() {
    const std::vector<Span> all = runs(text_, &is_word);
    if (all.empty()) return piece();
    const Span at = pick(all);
    replace(at,
            below(2) == 0 || words_.empty() ? copy(pick(all)) : std::string(words_[below(words_.size())]));
  }
  // One of the words put somewhere: at a line's end, or anywhere.
  void piece() {
    if (words_.empty()) return;
    size_t at = below(text_.size() + 1);
    if (below(2) == 0) at = std::min(text_.find('\n', at), text_.size());
    text_.insert(at, words_[below(words_.size())]);
  }
  void nest() {
    const std::vector<Span> all = groups(text_);
    if (all.empty()) return;
    const Span at = pick(all);
    const size_t times = below(4) == 0 ? 40 + below(60) : 1;
    const std::string open(times, text_[at.begin]), close(times, text_[at.end - 1]);
    replace(at, open + copy(at) + close);
  }
  // A line or bracket of another text in place of one of this, or beside it.
  std::string cross(const std::string& other) {
    const bool by_line = below(2) == 0;
    const std::vector<Span> own = by_line ? lines(text_) : groups(text_);
    const std::vector<Span> foreign = by_line ? lines(other) : groups(other);
    if (own.empty() || foreign.empty()) return text_ + other;
    const Span at = pick(own), from = pick(foreign);
    replace(by_line && below(2) == 0 ? Span{at.begin, at.begin} : at,
            other.substr(from.begin, from.end - from.begin));
    return std::move(text_);
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  const Span& pick(const std::vector<Span>& all) { return all[below(all.size())]; }
  std::string copy(Span s) const { return text_.substr(s.begin, s.end - s.begin); }
  void replace(Span s, const std::string& by) { text_.replace(s.begin, s.end - s.begin, by); }

  // One of them is erased, doubled, put elsewhere or swapped with its neighbour.
  void change(const std::vector<Span>& all) {
    if (all.empty()) return;
    const Span at = pick(all), other = pick(all);
    const std::string own = copy(at), theirs = copy(other);
    switch (below(4)) {
      case 0:
        return replace(at, "");
      case 1:
        return replace({at.end, at.end}, (own.ends_with('\n') ? "" : ",") + own);
      case 2:
        return replace(at, theirs);
      default:
        if (at.end > other.begin) return;
        replace(other, own);
        return replace(at, theirs);
    }
  }

  std::string text_;
  std::minstd_rand random_;
  std::span<const std::string_view> words_;
};

size_t give(const std::string& text, uint8_t* out, size_t max_size) {
  const size_t size = std::min(text.size(), max_size);
  std::memcpy(out, text.data(), size);
  return size;
}

}  // namespace

size_t mutate_text(uint8_t* data, size_t size, size_t max_size, unsigned seed,
                   std::span<const std::string_view> words) {
  if (size == 0 || seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  Mutation mutation(std::string(reinterpret_cast<const char*>(data), size), seed / 4, words);
  return give(mutation.run(), data, max_size);
}

size_t cross_texts(std::string_view text, std::string_view other, uint8_t* out, size_t max_size,
                   unsigned seed) {
  Mutation mutation{std::string(text), seed, {}};
  return give(mutation.cross(std::string(other)), out, max_size);
}

}  // namespace shardscope
