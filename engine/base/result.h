// SPDX-License-Identifier: Apache-2.0
// What can go wrong because of a user, a file or the machine. What can go wrong because of us is CHECK
// (check.h).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "engine/base/check.h"

namespace shardscope {

enum class ErrorKind {
  invalid,    // the request or the content of a file is wrong: exit 2
  io,         // a file or database cannot be opened, read, written, or is not ours: exit 4
  too_big,    // does not fit this machine: exit 2
  cancelled,  // the user stopped it: exit 130
};

// Texts are lower case, without a full stop: what (got and expected), where (file:line:column, option or
// strategy), fix (what to do). Prints as "what; where; fix".
struct Error {
  ErrorKind kind = ErrorKind::invalid;
  std::string what;
  std::string where;
  std::string fix;

  std::string text() const;
  bool operator==(const Error&) const = default;
};

Error invalid(std::string what, std::string where = "", std::string fix = "");
Error io_error(std::string what, std::string where = "", std::string fix = "");
Error too_big(std::string what, std::string where = "", std::string fix = "");
Error cancelled(std::string what = "cancelled");

// Either a T or an Error. Reading the value of a failed Result is our bug, hence CHECKed.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    CHECK(ok(), error().text());
    return *std::get_if<0>(&state_);
  }
  T& value() & {
    CHECK(ok(), error().text());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CHECK(ok(), error().text());
    return std::move(*std::get_if<0>(&state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const& {
    const Error* e = std::get_if<1>(&state_);
    CHECK(e != nullptr, "no error in a successful result");
    return *e;
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    CHECK(error_.has_value(), "no error in a successful result");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace shardscope

#define SHARDSCOPE_CONCAT_INNER(a, b) a##b
#define SHARDSCOPE_CONCAT(a, b) SHARDSCOPE_CONCAT_INNER(a, b)

// TRY(auto x, f()): x is the value of f(), or the enclosing function returns f()'s error.
#define TRY(declaration, ...) TRY_IMPL(SHARDSCOPE_CONCAT(try_result_, __LINE__), declaration, __VA_ARGS__)
#define TRY_IMPL(temporary, declaration, ...)    \
  auto temporary = (__VA_ARGS__);                \
  if (!temporary.ok()) return temporary.error(); \
  declaration = *std::move(temporary)

// TRY_VOID(f()): go on, or return f()'s error.
#define TRY_VOID(...) \
  if (const auto& try_void_result = (__VA_ARGS__); !try_void_result.ok()) return try_void_result.error()
