// SPDX-License-Identifier: Apache-2.0
#include "engine/base/say.h"

#include <memory>

#include "engine/base/check.h"
#include "engine/base/units.h"

namespace shardscope {
namespace {

// Written once before the first thread starts, only read afterwards.
std::unique_ptr<const Catalogue>& the_catalogue() {
  static std::unique_ptr<const Catalogue> catalogue;
  return catalogue;
}

// The form of `english` for this count, or nothing when the language has no text for it.
const std::string* form_of(const Catalogue& catalogue, std::string_view english, int64_t count) {
  const auto found = catalogue.forms.find(english);
  if (found == catalogue.forms.end()) return nullptr;
  const size_t form = found->second.size() == 1 ? 0 : plural_form(catalogue.plural, count);
  return &found->second[form];
}

}  // namespace

void install(Catalogue catalogue) {
  CHECK(the_catalogue() == nullptr, catalogue.id);
  the_catalogue() = std::make_unique<const Catalogue>(std::move(catalogue));
}

const Catalogue* installed_catalogue() {
  return the_catalogue().get();
}

std::string said(std::string_view english) {
  const Catalogue* catalogue = installed_catalogue();
  if (catalogue == nullptr) return std::string(english);
  if (catalogue->computed) return pseudo(english);
  const std::string* other = form_of(*catalogue, english, 1);
  return other != nullptr ? *other : std::string(english);
}

std::string said_count(std::string_view one, std::string_view many, int64_t count) {
  const Catalogue* catalogue = installed_catalogue();
  const std::string_view english = count == 1 ? one : many;
  if (catalogue == nullptr) return std::string(english);
  if (catalogue->computed) return pseudo(english);
  const std::string* other = form_of(*catalogue, one, count);
  return other != nullptr ? *other : std::string(english);
}

namespace say_detail {

std::string counted(int64_t count, std::string_view noun) {
  const std::string one = fmt::format("{{}} {}", noun);
  return fmt::vformat(said_count(one, one + "s", count), fmt::make_format_args(count));
}

std::string format(std::string_view english, fmt::format_args values) {
  return installed_catalogue() == nullptr ? fmt::vformat(english, values)
                                          : fmt::vformat(said(english), values);
}

}  // namespace say_detail

std::string grouped_count(int64_t count, std::string_view noun) {
  const std::string one = fmt::format("{{}} {}", noun), digits = group_digits(count);
  return fmt::vformat(said_count(one, one + "s", count), fmt::make_format_args(digits));
}

}  // namespace shardscope
