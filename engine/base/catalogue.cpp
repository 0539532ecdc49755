// SPDX-License-Identifier: Apache-2.0
#include "engine/base/catalogue.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "engine/base/check.h"
#include "engine/base/embedded_file.h"
#include "engine/base/text.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> embedded_languages();  // assets/language/*.po
}  // namespace shardscope::embedded

namespace shardscope {

namespace {

struct RuleRow {
  PluralRule rule;
  size_t forms;
  std::string_view text;  // "plural=" of the header, without blanks
};

constexpr std::array<RuleRow, 4> kRules{{
    {PluralRule::one_other, 2, "(n!=1)"},
    {PluralRule::none, 1, "0"},
    {PluralRule::zero_one_other, 2, "(n>1)"},
    {PluralRule::slavic, 3, "(n%10==1&&n%100!=11?0:n%10>=2&&n%10<=4&&(n%100<10||n%100>=20)?1:2)"},
}};

// What a value is put into: "{0:.1f}" and "%1", sorted. Fields without a number count from 0.
std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> out;
  int next = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '%' && text[i + 1] >= '1' && text[i + 1] <= '9') out.emplace_back(text.substr(i, 2));
    if (text[i] != '{') continue;
    if (text[i + 1] == '{') {
      ++i;
      continue;
    }
    const size_t end = text.find('}', i);
    if (end == std::string_view::npos) return {"unclosed {"};
    const std::string_view inside = text.substr(i + 1, end - i - 1);
    const size_t colon = std::min(inside.find(':'), inside.size());
    const std::string number = colon == 0 ? std::to_string(next++) : std::string(inside.substr(0, colon));
    out.push_back("{" + number + std::string(inside.substr(colon)) + "}");
    i = end;
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The text between the quotes of a line, with \n, \t, \" and \\ read.
Result<std::string> quoted_text(std::string_view line, const std::string& where) {
  line = trim(line);
  if (line.size() < 2 || line.front() != '"' || line.back() != '"')
    return invalid(fmt::format("got '{}', expected a text in quotes", line), where);
  std::string out;
  for (size_t i = 1; i + 1 < line.size(); ++i) {
    if (line[i] != '\\') {
      out += line[i];
      continue;
    }
    const char next = line[++i];
    if (i + 1 >= line.size() || (next != 'n' && next != 't' && next != '"' && next != '\\'))
      return invalid(fmt::format("got '\\{}', expected \\n, \\t, \\\" or \\\\", next), where);
    out += next == 'n' ? '\n' : next == 't' ? '\t' : next;
  }
  return out;
}

std::string header_value(std::string_view header, std::string_view key) {
  for (const std::string& line : split(header, '\n')) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ':')
      return std::string(trim(std::string_view(line).substr(key.size() + 1)));
  }
  return "";
}

class PoReader {
 public:
  explicit PoReader(std::string_view file_name) : file_(file_name) {}

  Result<Catalogue> read(std::string_view po) {
    for (const std::string& line : split(po, '\n')) {
      ++line_;
      TRY_VOID(take(trim(line)));
    }
    TRY_VOID(end_entry());
    if (out_.id.empty()) return invalid("no header with Language", file_);
    return std::move(out_);
  }

 private:
  std::string where() const { return fmt::format("{}:{}", file_, line_); }

  Result<void> take(std::string_view line) {
    if (line.empty() || line.front() == '#') return {};
    if (line.front() == '"') {
      if (into_ == nullptr) return invalid("a text without msgid or msgstr", where());
      TRY(const std::string more, quoted_text(line, where()));
      *into_ += more;
      return {};
    }
    const size_t blank = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view keyword = line.substr(0, blank);
    TRY(const std::string text, quoted_text(line.substr(blank), where()));
    if (keyword == "msgid") {
      TRY_VOID(end_entry());
      english_ = text;
      begun_ = true;
      into_ = &english_;
    } else if (keyword == "msgid_plural") {
      many_ = text;
      into_ = &many_;
    } else if (keyword == "msgstr" || keyword == fmt::format("msgstr[{}]", forms_.size())) {
      if (forms_.size() > 3) return invalid("more forms than any rule has", where());
      forms_.push_back(text);
      into_ = &forms_.back();
    } else {
      return invalid(
          fmt::format("got '{}', expected msgid, msgid_plural, msgstr or the next msgstr[n]", keyword),
          where());
    }
    return {};
  }

