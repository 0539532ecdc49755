// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/product.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include "engine/numerics/array/copy.h"
#include "engine/numerics/data/fill.h"

namespace shardscope::product_test {
namespace {

const int64_t kRow[] = {0}, kColumn[] = {1};

struct Case {
  int64_t m, k, n;
};

Array run(const Array& x, const Array& w, int devices, const Workers& workers, Isa isa) {
  const int64_t m = x.dims()[0], n = w.dims()[1];
  const auto a = std::make_shared<MatrixView>(matrix_view(View::of(x), kRow, kColumn));
  const auto b = std::make_shared<MatrixView>(matrix_view(View::of(w), kColumn, kRow));
  Array c = Array::allocate(*product_type(x.type()), {devices, m, n});
  std::vector<Product> products;
  for (int d = 0; d < devices; ++d) {
    products.push_back({{{a, b, nullptr}}, c.mutable_data() + d * byte_size(c.type(), m * n), false});
  }
  BufferPool pool;
  run_products(products, pool, workers, {}, isa);
  return c;
}

TEST(Product, EqualsTheSumsWrittenOutForOddSizesEveryTypeAndEveryIsa) {
  const Workers workers(2);
  for (Isa isa : supported_isas()) {
    for (ElementType type :
         {ElementType::f32, ElementType::f64, ElementType::s32, ElementType::bf16, ElementType::f16}) {
      for (const Case& c :
           {Case{1, 1, 1}, Case{7, 5, 3}, Case{9, 400, 50}, Case{33, 1000, 97}, Case{130, 17, 201}}) {
        const MatmulProblem p{c.m, c.k, c.n, type, ElementType::f32};
        const Array x = make_fill(p, Fill::integers, 1, Operand::lhs, workers);
        const Array w = make_fill(p, Fill::integers, 1, Operand::rhs, workers);
        const Array y = run(x, w, 2, workers, isa);
        for (int64_t i = 0; i < 2 * c.m; ++i) {
          for (int64_t j = 0; j < c.n; ++j) {
            double sum = 0;
            for (int64_t k = 0; k < c.k; ++k) sum += x.at(i % c.m * c.k + k) * w.at(k * c.n + j);
            ASSERT_EQ(y.at(i * c.n + j), sum) << kernel_name(isa) << ' ' << name(type) << ' ' << c.m << 'x'
                                              << c.k << 'x' << c.n << " at " << i << ',' << j;
          }
        }
      }
    }
  }
}

// Operands lie in memory by rows or by columns, and panels are filled from either.
TEST(Product, OfBf16IsTheSameHoweverTheOperandsLie) {
  const Workers workers(2);
  const auto transposed = [](const Array& a) {
    const int64_t rows = a.dims()[0], columns = a.dims()[1];
    Array out = Array::allocate(a.type(), {columns, rows});
    for (int64_t i = 0; i < rows * columns; ++i)
      out.mutable_as<uint16_t>()[static_cast<size_t>(i % columns * rows + i / columns)] =
          a.as<uint16_t>()[static_cast<size_t>(i)];
    return out;
  };
  for (const Case& c : {Case{1, 1, 1}, Case{33, 1000, 97}, Case{64, 2049, 70}}) {
    const MatmulProblem p{c.m, c.k, c.n, ElementType::bf16, ElementType::f32};
    const Array x = make_fill(p, Fill::normal, 2, Operand::lhs, workers), xt = transposed(x);
    const Array w = make_fill(p, Fill::normal, 2, Operand::rhs, workers), wt = transposed(w);
    const auto by_rows = std::make_shared<MatrixView>(matrix_view(View::of(x), kRow, kColumn)),
               by_columns = std::make_shared<MatrixView>(matrix_view(View::of(xt), kColumn, kRow)),
               right = std::make_shared<MatrixView>(matrix_view(View::of(w), kColumn, kRow)),
               right_rows = std::make_shared<MatrixView>(matrix_view(View::of(wt), kRow, kColumn));
    for (Isa isa : supported_isas()) {
      std::vector<Array> results;
      for (const auto& a : {by_rows, by_columns}) {
        for (const auto& b : {right, right_rows}) {
          results.push_back(Array::allocate(ElementType::f32, {c.m, c.n}));
          BufferPool pool;
          run_products({{{{a, b, nullptr}}, results.back().mutable_data(), false}}, pool, workers, {}, isa);
          EXPECT_EQ(results.back(), results.front()) << kernel_name(isa) << ' ' << c.m;
        }
      }
    }
  }
}

TEST(Product, BitsDoNotDependOnThreadsOrOnHowManyDevicesShareAnOperand) {
  const Workers one(1), eight(8);
  const MatmulProblem p{200, 900, 310, ElementType::f32, ElementType::f32};
  const Array x = make_fill(p, Fill::normal, 1, Operand::lhs, one),
              w = make_fill(p, Fill::normal, 1, Operand::rhs, one);
  for (Isa isa : supported_isas()) {
    const Array alone = run(x, w, 1, one, isa), many = run(x, w, 3, eight, isa);
    for (size_t i = 0; i < alone.as<float>().size() * 3; ++i) {
      ASSERT_EQ(many.as<float>()[i], alone.as<float>()[i % alone.as<float>().size()]) << kernel_name(isa);
    }
  }
}

// Tiles of two heights make up the rows: which of them an element is in does not show.
TEST(Product, BitsOfARowDoNotDependOnHowManyRowsThereAre) {
  const Workers workers(2);
  const MatmulProblem p{30, 500, 37, ElementType::f32, ElementType::f32};
  const Array x = make_fill(p, Fill::normal, 1, Operand::lhs, workers),
              w = make_fill(p, Fill::normal, 1, Operand::rhs, workers);
  for (const Isa isa : supported_isas()) {
    const Array whole = run(x, w, 1, workers, isa);
    for (int64_t m = 1; m < 30; ++m) {
      const Array some = run(copy_of(*View::of(x).slice(0, 0, m)), w, 1, workers, isa);
      for (int64_t i = 0; i < m * 37; ++i)
        ASSERT_EQ(some.at(i), whole.at(i)) << kernel_name(isa) << ' ' << m << " rows at " << i;
    }
  }
}

// Two devices read the same right matrices in another order, and a left one twice: what is packed once for
// both, or kept for the next product, is what each would pack for itself.
TEST(Product, SharedAndKeptPanelsGiveTheSameBits) {
  const Workers workers(2);
  const MatmulProblem p{21, 96, 70, ElementType::f32, ElementType::f32};
  const Array x = make_fill(p, Fill::normal, 1, Operand::lhs, workers),
              w = make_fill(p, Fill::normal, 1, Operand::rhs, workers);
  std::vector<std::shared_ptr<const MatrixView>> a, b;
  for (int64_t k = 0; k < 96; k += 48) {
    a.push_back(std::make_shared<MatrixView>(matrix_view(*View::of(x).slice(1, k, k + 48), kRow, kColumn)));
    b.push_back(std::make_shared<MatrixView>(matrix_view(*View::of(w).slice(0, k, k + 48), kColumn, kRow)));
  }
  const auto products = [&](Array& c, const std::vector<std::shared_ptr<KeptPanels>>& kept) {
    const auto term = [&](size_t t) { return Product::Term{a[t], b[t], kept[t], nullptr}; };
    std::byte* second = c.mutable_data() + byte_size(c.type(), 21 * 70);
    return std::vector<Product>{{{term(0), term(1)}, c.mutable_data(), false},
                                {{term(1), term(0)}, second, false}};
  };
  for (const Isa isa : supported_isas()) {
    BufferPool pool;
    Array alone = Array::allocate(ElementType::f32, {2, 21, 70}),
          together = Array::allocate(ElementType::f32, {2, 21, 70});
    for (const Product& product : products(alone, {nullptr, nullptr}))
      run_products({product}, pool, workers, {}, isa);
    const std::vector kept = {std::make_shared<KeptPanels>(), std::make_shared<KeptPanels>()};
    for (int round = 0; round < 2; ++round) {
      run_products(products(together, kept), pool, workers, {}, isa);
      EXPECT_EQ(together, alone) << kernel_name(isa) << ", round " << round;
      std::memset(together.mutable_data(), 1, static_cast<size_t>(together.bytes()));
    }
  }
}

TEST(Product, S32WrapsModulo2To32) {
  Array x = Array::allocate(ElementType::s32, {1, 2}), w = Array::allocate(ElementType::s32, {2, 1});
  x.mutable_as<int32_t>()[0] = x.mutable_as<int32_t>()[1] = INT32_MAX;
  w.mutable_as<int32_t>()[0] = w.mutable_as<int32_t>()[1] = INT32_MAX;
  for (Isa isa : supported_isas()) EXPECT_EQ(run(x, w, 1, Workers(1), isa).as<int32_t>()[0], 2);
}

TEST(Product, ContractionsCutInManyTermsAddUp) {
  const Workers workers(2);
  const MatmulProblem p{20, 96, 30, ElementType::f32, ElementType::f32};
  const Array x = make_fill(p, Fill::integers, 4, Operand::lhs, workers);
  const Array w = make_fill(p, Fill::integers, 4, Operand::rhs, workers);
  const Array whole = run(x, w, 1, workers, best_isa());
  Array sum = Array::allocate(ElementType::f32, {20, 30});
  for (float& value : sum.mutable_as<float>()) value = 5;
  Product product{{}, sum.mutable_data(), true};
  for (int64_t k = 0; k < 96; k += 3) {
    const View a = *View::of(x).slice(1, k, k + 3), b = *View::of(w).slice(0, k, k + 3);
    product.terms.push_back({std::make_shared<MatrixView>(matrix_view(a, kRow, kColumn)),
                             std::make_shared<MatrixView>(matrix_view(b, kColumn, kRow)), nullptr});
  }
  BufferPool pool;
  run_products({product}, pool, workers, {}, best_isa());
  for (int64_t i = 0; i < 600; ++i) ASSERT_EQ(sum.at(i), whole.at(i) + 5);
}

}  // namespace
}  // namespace shardscope::product_test
