// SPDX-License-Identifier: Apache-2.0
// Factorisations and systems of equations: HLO's own, and the calls of LAPACK that JAX makes. Every matrix of
// a batch is for itself, so that one that is cut along its batch gives the same bits.
#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/rules.h"
#include "engine/numerics/solve/solve_routines.h"
#include "engine/program/ir/call_config.h"

namespace shardscope::inline numerics {
namespace {

using Dims = std::vector<int64_t>;

// What a call of this meaning must say, for there is no other word on it.
bool says_enough(CustomTarget target, const lapack::Triangle& said) {
  const bool triangle = said.uplo != 0, side = said.side != 0;
  switch (target) {
    case CustomTarget::potrf:
    case CustomTarget::syevd:
    case CustomTarget::sytrd:
      return triangle;
    case CustomTarget::ormqr:
      return side;
    case CustomTarget::trsm:
      return triangle && side && said.trans != 0 && said.diag != 0;
    default:
      return true;
  }
}

// What a call says, in LAPACK's letters: uplo = 76 : ui8, lower = true, …
SolveOptions options_of(const Instruction& i) {
  SolveOptions out;
  out.triangle = {0, 0, 0, 0};
  const auto letter = [&](const char* key, std::string_view of, char& into) {
    const auto code = call_number(i, key);
    if (!code) return;
    into = *code < 128 && *code > 0 ? static_cast<char>(*code) : '?';
    out.is_understood = out.is_understood && of.find(into) != std::string_view::npos;
  };
  const auto either = [&](const char* key, char yes, char no, char& into) {
    if (const auto said = call_number(i, key)) into = *said != 0 ? yes : no;
  };
  either("lower", 'L', 'U', out.triangle.uplo);
  letter("uplo", "LU", out.triangle.uplo);
  // Eigh of TPUs: "1,1,100,1e-6", lower, sorted, and when to stop.
  if (const auto lower = number_at(config_behind(i, "")); custom_call_target(i) == "Eigh" && lower)
    out.triangle.uplo = *lower != 0 ? 'L' : 'U';
  either("left", 'L', 'R', out.triangle.side);
  letter("side", "LR", out.triangle.side);
  letter("trans_x", "NTC", out.triangle.trans);
  letter("diag", "NU", out.triangle.diag);
  either("compute_uv", 'S', 'N', out.mode);
  letter("mode", "NVAS", out.mode);
  out.transposed = call_number(i, "transpose").value_or(0) != 0;
  out.left = call_number(i, "compute_left").value_or('V') == 'V';
  out.right = call_number(i, "compute_right").value_or('V') == 'V';
  out.low = call_number(i, "low").value_or(1);
  out.high = call_number(i, "high").value_or(0);
  out.is_understood = out.is_understood && says_enough(custom_target(i), out.triangle);
  return out;
}

std::vector<Shape> result_shapes(const Instruction& i) {
  return i.shape.is_tuple ? std::vector<Shape>(i.shape.elements.begin(), i.shape.elements.end())
                          : std::vector<Shape>{i.shape};
}

// The type in which a narrow float is computed.
ElementType computed_type(ElementType type) {
  return is_narrow(type) ? ElementType::f32 : type;
}

ElementType type_of(const SolvePart& part, ElementType matrix) {
  switch (part.of) {
    case SolvePart::Of::real:
      return real_type(matrix);
    case SolvePart::Of::complex:
      return real_type(matrix) == ElementType::f64 ? ElementType::c128 : ElementType::c64;
    case SolvePart::Of::integer:
      return ElementType::s32;
    default:
      return matrix;
  }
}

// One such instruction on all devices.
class Solver {
 public:
  Solver(Step& step, int64_t item_rank) : step_(step), results_(result_shapes(step.at())) {
    for (size_t k = 0; k < step.at().operands.size(); ++k) operands_.push_back(step.operand_shape(k));
    if (!operands_.empty() && !operands_[0].is_tuple)
      batch_rank_ = std::max<int64_t>(0, static_cast<int64_t>(operands_[0].rank()) - item_rank);
  }

