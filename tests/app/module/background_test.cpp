// SPDX-License-Identifier: Apache-2.0
// A job of the window whose memory the machine does not give is a job that says so.
#include "app/window/document/background.h"

#include <QTest>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <vector>

namespace shardscope::background_test {
namespace {

// What the work's end was told of.
template <class Value, class Work>
std::optional<Value> delivered(Work work) {
  Background background;
  std::optional<Value> out;
  background.start(work, [&out](Value value) { out.emplace(std::move(value)); });
  [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return out.has_value(); }, 30'000);
  return out;
}

struct TwoParts {
  Result<int> first;
  Result<void> second;
};
struct WithRest {
  Result<int> first;
  std::vector<int> rest;
};

TEST(Background, MemoryThatIsNotThereIsTheResultsError) {
  const auto made = delivered<Result<int>>([](std::stop_token) -> Result<int> { throw std::bad_alloc(); });
  ASSERT_TRUE(made.has_value());
  ASSERT_FALSE(made->ok());
  EXPECT_EQ(made->error().kind, ErrorKind::too_big);
  EXPECT_TRUE(made->error().what.starts_with("this machine has no more memory")) << made->error().text();

  const auto sized =
      delivered<Result<int>>([](std::stop_token) -> Result<int> { throw MemoryRefused(int64_t{3} << 30); });
  ASSERT_TRUE(sized.has_value());
  EXPECT_TRUE(sized->error().what.starts_with("the machine gives no 3.0 GiB of memory more"))
      << sized->error().text();

  const auto too_long =
      delivered<Result<void>>([](std::stop_token) -> Result<void> { throw std::length_error("vector"); });
  ASSERT_TRUE(too_long.has_value());
  EXPECT_EQ(too_long->error().what, "an array would be longer than memory can address");
}

TEST(Background, AValueThatHasPartsHasTheErrorInThem) {
  const auto both = delivered<TwoParts>([](std::stop_token) -> TwoParts { throw std::bad_alloc(); });
  ASSERT_TRUE(both.has_value());
  EXPECT_FALSE(both->first.ok());
  EXPECT_FALSE(both->second.ok());
  const auto one = delivered<WithRest>([](std::stop_token) -> WithRest { throw std::bad_alloc(); });
  ASSERT_TRUE(one.has_value());
  EXPECT_FALSE(one->first.ok());
  const auto rows =
      delivered<std::vector<int>>([](std::stop_token) -> std::vector<int> { throw std::bad_alloc(); });
  ASSERT_TRUE(rows.has_value());
  EXPECT_TRUE(rows->empty());
}

// The next piece of work is as good as any.
TEST(Background, WorksOnAfterwards) {
  Background background;
  int done = 0;
  background.start([](std::stop_token) -> Result<int> { throw std::bad_alloc(); },
                   [&](const Result<int>& value) { done += value.ok() ? 100 : 1; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return done == 1; }, 30'000));
  background.start([](std::stop_token) -> Result<int> { return 10; },
                   [&](const Result<int>& value) { done += *value; });
  EXPECT_TRUE(QTest::qWaitFor([&] { return done == 11; }, 30'000));
}

}  // namespace
}  // namespace shardscope::background_test
