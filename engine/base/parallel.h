// SPDX-License-Identifier: Apache-2.0
// The one door to oneTBB.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace shardscope {

// A limit on threads and a parallel loop. Bodies must be independent: nothing waits inside a body, nothing
// mutable is shared, so a result never depends on the number of threads. With SHARDSCOPE_PLAIN_THREADS the
// loop runs on std::thread, which ThreadSanitizer understands.
class Workers {
 public:
  explicit Workers(int threads = 0);  // 0: as many as the machine has
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const;
  // Calls body(i) once for every i in [0, count), `grain` neighbours to a task.
  void parallel_for(int64_t count, const std::function<void(int64_t)>& body, int64_t grain = 1) const;

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace shardscope