  Result<void> end_entry() {
    if (!begun_) return {};
    if (english_.empty()) {
      TRY_VOID(read_header(forms_.empty() ? "" : forms_.front()));
    } else {
      ++out_.texts;
      TRY_VOID(keep_entry());
    }
    begun_ = false;
    into_ = nullptr;
    english_.clear();
    many_.clear();
    forms_.clear();
    forms_.reserve(4);  // `into_` points into it
    return {};
  }

  Result<void> keep_entry() {
    if (std::any_of(forms_.begin(), forms_.end(), [](const std::string& form) { return form.empty(); }))
      return {};
    const size_t wanted = many_.empty() ? 1 : rule_->forms;
    if (forms_.size() != wanted)
      return invalid(fmt::format("'{}' has {} forms, expected {}", english_, forms_.size(), wanted), where());
    for (const std::string& form : forms_) {
      if (placeholders(form) != placeholders(english_))
        return invalid(fmt::format("'{}' lacks the placeholders of '{}'", form, english_), where());
    }
    if (!out_.forms.emplace(english_, forms_).second)
      return invalid(fmt::format("'{}' stands twice", english_), where());
    return {};
  }

  Result<void> read_header(std::string_view header) {
    out_.id = header_value(header, "Language");
    out_.title = header_value(header, "Language-Name");
    std::string rule = header_value(header, "Plural-Forms");
    rule.erase(std::remove(rule.begin(), rule.end(), ' '), rule.end());
    const auto row = std::find_if(kRules.begin(), kRules.end(), [&](const RuleRow& each) {
      return rule == fmt::format("nplurals={};plural={};", each.forms, each.text);
    });
    if (row == kRules.end())
      return invalid(fmt::format("got Plural-Forms '{}', a rule that is not known", rule), where());
    rule_ = &*row;
    out_.plural = row->rule;
    return {};
  }

  std::string file_;
  int64_t line_ = 0;
  Catalogue out_;
  const RuleRow* rule_ = &kRules[0];
  bool begun_ = false;
  std::string english_, many_;
  std::vector<std::string> forms_;
  std::string* into_ = nullptr;
};

}  // namespace

size_t plural_form(PluralRule rule, int64_t count) {
  const int64_t n = count < 0 ? -count : count;
  switch (rule) {
    case PluralRule::one_other:
      return n == 1 ? 0 : 1;
    case PluralRule::none:
      return 0;
    case PluralRule::zero_one_other:
      return n > 1 ? 1 : 0;
    case PluralRule::slavic:
      if (n % 10 == 1 && n % 100 != 11) return 0;
      return n % 10 >= 2 && n % 10 <= 4 && (n % 100 < 10 || n % 100 >= 20) ? 1 : 2;
  }
  return 0;
}

Result<Catalogue> read_catalogue(std::string_view po, std::string_view file_name) {
  return PoReader(file_name).read(po);
}

std::vector<Language> languages() {
  std::vector<Language> out{{"en", "English"}};
  for (const EmbeddedFile& file : embedded::embedded_languages()) {
    const Result<Catalogue> read = read_catalogue(file.text, file.name);
    CHECK(read.ok(), read.error().text());
    const double complete =
        read->texts == 0 ? 0 : static_cast<double>(read->forms.size()) / static_cast<double>(read->texts);
    const int64_t percent = static_cast<int64_t>(complete * 100);
    out.push_back({read->id,
                   complete < 1 ? fmt::format("{} ({} % of the texts)", read->title, percent) : read->title,
                   complete});
  }
  const Catalogue test = pseudo_language();
  out.push_back({test.id, test.title, 1, true});
  return out;
}

Result<Catalogue> find_language(std::string_view id) {
  std::vector<std::string> known;
  for (const Language& each : languages()) known.push_back(each.id);
  if (id == "en") return Catalogue{.id = "en", .title = "English"};
  if (id == pseudo_language().id) return pseudo_language();
  for (const EmbeddedFile& file : embedded::embedded_languages()) {
    Result<Catalogue> read = read_catalogue(file.text, file.name);
    if (read.ok() && read->id == id) return read;
  }
  return invalid(fmt::format("no language '{}'", id), "--language", "one of " + join(known, ", "));
}

}  // namespace shardscope
