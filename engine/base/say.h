// SPDX-License-Identifier: Apache-2.0
// The one door to translation. Everything that a person reads goes through said, say or say_count (in the
// window through ""_tr, which asks the same catalogue); the English text is the key. Without a catalogue each
// gives its text back, so the command line and what files hold are English. Ids, keys, names, units, code and
// numbers never come here.
#pragma once

#include <concepts>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "engine/base/catalogue.h"

namespace shardscope {

// The language of this process from now on. Once, before any thread starts and any text is said.
void install(Catalogue catalogue);
const Catalogue* installed_catalogue();  // nullptr: English

std::string said(std::string_view english);
// The form for this count, its placeholders still in it.
std::string said_count(std::string_view one, std::string_view many, int64_t count);

// A text of a table that is made before the catalogue is there: marks it for translators. Who shows it says
// it.
constexpr const char* to_say(const char* english) {
  return english;
}

namespace say_detail {
std::string counted(int64_t count, std::string_view noun);
std::string format(std::string_view english, fmt::format_args values);
}  // namespace say_detail

// say("sends {} to {}", bytes, device). Values are put in as they are: say texts among them first.
template <class... T>
std::string say(fmt::format_string<T...> english, T&&... values) {
  const fmt::string_view text = english;
  return say_detail::format({text.data(), text.size()}, fmt::make_format_args(values...));
}

// say_count("{} device", "{} devices", n): the form that the language has for n. The number comes first among
// the values.
template <class... T>
std::string say_count(fmt::format_string<int64_t&, T...> one, fmt::format_string<int64_t&, T...> many,
                      int64_t count, T&&... values) {
  const fmt::string_view first = one, second = many;
  return fmt::vformat(said_count({first.data(), first.size()}, {second.data(), second.size()}, count),
                      fmt::make_format_args(count, values...));
}

// "1 device", "8 devices": a count with its noun, wherever it is read. A plural without s and words around
// that change too: say_count.
std::string counted(std::integral auto count, std::string_view noun) {
  return say_detail::counted(static_cast<int64_t>(count), noun);
}
std::string grouped_count(int64_t count, std::string_view noun);  // "3,000 visits", "1 row"

}  // namespace shardscope
