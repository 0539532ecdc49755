// SPDX-License-Identifier: Apache-2.0
// A language: English texts and what is said instead of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope {

// Which form of a counted text a number takes, as gettext's "Plural-Forms" says it.
enum class PluralRule : uint8_t {
  one_other,       // n != 1
  none,            // 0
  zero_one_other,  // n > 1
  slavic           // 1, 21, …; 2–4, 22–24, …; the rest
};
size_t plural_form(PluralRule rule, int64_t count);

struct Catalogue {
  std::string id;     // "de"
  std::string title;  // what its speakers call it: "Deutsch"
  PluralRule plural = PluralRule::one_other;
  bool computed = false;  // the pseudo-language: every text is translated, by pseudo()
  int64_t texts = 0;      // of the program when the file was last brought up to date
  // English (of a counted text the singular) -> its forms, one where nothing is counted. Texts that are still
  // to be translated are not in it.
  std::map<std::string, std::vector<std::string>, std::less<>> forms = {};
};

// Reads gettext's .po form: msgid, msgid_plural, msgstr, msgstr[n], texts over several lines, comments; of
// the header Language, Language-Name and Plural-Forms. Refuses with file:line what is none of these, and a
// translation whose placeholders ({}, {1:.2f}, %1) are not those of its text.
Result<Catalogue> read_catalogue(std::string_view po, std::string_view file_name);

// "[Ŕûñ áļļ ~~~]" for "Run all": what was forgotten stays plain, what has no room for 40 % more is clipped.
// Placeholders, tags, entities, key marks (&), file patterns and texts without a letter stay.
std::string pseudo(std::string_view english);
Catalogue pseudo_language();

// What can be chosen: English, the files of assets/language, the pseudo-language.
struct Language {
  std::string id;
  std::string title;      // "Deutsch (8 % of the texts)" while texts are missing
  double complete = 1;    // share of its texts that are translated
  bool for_test = false;  // the pseudo-language
};
std::vector<Language> languages();
Result<Catalogue> find_language(std::string_view id);  // of English: an empty catalogue

}  // namespace shardscope
