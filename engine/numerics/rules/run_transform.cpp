// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, and bits that follow from a state.
#include "engine/numerics/array/element.h"
#include "engine/numerics/functions/fourier.h"
#include "engine/numerics/functions/random_bits.h"
#include "engine/numerics/rules/convert.h"
#include "engine/numerics/rules/rules.h"

namespace shardscope::inline numerics {
namespace {

// One array of fft_length out of many: from and to memory in the types of the instruction.
void transform_one(FourierArray& fourier, ElementType from, const std::byte* in, ElementType to,
                   std::byte* out) {
  const int64_t read = fourier.operand_count(), made = fourier.result_count();
  std::vector<std::complex<double>> values(static_cast<size_t>(std::max(read, made)));
  convert_elements(from, in, ElementType::c128, reinterpret_cast<std::byte*>(values.data()), read);
  fourier.transform(values.data());
  convert_elements(ElementType::c128, reinterpret_cast<const std::byte*>(values.data()), to, out, made);
}

}  // namespace

Result<void> run_fft(Step& step) {
  const Instruction& i = step.at();
  const auto* fft = std::get_if<Fft>(&*i.attributes);
  if (fft == nullptr) return cannot_compute(i);
  for (const int64_t length : fft->length)
    if (length > kLongestFourier)
      return too_big(
          "an fft of length " + std::to_string(length) + ", at most " + std::to_string(kLongestFourier),
          "%" + i.name, "say --check off to time it only");
  const ElementType from = step.operand_shape(0).type;
  const std::vector<ViewPtr> operand = step.arrays(0);
  const std::vector<size_t> first = step.first_alike(i.operands);
  std::vector<Array> results(step.devices());
  std::vector<size_t> own;
  for (size_t d = 0; d < step.devices(); ++d) {
    if (first[d] == d) own.push_back(d);
    results[d] = first[d] == d ? step.run.pool.take(i.shape.type, i.shape.dims) : results[first[d]];
  }
  const FourierArray shape(*fft);
  const int64_t batch = i.shape.element_count() / shape.result_count();
  step.run.workers.parallel_for(static_cast<int64_t>(own.size()) * batch, [&](int64_t task) {
    if (step.run.stop.stop_requested()) return;
    const size_t d = own[static_cast<size_t>(task / batch)];
    FourierArray fourier(*fft);
    const int64_t n = task % batch;
    transform_one(fourier, from, operand[d]->data() + stored_bytes(from, n * fourier.operand_count()),
                  i.shape.type,
                  results[d].mutable_data() + stored_bytes(i.shape.type, n * fourier.result_count()));
  });
  step.give(results);
  return {};
}

// The state that goes on, and the bits.
Result<void> run_random_bits(Step& step) {
  const Instruction& i = step.at();
  if (!i.shape.is_tuple || step.operand_shape(0).type != ElementType::u64) return cannot_compute(i);
  const Shape& made = i.shape.elements[1];
  if (!is_integer(made.type) || bits(made.type) < 8) return cannot_compute(i);
  const auto* said = std::get_if<RandomAlgorithm>(&*i.attributes);
  const RandomAlgorithm algorithm = said == nullptr ? RandomAlgorithm::standard : *said;
  const std::vector<ViewPtr> states = step.arrays(0);
  const std::vector<size_t> first = step.first_alike(i.operands);
  for (size_t d = 0; d < step.devices(); ++d) {
    DeviceValue& value = step.results()[d];
    if (first[d] != d) {
      value = step.results()[first[d]];
      continue;
    }
    if (step.run.stop.stop_requested()) return cancelled();
    Array state = copy_of(*states[d]);
    const auto numbers = state.mutable_as<uint64_t>();
    std::vector<uint64_t> moved(numbers.begin(), numbers.end());
    const std::vector<uint64_t> drawn =
        random_bits(algorithm, static_cast<int>(bits(made.type)), made.dims, moved);
    std::copy(moved.begin(), moved.end(), numbers.begin());
    Array array = step.run.pool.take(made.type, made.dims);
    convert_elements(ElementType::u64, reinterpret_cast<const std::byte*>(drawn.data()), made.type,
                     array.mutable_data(), array.element_count());
    value.elements.resize(2);
    value.elements[0].view = std::make_shared<View>(View::of(state));
    value.elements[1].view = std::make_shared<View>(View::of(array));
  }
  return {};
}

}  // namespace shardscope::inline numerics
