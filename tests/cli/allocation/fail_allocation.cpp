// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, makes allocations of its C++ code fail. They are counted from main() on, over all
// threads.
//   SHARDSCOPE_FAIL_AT=N       the N-th fails (from 1)
//   SHARDSCOPE_FAIL_FOR=K      and so do those behind it, K in all (1 when it is not said)
//   SHARDSCOPE_FAIL_PLACES=F   none fails; F gets the numbers of those from a place not seen before,
//                              a place being the last few calls that led there
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <new>

namespace {

std::atomic<int64_t> count{0};
int64_t fail_at = 0, fail_for = 1;
bool armed = false;
std::FILE* places = nullptr;
thread_local bool looking = false;  // at a place, which allocates too

constexpr int kCalls = 12;
constexpr size_t kMostPlaces = size_t{1} << 20;
std::array<std::atomic<uint64_t>, kMostPlaces> seen;

bool is_new(uint64_t place) {
  place |= 1U;
  for (size_t at = place % kMostPlaces;; at = (at + 1) % kMostPlaces) {
    uint64_t there = 0;
    if (seen[at].compare_exchange_strong(there, place)) return true;
    if (there == place) return false;
  }
}

void look(int64_t number) {
  looking = true;
  std::array<void*, kCalls> calls{};
  const int got = backtrace(calls.data(), kCalls);
  uint64_t place = 14695981039346656037U;
  for (int k = 0; k < got; ++k)
    place = (place ^ reinterpret_cast<uintptr_t>(calls[static_cast<size_t>(k)])) * 1099511628211U;
  if (is_new(place)) std::fprintf(places, "%lld\n", static_cast<long long>(number));
  looking = false;
}

bool fails() {
  if (!armed || looking) return false;
  const int64_t number = ++count;
  if (places != nullptr) look(number);
  return fail_at > 0 && number >= fail_at && number < fail_at + fail_for;
}

int64_t number_of(const char* variable, int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  fail_at = number_of("SHARDSCOPE_FAIL_AT", 0);
  fail_for = number_of("SHARDSCOPE_FAIL_FOR", 1);
  if (const char* path = std::getenv("SHARDSCOPE_FAIL_PLACES")) places = std::fopen(path, "w");
  armed = true;
  const int code = real_main(argc, argv, environment);
  armed = false;
  if (places != nullptr) std::fclose(places);
  return code;
}

void* allocate(size_t bytes, size_t alignment) {
  if (fails()) throw std::bad_alloc();
  if (bytes == 0) bytes = 1;
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t))
    memory = std::malloc(bytes);
  else if (posix_memalign(&memory, alignment, bytes) != 0)
    memory = nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t bytes) {
  return allocate(bytes, 1);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

// Big arrays are had from here.
extern "C" void* aligned_alloc(size_t alignment, size_t bytes) {
  if (fails()) return nullptr;
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

extern "C" int __libc_start_main(Main* main, int argc, char** argv, Main* init, void (*fini)(),
                                 void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  using Start = int(Main*, int, char**, Main*, void (*)(), void (*)(), void*);
  auto* const start = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
