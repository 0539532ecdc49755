// SPDX-License-Identifier: Apache-2.0
// The door to translation without a catalogue, the reader of languages, the pseudo-language.
#include "engine/base/say.h"

#include <gtest/gtest.h>

namespace shardscope::say_test {
namespace {

constexpr const char* kHeader = R"(
msgid ""
msgstr ""
"Language: xx\n"
"Language-Name: Xish\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\n"
)";

Result<Catalogue> read(const std::string& entries) {
  return read_catalogue(kHeader + entries, "xx.po");
}

std::string refusal(const std::string& entries) {
  const auto read_it = read(entries);
  return read_it.ok() ? "" : read_it.error().text();
}

TEST(Say, WithoutACatalogueEveryTextIsItself) {
  ASSERT_EQ(installed_catalogue(), nullptr);
  EXPECT_EQ(said("Run all"), "Run all");
  EXPECT_EQ(say("{1} before {0}, {{}}", 1, "two"), "two before 1, {}");
  EXPECT_EQ(say_count("{} device", "{} devices", 1), "1 device");
  EXPECT_EQ(say_count("{} device of {}", "{} devices of {}", 3, "col"), "3 devices of col");
  EXPECT_EQ(counted(1, "device"), "1 device");
  EXPECT_EQ(counted(size_t{8}, "more part"), "8 more parts");
}

TEST(Say, ReadsTextsPluralsAndSeveralLines) {
  const auto xish = read(R"(
# a comment
msgid "Run all"
msgstr "Al"
"les \"los\"\n"

msgid "{} run"
msgid_plural "{} runs"
msgstr[0] "{} a"
msgstr[1] "{} b"
msgstr[2] "{} c"

msgid "not yet"
msgstr ""
)");
  ASSERT_TRUE(xish.ok()) << xish.error().text();
  EXPECT_EQ(xish->id, "xx");
  EXPECT_EQ(xish->title, "Xish");
  EXPECT_EQ(xish->texts, 3);
  EXPECT_EQ(xish->forms.size(), 2U) << "what is not translated yet stays English";
  EXPECT_EQ(xish->forms.at("Run all").front(), "Alles \"los\"\n");
  EXPECT_EQ(xish->forms.at("{} run")[plural_form(xish->plural, 22)], "{} b");
  EXPECT_EQ(xish->forms.at("{} run")[plural_form(xish->plural, 11)], "{} c");
}

TEST(Say, ATranslationMayTurnItsValuesRoundButNotLoseOne) {
  EXPECT_EQ(refusal("msgid \"{} of {}\"\nmsgstr \"{1} von {0}\"\n"), "");
  EXPECT_EQ(refusal("msgid \"%1 of %2\"\nmsgstr \"%2 von %1\"\n"), "");
  EXPECT_EQ(refusal("msgid \"{:.1f} s\"\nmsgstr \"{} s\"\n"),
            "'{} s' lacks the placeholders of '{:.1f} s'; xx.po:9");
  EXPECT_NE(refusal("msgid \"%1 of %2\"\nmsgstr \"%1 von\"\n"), "");
  EXPECT_NE(refusal("msgid \"{} of {}\"\nmsgstr \"{2} von {0}\"\n"), "");
}

TEST(Say, TellsWhereAFileIsWrong) {
  EXPECT_EQ(refusal("msgid \"a\nmsgstr \"b\"\n"), "got '\"a', expected a text in quotes; xx.po:7");
  EXPECT_EQ(refusal("msgid \"a\"\nmsgtsr \"b\"\n"),
            "got 'msgtsr', expected msgid, msgid_plural, msgstr or the next msgstr[n]; xx.po:8");
  EXPECT_NE(refusal("msgid \"{} run\"\nmsgid_plural \"{} runs\"\nmsgstr[0] \"{}\"\n"), "");
  EXPECT_NE(refusal("msgid \"a\"\nmsgstr \"b\"\nmsgid \"a\"\nmsgstr \"c\"\n"), "");
  EXPECT_FALSE(read_catalogue("msgid \"a\"\nmsgstr \"b\"\n", "none.po").ok());
  EXPECT_FALSE(read_catalogue("msgid \"\"\nmsgstr \"Language: q\\nPlural-Forms: n*n\\n\"\n", "q.po").ok());
}

TEST(Say, ThePseudoLanguageIsLongerAndLeavesWhatIsNoText) {
  EXPECT_EQ(pseudo("Run all"), "[Ŕûñ áļļ ~]");
  EXPECT_EQ(pseudo("&Save as…"), "[&Šáṽé áš… ~]");
  EXPECT_EQ(pseudo(" of {:.1f} ms at %1"), " [öƒ {:.1f} ɱš áţ %1 ~~]");
  EXPECT_EQ(pseudo("<b>now</b> &nbsp; it"), "[<b>ñöŵ</b> &nbsp; îţ ~]");
  EXPECT_EQ(pseudo("Tables (*.csv)"), "[Ţáƀļéš (*.csv) ~]");
  EXPECT_EQ(pseudo("{} × {}"), "{} × {}");
  EXPECT_EQ(pseudo(""), "");
  EXPECT_EQ(pseudo(pseudo("Run all")), pseudo("Run all")) << "said twice is said once";
}

TEST(Say, EveryLanguageThatIsOfferedIsFound) {
  const auto all = languages();
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all.front().id, "en");
  EXPECT_TRUE(all.back().for_test);
  for (const Language& each : all) {
    const auto found = find_language(each.id);
    ASSERT_TRUE(found.ok()) << found.error().text();
    EXPECT_EQ(found->id, each.id);
    EXPECT_EQ(each.complete < 1, each.title.ends_with(" % of the texts)")) << each.title;
  }
  EXPECT_FALSE(find_language("tlh").ok());
}

}  // namespace
}  // namespace shardscope::say_test
