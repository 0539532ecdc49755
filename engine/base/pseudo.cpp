// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include "engine/base/catalogue.h"

namespace shardscope {
namespace {

// By letter: one that looks alike, is none of ASCII and stands in DejaVu and most other faces.
constexpr std::array<const char*, 26> kSmall{"á", "ƀ", "ç", "đ", "é", "ƒ", "ĝ", "ĥ", "î", "ĵ", "ķ", "ļ", "ɱ",
                                             "ñ", "ö", "þ", "ǫ", "ŕ", "š", "ţ", "û", "ṽ", "ŵ", "ẋ", "ý", "ž"};
constexpr std::array<const char*, 26> kLarge{"Á", "Ɓ", "Ç", "Đ", "É", "Ƒ", "Ĝ", "Ĥ", "Î", "Ĵ", "Ķ", "Ļ", "Ṁ",
                                             "Ñ", "Ö", "Þ", "Ǫ", "Ŕ", "Š", "Ţ", "Û", "Ṽ", "Ŵ", "Ẋ", "Ý", "Ž"};

bool letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// How many characters from the start of `rest` are to stay: a placeholder, a tag, an entity, a file pattern.
size_t kept_length(std::string_view rest) {
  const auto until = [&](std::string_view end) {
    const size_t at = rest.find(end);
    return at == std::string_view::npos ? size_t{0} : at + end.size();
  };
  const char next = rest.size() > 1 ? rest[1] : '\0';
  if (rest[0] == '{') return next == '{' ? 2 : until("}");
  if (rest[0] == '%' && (std::isdigit(static_cast<unsigned char>(next)) != 0 || next == 'n')) return 2;
  if (rest[0] == '%' && next == 'L') return 3;
  if (rest[0] == '<' && (letter(next) || next == '/')) return until(">");
  if (rest[0] == '(' && next == '*') return until(")");
  if (rest[0] == '&' && letter(next)) {
    size_t end = 1;
    while (end < rest.size() && letter(rest[end])) ++end;
    return end < rest.size() && rest[end] == ';' ? end + 1 : 0;
  }
  return 0;
}

}  // namespace

std::string pseudo(std::string_view english) {
  if (std::none_of(english.begin(), english.end(), letter)) return std::string(english);
  const size_t first = english.find_first_not_of(" \n"), last = english.find_last_not_of(" \n");
  const std::string_view text = english.substr(first, last - first + 1);
  if (text.front() == '[' && text.ends_with("~]")) return std::string(english);  // it was said already
  std::string out(english.substr(0, first));
  out += '[';
  size_t letters = 0, all = 0;
  for (size_t i = 0; i < text.size();) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) ++all;
    if (const size_t kept = kept_length(text.substr(i)); kept > 0) {
      out += text.substr(i, kept);
      i += kept;
      continue;
    }
    const char c = text[i++];
    if (!letter(c)) {
      out += c;
      continue;
    }
    ++letters;
    out += c >= 'a' ? kSmall[static_cast<size_t>(c - 'a')] : kLarge[static_cast<size_t>(c - 'A')];
  }
  if (letters == 0) return std::string(english);
  // 40 % more, of which the brackets and the blank are three.
  const size_t more = std::max<size_t>((all * 2 + 4) / 5, 4) - 3;
  return out + " " + std::string(more, '~') + "]" + std::string(english.substr(last + 1));
}

Catalogue pseudo_language() {
  return {.id = "pseudo", .title = "[Þšéûđö ~~]", .computed = true};
}

}  // namespace shardscope
