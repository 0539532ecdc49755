// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/definition.h"

#include <gtest/gtest.h>

namespace shardscope::definition_test {
namespace {

TEST(Definition, ReadsAProductWithRelu) {
  const auto d = parse_definition("H[m,f] = relu(X[m,k] W1[k,f])");
  ASSERT_TRUE(d.ok()) << d.error().text();
  EXPECT_EQ(d->result, (IndexedArray{"H", {"m", "f"}}));
  ASSERT_EQ(d->factors.size(), 2u);
  EXPECT_EQ(d->factors[1], (IndexedArray{"W1", {"k", "f"}}));
  EXPECT_TRUE(d->relu);
}

TEST(Definition, ReadsGroupsOfRows) {
  const auto d = parse_definition("Y[m,n] = X[m,k] W[e,k,n] where e[m] = 0:12 3:20");
  ASSERT_TRUE(d.ok()) << d.error().text();
  EXPECT_EQ(d->factors[1], (IndexedArray{"W", {"e", "k", "n"}}));
  EXPECT_EQ(d->group, "e");
  EXPECT_EQ(d->runs, (std::vector<GroupRun>{{0, 12}, {3, 20}}));
  EXPECT_EQ(parse_definition("Y[m,n] = X[m,k] W[e,k,n] where e[m] = 0-12").error().text(),
            "got '-12', expected ':'; definition:1:40");
}

TEST(Definition, SaysHowItsFactorsFitAProductOfMatrices) {
  const auto form = [](const char* text) { return *product_form(*parse_definition(text)); };
  EXPECT_EQ(form("Y[m,n] = X[m,k] W[k,n]"), (ProductForm{0, 1, false, false}));
  EXPECT_EQ(form("dX[m,k] = Y[m,n] W[k,n]"), (ProductForm{0, 1, false, true}));
  EXPECT_EQ(form("dW[k,n] = X[m,k] Y[m,n]"), (ProductForm{0, 1, true, false}));
  EXPECT_EQ(form("dW[k,n] = Y[m,n] X[m,k]"), (ProductForm{1, 0, true, false}));
}

TEST(Definition, ErrorsSayWhereAndWhatWasExpected) {
  const auto error = [](const char* text) {
    const auto d = parse_definition(text);
    return d.ok() ? product_form(*d).error().text() : d.error().text();
  };
  EXPECT_EQ(error("Y[m,n] X[m,k]"), "got 'X', expected '='; definition:1:8");
  EXPECT_EQ(error("Y[m,n] = X[m,m] W[k,n]"), "index m stands twice in X; definition:1:14");
  EXPECT_EQ(error("Y[m,q] = X[m,k] W[k,n]"), "index q of Y is in no factor; definition:1:1");
  EXPECT_EQ(error("Y[m,n] = relu(X[m,k] W[k,n]"), "got end of text, expected ')'; definition:1:28");
  EXPECT_EQ(error("Y[m,n] = A[m,k] B[k,l] C[l,n]"), "got 3 factors, expected one or two; definition:1:1");
  EXPECT_EQ(error("Y[m,k] = X[m,k]"),
            "the definition of Y is not a product of two matrices: it has one factor");
  EXPECT_EQ(error("Y[m,n] = X[m] W[n,k]"),
            "the definition of Y is not a product of two matrices: X has 1 indices");
  EXPECT_EQ(error("Y[m,n] = X[m,k] W[l,n]"),
            "the definition of Y is not a product of two matrices: its factors share 0 indices");
}

}  // namespace
}  // namespace shardscope::definition_test
