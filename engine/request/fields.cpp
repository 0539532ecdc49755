// SPDX-License-Identifier: Apache-2.0
#include "engine/request/fields.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline request {
namespace {

constexpr size_t kFewWords = 8;  // more than these the help explains in its own words

// Words that are few are listed, else the nearest is offered.
Error unknown_word(const Field& field, std::string_view text) {
  const auto near =
      field.values.size() > kFewWords ? nearest(text, field.values) : std::optional<std::string>();
  return invalid(fmt::format("unknown {} '{}'", field.key, text), "",
                 near ? fmt::format("did you mean {}?", *near) : "use " + words_of(field));
}

template <class Owner>
Result<void> put_into(const Field& field, const Access<Owner>& access, Owner& owner, std::string_view text) {
  const bool known = field.values.empty() || text.empty() || std::ranges::count(field.values, text) > 0;
  if (!known) return unknown_word(field, text);
  return access.parse(owner, text);
}

}  // namespace

const Field* find_field(std::string_view key) {
  const auto found = std::ranges::find(fields(), key, &Field::key);
  return found == fields().end() ? nullptr : &*found;
}

Result<void> check_range(const Field& field, std::string_view text) {
  const auto number = parse_double(trim(text));
  if (!field.range || !number) return {};
  const auto [least, most] = *field.range;
  const std::string got(trim(text));
  if (*number < 0 && least == 0)
    return invalid(fmt::format("'{}' must not be negative, got {}", field.key, got));
  if (*number < static_cast<double>(least))
    return invalid(fmt::format("'{}' must be at least {}, got {}", field.key, least, got));
  if (most && *number > static_cast<double>(*most))
    return invalid(fmt::format("'{}' must be at most {}, got {}", field.key, *most, got));
  return {};
}

std::string words_of(const Field& field) {
  if (field.values.size() < 2) return join(field.values, "");
  const std::vector<std::string> first(field.values.begin(), field.values.end() - 1);
  return join(first, ", ") + " or " + field.values.back();
}

std::string default_text(const Field& field) {
  if (field.experiment) return field.experiment->print({});
  return field.run ? field.run->print({}) : field.execution->print({});
}

std::string help_text(const Field& field) {
  std::string out = field.help;
  if (!field.values.empty() && field.values.size() <= kFewWords) out += ": " + words_of(field);
  const std::string standard = field.unsaid.empty() ? default_text(field) : field.unsaid;
  const bool is_size = field.range && field.range->least > 0 && field.unsaid.empty();  // sizes have none
  if (!standard.empty() && !is_size) out += fmt::format(" (default: {})", standard);
  const std::vector<std::string> who = readers(field);
  if (!who.empty() && who.size() < strategies().size()) out += "; read by " + join(who, ", ");
  return out;
}

bool reads(const Strategy& strategy, const Field& field) {
  return std::ranges::count(strategy.options, field.key) > 0;
}

std::vector<std::string> readers(const Field& field) {
  std::vector<std::string> out;
  for (const Strategy& strategy : strategies()) {
    if (reads(strategy, field)) out.emplace_back(strategy.id);
  }
  return out;
}

std::vector<std::string> ignored_options(const Strategy& strategy, const RunRequest& request) {
  std::vector<std::string> out;
  for (const Field& field : fields()) {
    const bool option = field.scope == Scope::run && field.has(kOption);
    if (option && !field.run->print(request).empty() && !reads(strategy, field)) out.push_back(field.key);
  }
  return out;
}

Result<void> put(const Field& field, RunRequest& run, std::string_view text) {
  return put_into(field, *field.run, run, text);
}

Result<void> put(const Field& field, Experiment& experiment, std::string_view text) {
  if (field.experiment) TRY_VOID(put_into(field, *field.experiment, experiment, text));
  if (!field.run) return {};
  const std::string_view own = field.experiment ? "" : text;
  for (RunRequest& run : experiment.runs) TRY_VOID(put(field, run, own));
  return {};
}

Result<void> put(const Field& field, ExecutionSettings& execution, std::string_view text) {
  return put_into(field, *field.execution, execution, text);
}

Error placed(Error error, const std::string& place) {
  const bool there = error.where == place;
  error.where = there || error.where.empty() ? place : place + ", " + error.where;
  return error;
}

}  // namespace shardscope::inline request