  Result<void> run(CustomTarget target, SolveOptions options) {
    const SolveRow* row = solve_row(target);
    if (row == nullptr || operands_.empty() || operands_[0].is_tuple) return cannot("");
    if (!options.is_understood) return cannot(" whose options are not those of LAPACK");
    type_ = computed_type(operands_[0].type);
    const SolveRoutine routine = row->of(type_);
    options.is_complex = real_type(type_) != type_;
    if (routine == nullptr) return cannot(" of " + operands_[0].text());
    TRY_VOID(check(row->signature(item_shapes(), options)));
    TRY_VOID(check_sizes());
    compute(routine, options);
    return {};
  }

 private:
  Error cannot(const std::string& why) const { return cannot_run(step_.at(), why); }

  Dims batch() const { return Dims(operands_[0].dims.begin(), operands_[0].dims.begin() + batch_rank_); }
  Dims item_of(const Shape& shape) const {
    return Dims(shape.dims.begin() + std::min<int64_t>(batch_rank_, static_cast<int64_t>(shape.rank())),
                shape.dims.end());
  }
  SolveShapes item_shapes() const {
    SolveShapes out;
    for (const Shape& shape : operands_) out.operands.push_back(item_of(shape));
    for (const Shape& shape : results_) out.results.push_back(item_of(shape));
    return out;
  }

  // Every operand and result is a batch of what the routine takes and gives.
  Result<void> check(const SolveSignature& signature) {
    bool fits = !signature.operands.empty() && signature.operands.size() == operands_.size() &&
                signature.results.size() == results_.size();
    const auto is_batch = [&](const Shape& shape, const SolvePart& part) {
      if (shape.is_tuple || !element::has_arrays(shape.type)) return false;
      const Dims around = batch();
      return part.of == SolvePart::Of::unused ||
             (shape.rank() >= around.size() && std::equal(around.begin(), around.end(), shape.dims.begin()) &&
              item_of(shape) == part.dims && computed_type(shape.type) == type_of(part, type_));
    };
    for (size_t k = 0; fits && k < operands_.size(); ++k)
      fits = is_batch(operands_[k], signature.operands[k]);
    for (size_t k = 0; fits && k < results_.size(); ++k) fits = is_batch(results_[k], signature.results[k]);
    if (fits) return {};
    std::string words;
    for (const Shape& shape : operands_)
      words += (words.empty() ? " of " : ", ") + shape.text_without_layout();
    return cannot(words + " giving " + step_.at().shape.text_without_layout());
  }

  Result<void> check_sizes() const {
    for (const Shape& shape : operands_)
      for (const int64_t size : item_of(shape))
        if (size > kMostMatrixRows)
          return too_big("a matrix of " + std::to_string(size) + " rows or columns, at most " +
                             std::to_string(kMostMatrixRows) + " are computed with",
                         "%" + step_.at().name, "say --check off");
    return {};
  }

  void compute(SolveRoutine routine, const SolveOptions& options) {
    const std::vector<size_t> first = step_.first_alike(step_.at().operands);
    std::vector<ArrayViews> operands(operands_.size());
    for (size_t k = 0; k < operands_.size(); ++k) operands[k] = {as_computed(k)};
    int64_t items = 1;
    for (const int64_t size : batch()) items *= size;
    std::vector<size_t> own;
    for (size_t d = 0; d < step_.devices(); ++d)
      if (first[d] == d) own.push_back(d);
    std::vector<std::vector<Array>> results(step_.devices());
    for (const size_t d : own) results[d] = new_results();
    step_.run.workers.parallel_for(static_cast<int64_t>(own.size()) * items, [&](int64_t task) {
      const size_t d = own[static_cast<size_t>(task / std::max<int64_t>(items, 1))];
      if (step_.run.stop.stop_requested()) return;
      SolveItem item;
      item.options = &options;
      const int64_t n = task % items;
      for (size_t k = 0; k < operands_.size(); ++k)
        item.operands.push_back(
            {operands[k].front()[d]->data() + n * item_bytes(operands_[k]), item_of(operands_[k])});
      for (size_t k = 0; k < results_.size(); ++k)
        item.results.push_back(
            {results[d][k].mutable_data() + n * item_bytes(results_[k]), item_of(results_[k])});
      routine(item);
    });
    for (size_t d = 0; d < step_.devices(); ++d) give(d, results[first[d]]);
  }

