// SPDX-License-Identifier: Apache-2.0
#include "engine/base/escape.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace shardscope {
namespace {

using Sign = std::pair<std::string_view, std::string_view>;  // what stands there, what is written

// Every sign of `signs` in `text` as it is written.
template <size_t N>
std::string with_signs(std::string_view text, const std::array<Sign, N>& signs) {
  std::string out;
  while (!text.empty()) {
    const auto sign = std::ranges::find_if(signs, [&](const Sign& s) { return text.starts_with(s.first); });
    out += sign != signs.end() ? sign->second : text.substr(0, 1);
    text.remove_prefix(sign != signs.end() ? sign->first.size() : 1);
  }
  return out;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// Bytes of the character that `text` begins with; 0: what is there is none (RFC 3629, 4).
size_t character_size(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follow = [&](size_t first, size_t end) {
    for (size_t i = first; i < end; ++i)
      if ((byte(i) & 0xC0U) != 0x80U) return false;
    return true;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return follow(1, 2) ? 2 : 0;
  if (lead >= 0xE0 && lead < 0xF0) {
    const bool too_long = lead == 0xE0 && byte(1) < 0xA0, surrogate = lead == 0xED && byte(1) >= 0xA0;
    return !too_long && !surrogate && follow(1, 3) ? 3 : 0;
  }
  if (lead < 0xF0 || lead > 0xF4) return 0;
  const bool too_long = lead == 0xF0 && byte(1) < 0x90, too_large = lead == 0xF4 && byte(1) >= 0x90;
  return !too_long && !too_large && follow(1, 4) ? 4 : 0;
}

// On one line, without control characters.
std::string one_line(std::string_view given) {
  const std::string text = whole_characters(given);
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\t')
      out += ' ';
    else if (!is_control(c))
      out += c;
  }
  return out;
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string markdown_escaped(std::string_view given) {
  const std::string text = one_line(given);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // Inside a word "_" is no markup, and names are full of it; "&" alone begins no entity.
    const bool last = i + 1 == text.size();
    const bool plain = (c == '_' && i > 0 && !last && is_word(text[i - 1]) && is_word(text[i + 1])) ||
                       (c == '&' && (last || (!is_word(text[i + 1]) && text[i + 1] != '#')));
    if (!plain && std::string_view("\\`*_[]<>|&~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string latex_escaped(std::string_view text) {
  static constexpr std::array kSigns{Sign{"\\", "\\textbackslash{}"},
                                     Sign{"_", "\\_"},
                                     Sign{"%", "\\%"},
                                     Sign{"&", "\\&"},
                                     Sign{"#", "\\#"},
                                     Sign{"$", "\\$"},
                                     Sign{"{", "\\{"},
                                     Sign{"}", "\\}"},
                                     Sign{"~", "\\textasciitilde{}"},
                                     Sign{"^", "\\textasciicircum{}"},
                                     Sign{"<", "\\textless{}"},
                                     Sign{">", "\\textgreater{}"},
                                     Sign{"|", "\\textbar{}"},
                                     Sign{"\"", "\\textquotedbl{}"},
                                     Sign{"×", "$\\times$"},
                                     Sign{"−", "$-$"},
                                     Sign{"µ", "\\textmu{}"},
                                     Sign{"–", "--"},
                                     Sign{"…", "\\ldots{}"},
                                     Sign{"≈", "$\\approx$"},
                                     Sign{"≤", "$\\le$"},
                                     Sign{"→", "$\\to$"},
                                     Sign{"·", "$\\cdot$"},
                                     Sign{"Δ", "$\\Delta$"}};
  return with_signs(one_line(text), kSigns);
}

std::string script_json(std::string_view json) {
  static constexpr std::array kSigns{Sign{"<", "\\u003c"}, Sign{">", "\\u003e"}, Sign{"&", "\\u0026"},
                                     Sign{"\u2028", "\\u2028"}, Sign{"\u2029", "\\u2029"}};
  return with_signs(json, kSigns);
}

std::string whole_characters(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t size = character_size(text);
    if (size == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else
      out += text.substr(0, size);
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return out;
}

std::string terminal_text(std::string_view given) {
  const std::string text = whole_characters(given);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
    };
    const bool c1 = byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0;  // U+0080 to U+009F
    // U+202A to U+202E, U+2066 to U+2069: they turn the direction of what follows.
    const bool turns = byte(0) == 0xE2 && ((byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
                                           (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9));
    if (c1) {
      out += fmt::format("\\x{:02x}", byte(1));
      i += 1;
    } else if (turns) {
      out += fmt::format("\\u{:04x}", 0x2000U | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU));
      i += 2;
    } else if (is_control(text[i]) && text[i] != '\n' && text[i] != '\t') {
      out += fmt::format("\\x{:02x}", byte(0));
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace shardscope
