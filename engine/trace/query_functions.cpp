// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/query_functions.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <unordered_set>

namespace shardscope::inline trace {
namespace {

std::string_view bytes_of(sqlite3_value* value) {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));  // text stays text
  if (bytes == nullptr) return "";
  return {bytes, static_cast<size_t>(sqlite3_value_bytes(value))};
}

// memmem takes linear time, std::string_view::find does not.
size_t find(std::string_view text, std::string_view sought) {
  const void* found = memmem(text.data(), text.size(), sought.data(), sought.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

bool any_null(int count, sqlite3_value** values) {
  return std::any_of(values, values + count,
                     [](sqlite3_value* v) { return sqlite3_value_type(v) == SQLITE_NULL; });
}

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Of two blobs the place in bytes, else in characters; 0: none.
void instr(sqlite3_context* context, int count, sqlite3_value** values) {
  if (any_null(count, values)) return;
  const bool blobs =
      sqlite3_value_type(values[0]) == SQLITE_BLOB && sqlite3_value_type(values[1]) == SQLITE_BLOB;
  if (!blobs) {
    sqlite3_value_text(values[0]);
    sqlite3_value_text(values[1]);
  }
  const std::string_view text = bytes_of(values[0]), sought = bytes_of(values[1]);
  if (sought.empty()) return sqlite3_result_int(context, 1);
  const size_t at = find(text, sought);
  if (at == std::string_view::npos) return sqlite3_result_int(context, 0);
  const std::string_view before = text.substr(0, at);
  const auto places = blobs ? static_cast<std::ptrdiff_t>(at)
                            : std::count_if(before.begin(), before.end(), std::not_fn(continues));
  sqlite3_result_int64(context, places + 1);
}

void replace(sqlite3_context* context, int count, sqlite3_value** values) {
  if (any_null(count, values)) return;
  for (int i = 0; i < count; ++i) sqlite3_value_text(values[i]);
  std::string_view rest = bytes_of(values[0]);
  const std::string_view sought = bytes_of(values[1]), by = bytes_of(values[2]);
  if (sought.empty()) return sqlite3_result_value(context, values[0]);
  const auto most =
      static_cast<size_t>(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
  try {
    std::string out;
    while (true) {
      const size_t at = find(rest, sought);
      out += rest.substr(0, at);
      if (at == std::string_view::npos) break;
      out += by;
      if (out.size() > most) return sqlite3_result_error_toobig(context);
      rest.remove_prefix(at + sought.size());
    }
    sqlite3_result_text64(context, out.data(), out.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } catch (const std::bad_alloc&) {  // no exception goes through SQLite
    sqlite3_result_error_nomem(context);
  }
}

std::string_view first_character(std::string_view text) {
  size_t bytes = 1;
  if (static_cast<unsigned char>(text[0]) >= 0xC0U)
    while (bytes < text.size() && continues(text[bytes])) ++bytes;
  return text.substr(0, bytes);
}

std::string_view last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && continues(text[at])) --at;
  const std::string_view whole = text.substr(at);
  return first_character(whole).size() == whole.size() ? whole : text.substr(text.size() - 1);
}

struct Sides {
  bool left, right;
};
constexpr Sides kLeft{true, false}, kRight{false, true}, kBoth{true, true};

// trim(), ltrim() and rtrim() of the characters that are named.
void trim_named(sqlite3_context* context, int count, sqlite3_value** values) {
  if (any_null(count, values)) return;
  for (int i = 0; i < count; ++i) sqlite3_value_text(values[i]);
  std::string_view text = bytes_of(values[0]), named = bytes_of(values[1]);
  const auto& sides = *static_cast<const Sides*>(sqlite3_user_data(context));
  try {
    std::unordered_set<std::string_view> characters;
    while (!named.empty()) {
      const std::string_view one = first_character(named);
      characters.insert(one);
      named.remove_prefix(one.size());
    }
    while (sides.left && !text.empty() && characters.contains(first_character(text)))
      text.remove_prefix(first_character(text).size());
    while (sides.right && !text.empty() && characters.contains(last_character(text)))
      text.remove_suffix(last_character(text).size());
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

void make_searching_linear(const Database& db) {
  constexpr int kKind = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const auto make = [&](const char* name, int arguments, const Sides* sides, auto* function) {
    sqlite3_create_function_v2(db.handle(), name, arguments, kKind, const_cast<Sides*>(sides), function,
                               nullptr, nullptr, nullptr);
  };
  make("instr", 2, nullptr, instr);
  make("replace", 3, nullptr, replace);
  make("trim", 2, &kBoth, trim_named);
  make("ltrim", 2, &kLeft, trim_named);
  make("rtrim", 2, &kRight, trim_named);
}

}  // namespace shardscope::inline trace
