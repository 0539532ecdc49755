// SPDX-License-Identifier: Apache-2.0
// Names of others are harmless wherever we write them.
#include "engine/base/escape.h"

#include <gtest/gtest.h>

#include "engine/base/csv.h"
#include "engine/base/sha256.h"
#include "engine/base/xml.h"

namespace shardscope::escape_test {
namespace {

const std::string kHostile = "<script>alert(1)</script>";

TEST(Escapes, AreHtmlAndSvgWithoutElements) {
  EXPECT_EQ(xml_escaped(kHostile), "&lt;script&gt;alert(1)&lt;/script&gt;");
  EXPECT_EQ(xml_escaped("\" onload=\"x"), "&quot; onload=&quot;x");
  EXPECT_EQ(xml_escaped("a\x1b[2J\x07z"), "a[2Jz");
}

TEST(Escapes, KeepJsonInsideItsScript) {
  EXPECT_EQ(script_json("[\"</script>\",\"<!--\",\"a&b\"]"),
            "[\"\\u003c/script\\u003e\",\"\\u003c!--\",\"a\\u0026b\"]");
  EXPECT_EQ(script_json("\"\u2028\u2029µ\""), "\"\\u2028\\u2029µ\"");
}

TEST(Escapes, LetNoCsvCellBeAFormula) {
  for (const std::string start : {"=", "+", "@", "-", "\t", "\r"}) {
    const std::string cell = csv_cell(start + "cmd|' /C calc'!A0");
    EXPECT_EQ(cell.substr(cell.front() == '"' ? 1 : 0, 2), "'" + start) << cell;
  }
  EXPECT_EQ(csv_cell("-1.5e-6"), "-1.5e-6");
  EXPECT_EQ(csv_cell("a\"b,c\n"), "\"a\"\"b,c\n\"");
}

TEST(Escapes, LeaveMarkdownNoMarkup) {
  EXPECT_EQ(markdown_escaped(kHostile), "\\<script\\>alert(1)\\</script\\>");
  EXPECT_EQ(markdown_escaped("[a](javascript:x) | `b` *c* &lt;"),
            "\\[a\\](javascript:x) \\| \\`b\\` \\*c\\* \\&lt;");
  EXPECT_EQ(markdown_escaped("one\n# two"), "one # two");
  EXPECT_EQ(markdown_escaped("all_gather _x_"), "all_gather \\_x\\_");
}

TEST(Escapes, LeaveLatexNoCommands) {
  EXPECT_EQ(latex_escaped("\\input{/etc/passwd}"), "\\textbackslash{}input\\{/etc/passwd\\}");
  EXPECT_EQ(latex_escaped("a_b & 5% #1 $x$ ~^"),
            "a\\_b \\& 5\\% \\#1 \\$x\\$ \\textasciitilde{}\\textasciicircum{}");
  EXPECT_EQ(latex_escaped(kHostile),
            "\\textless{}script\\textgreater{}alert(1)\\textless{}/script\\textgreater{}");
  EXPECT_EQ(latex_escaped("46.6 µs\n3.1×"), "46.6 \\textmu{}s 3.1$\\times$");
}

TEST(Escapes, MoveNoCursorAndTurnNoText) {
  EXPECT_EQ(terminal_text("a\x1b]0;mine\x07"
                          "b\x7f"),
            "a\\x1b]0;mine\\x07b\\x7f");
  EXPECT_EQ(terminal_text("a\u009b2J"), "a\\x9b2J");
  EXPECT_EQ(terminal_text("user\u202etxt.exe\u2066"), "user\\u202etxt.exe\\u2066");
  EXPECT_EQ(terminal_text("46.6 µs\ta3 → (0,1)…\n"), "46.6 µs\ta3 → (0,1)…\n");
}

TEST(Escapes, LeaveNoHalfCharacters) {
  // Cut off, out of order, longer than need be, surrogates, beyond U+10FFFF; what is whole stays.
  EXPECT_EQ(whole_characters("a\xc3"), "a\\xc3");
  EXPECT_EQ(whole_characters("\xa9z"), "\\xa9z");
  EXPECT_EQ(whole_characters("\xe2\x82|"), "\\xe2\\x82|");
  EXPECT_EQ(whole_characters("\xc0\xaf\xe0\x80\xaf"), "\\xc0\\xaf\\xe0\\x80\\xaf");
  EXPECT_EQ(whole_characters("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(whole_characters("\xf4\x90\x80\x80\xff"), "\\xf4\\x90\\x80\\x80\\xff");
  EXPECT_EQ(whole_characters("µ€\xed\x9f\xbf𝄞\xf4\x8f\xbf\xbf"), "µ€\xed\x9f\xbf𝄞\xf4\x8f\xbf\xbf");
  EXPECT_EQ(terminal_text("\x9b"
                          "2J"),
            "\\x9b2J");
  EXPECT_EQ(csv_cell("a\xff"), "a\\xff");
  EXPECT_EQ(xml_escaped("<\xff"), "&lt;\\xff");
  EXPECT_EQ(markdown_escaped("\xff"), "\\\\xff");
  EXPECT_EQ(latex_escaped("\xff"), "\\textbackslash{}xff");
}

// FIPS 180-4's examples, and their base 64 as openssl writes it.
TEST(Hashes, AreSha256) {
  EXPECT_EQ(content_hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(content_hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(content_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "sha256-JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
}

}  // namespace
}  // namespace shardscope::escape_test
