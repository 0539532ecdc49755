// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/given_away.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/base/text.h"
#include "engine/lesson/typed_number.h"

namespace shardscope::inline lesson {
namespace {

constexpr double kAsWritten = 0.006;  // what three digits round
constexpr double kSmallCount = 13;    // such numbers stand everywhere: on axes, in names of chips and blocks
constexpr size_t kNear = 2;           // words
constexpr const char* kCovered = "…";

// A piece of a text without spaces, and what it is without the marks around it.
struct Word {
  size_t begin = 0, end = 0;
};

bool is_mark(char c) {
  return std::string_view(".,;:!?()[]*`\"").find(c) != std::string_view::npos;
}

std::vector<Word> words_in(std::string_view text) {
  std::vector<Word> out;
  for (size_t k = 0; k < text.size();) {
    const size_t begin = text.find_first_not_of(" \n", k);
    if (begin == std::string_view::npos) break;
    const size_t after = std::min(text.find_first_of(" \n", begin), text.size());
    Word word{begin, after};
    while (word.begin < word.end && is_mark(text[word.begin])) ++word.begin;
    while (word.begin < word.end && is_mark(text[word.end - 1])) --word.end;
    if (word.begin < word.end) out.push_back(word);
    k = after;
  }
  return out;
}

// What a question with "how many" counts: the words behind it; else whatever it speaks of.
std::vector<std::string> counted_in(const Question& question) {
  constexpr size_t kThings = 2, kLongEnough = 5;
  std::vector<std::string> out;
  const std::vector<std::string> words = plain_words(question.text);
  const auto many = std::ranges::find(words, "many");
  for (auto each = many; each != words.end() && each - many <= static_cast<int64_t>(kThings); ++each)
    if (each != many) out.push_back(*each);
  if (out.empty())
    std::ranges::copy_if(words, std::back_inserter(out),
                         [](const std::string& w) { return w.size() >= kLongEnough; });
  return out;
}

class Coverer {
 public:
  Coverer(const Question& question, std::string_view text)
      : answer_(question.answer), text_(text), words_(words_in(text)), counted_(counted_in(question)) {}

  std::string covered() const {
    std::string out(text_);
    for (size_t k = words_.size(); k-- > 0;)
      if (says_answer(k)) out.replace(words_[k].begin, words_[k].end - words_[k].begin, "?");
    return out;
  }

 private:
  std::string_view at(size_t k) const {
    return k < words_.size() ? text_.substr(words_[k].begin, words_[k].end - words_[k].begin)
                             : std::string_view();
  }

  bool is_value(double number) const {
    return std::abs(number - answer_.number) <= kAsWritten * std::abs(answer_.number);
  }

  // "43 steps", "steps: 43", "step 0 of 43".
  bool counts_here(size_t k) const {
    const size_t from = k - std::min(k, k > 0 && at(k - 1) == "of" ? kNear + 1 : kNear);
    for (size_t other = from; other <= k + kNear; ++other)
      for (const std::string& word : plain_words(at(other)))
        if (other != k && std::ranges::find(counted_, word) != counted_.end()) return true;
    return false;
  }

  bool bare_says(size_t k, double number, const std::string& unit) const {
    const bool share = unit == "%" || (unit.empty() && at(k + 1) == "%");
    if (answer_.written == Written::percent) return is_value(share ? number / 100 : number);
    if (share || !is_value(number)) return false;
    const bool small = number == std::floor(number) && std::abs(number) < kSmallCount;
    return !small || (number == answer_.number && counts_here(k));
  }

  bool says_answer(size_t k) const {
    const auto typed = typed_number(at(k));
    if (!typed.ok()) return false;
    const std::string unit = !typed->unit.empty() ? typed->unit : small_letters(at(k + 1));
    for (const double number : typed->readings) {
      if (answer_.unit.none()) {
        if (bare_says(k, number, typed->unit)) return true;
        continue;
      }
      for (const auto& [text, worth] : typed_units(answer_.unit))
        if (text == unit && is_value(number * worth)) return true;
    }
    return false;
  }

  const Quantity& answer_;
  std::string_view text_;
  std::vector<Word> words_;
  std::vector<std::string> counted_;
};

}  // namespace

std::string covered(const std::vector<std::string>& hide, std::string_view text) {
  std::string out(text);
  for (const std::string& each : hide) {
    const std::string hidden = small_letters(each), small = small_letters(out);
    const bool several = small.find(' ') != std::string::npos;
    if (several && hidden.find(small) != std::string::npos) return kCovered;
    for (size_t at = small.rfind(hidden); at != std::string::npos && !hidden.empty();
         at = at == 0 ? std::string::npos : small.rfind(hidden, at - 1))
      out.replace(at, hidden.size(), kCovered);
  }
  return out;
}

std::string covered(const Question& question, std::string_view text) {
  const std::string out = covered(question.hide, text);
  return question.choices.empty() ? Coverer(question, out).covered() : out;
}

}  // namespace shardscope::inline lesson