  std::vector<ViewPtr> as_computed(size_t k) {
    if (computed_type(operands_[k].type) == operands_[k].type) return step_.arrays(k);
    DeviceValues values(step_.devices());
    for (size_t d = 0; d < values.size(); ++d) values[d].view = step_.view(k, d);
    convert_values(values, computed_type(operands_[k].type), step_.run.pool, step_.run.loops);
    std::vector<ViewPtr> views;
    for (const DeviceValue& value : values) views.push_back(value.view);
    return step_.plain(views);
  }

  int64_t item_bytes(const Shape& shape) const {
    int64_t elements = 1;
    for (const int64_t size : item_of(shape)) elements *= size;
    return byte_size(computed_type(shape.type), elements);
  }

  std::vector<Array> new_results() {
    std::vector<Array> out;
    for (const Shape& shape : results_) {
      out.push_back(step_.run.pool.take(computed_type(shape.type), shape.dims));
      std::memset(out.back().mutable_data(), 0, static_cast<size_t>(out.back().bytes()));
    }
    return out;
  }

  void give(size_t d, const std::vector<Array>& results) {
    DeviceValues values;
    for (size_t k = 0; k < results.size(); ++k) {
      values.emplace_back().view = std::make_shared<View>(View::of(results[k]));
      if (results[k].type() == results_[k].type) continue;
      DeviceValues narrow{values.back()};
      convert_values(narrow, results_[k].type, step_.run.pool, step_.run.loops);
      values.back() = narrow.front();
    }
    if (step_.at().shape.is_tuple)
      step_.results()[d].elements = std::move(values);
    else
      step_.results()[d] = std::move(values.front());
  }

  Step& step_;
  std::vector<Shape> operands_, results_;
  int64_t batch_rank_ = 0;
  ElementType type_ = ElementType::f32;
};

}  // namespace

Result<void> run_solve_call(Step& step) {
  const Instruction& i = step.at();
  return Solver(step, item_dims(i).value_or(2)).run(custom_target(i), options_of(i));
}

Result<void> run_cholesky(Step& step) {
  SolveOptions options;
  const auto* side = std::get_if<CholeskySide>(&*step.at().attributes);
  options.triangle.uplo = side != nullptr && side->lower ? 'L' : 'U';
  return Solver(step, 2).run(CustomTarget::cholesky, options);
}

Result<void> run_triangular_solve(Step& step) {
  SolveOptions options;
  if (const auto* sides = std::get_if<TriangularSides>(&*step.at().attributes)) {
    using Transpose = TriangularSides::Transpose;
    const bool turned = sides->transpose == Transpose::transpose,
               adjoint = sides->transpose == Transpose::adjoint;
    options.triangle = {sides->left_side ? 'L' : 'R', sides->lower ? 'L' : 'U',
                        adjoint  ? 'C'
                        : turned ? 'T'
                                 : 'N',
                        sides->unit_diagonal ? 'U' : 'N'};
  } else {
    options.triangle = {'R', 'U', 'N', 'N'};
  }
  return Solver(step, 2).run(CustomTarget::trsm, options);
}

// Pivots [..., k] from 0 as a permutation [..., m].
Result<void> run_pivots(Step& step) {
  const Shape &from = step.operand_shape(0), &to = step.at().shape;
  const bool fits = !to.is_tuple && from.type == ElementType::s32 && to.type == ElementType::s32 &&
                    from.rank() > 0 && from.rank() == to.rank() &&
                    std::equal(from.dims.begin(), from.dims.end() - 1, to.dims.begin());
  if (!fits) return cannot_run(step.at(), " of " + from.text());
  const auto operands = step.arrays(0);
  std::vector<Array> results = step.new_arrays();
  const int64_t pivots = from.dims.back(), rows = to.dims.back();
  for (size_t d = 0; d < step.devices(); ++d) {
    const auto* in = reinterpret_cast<const int32_t*>(operands[d]->data());
    auto* out = results[d].mutable_as<int32_t>().data();
    for (int64_t n = 0; rows > 0 && n < to.element_count() / rows; ++n)
      std::ranges::copy(permutation_of(std::vector<int>(in + n * pivots, in + (n + 1) * pivots), rows),
                        out + n * rows);
  }
  step.give(results);
  return {};
}

}  // namespace shardscope::inline numerics
