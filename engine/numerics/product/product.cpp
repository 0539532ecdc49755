// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/product.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/numerics/product/bf16_panels.h"
#include "engine/numerics/product/pack.h"

namespace shardscope {

namespace {

constexpr int64_t kPackedBudget = int64_t{32} << 20;  // bytes of packed A held at a time

// Part of one term's contraction.
struct Stretch {
  size_t term;
  int64_t k, depth;
  int64_t padded;  // depth as the kernel wants it
  int64_t start;   // sum of what the term's earlier stretches have padded
};
// Stretches that one pass of the kernel sums before C is touched.
using Block = std::vector<Stretch>;

// Blocks of at most `limit` of k: bits follow from this cut, so it depends on the terms' shapes alone.
std::vector<Block> cut_contraction(const std::vector<int64_t>& depths, int64_t limit, int64_t multiple) {
  std::vector<Block> blocks;
  int64_t filled = limit;
  for (size_t t = 0; t < depths.size(); ++t) {
    const int64_t parts = ceil_div(depths[t], limit);
    int64_t place = 0;
    for (int64_t p = 0; p < parts; ++p) {
      const int64_t start = depths[t] * p / parts, depth = depths[t] * (p + 1) / parts - start;
      if (filled + depth > limit) {
        blocks.emplace_back();
        filled = 0;
      }
      const int64_t padded = ceil_div(depth, multiple) * multiple;
      blocks.back().push_back({t, start, depth, padded, place});
      place += padded;
      filled += depth;
    }
  }
  return blocks;
}

template <class T>
T* scratch(int64_t count) {
  thread_local Array memory;
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  if (memory.element_count() < bytes) memory = Array::allocate(ElementType::u8, {bytes});
  return reinterpret_cast<T*>(memory.mutable_data());
}

template <class T>
void pack(const MatrixView& matrix, int64_t row, int64_t width, int64_t k, int64_t depth, T* panel) {
  element::visit(matrix.type, [&](auto tag) {
    using Tag = decltype(tag);
    pack_panel<Tag, T>(matrix, row, width, k, depth, panel);
  });
}

// Sums in registers before C is touched: of k, at most.
template <class T>
constexpr int64_t kDepth = sizeof(T) == 8   ? 256
                           : sizeof(T) == 4 ? 384
                                            : 1024;
// The matrix unit outruns memory: there, more of B stays in cache for each panel of A, and rows are shared
// out before columns.
template <class T>
constexpr bool kOutrunsMemory = sizeof(T) < 4;
template <class T>
constexpr int64_t kWidest = kOutrunsMemory<T> ? 8 : 4;  // tiles of columns to a task
template <class T>
constexpr int64_t kFewestPanels = kOutrunsMemory<T> ? 32 : 16;  // for which a task may pack its B anew

// All devices' products of one instruction.
template <class T>
class Batch {
 public:
  Batch(const std::vector<Product>& products, const Workers& workers, const std::stop_token& stop, Isa isa)
      : products_(products), workers_(workers), stop_(stop), kernel_(micro_kernel<T>(isa)) {
    const Product& model = products.front();
    m_ = model.terms.front().a->rows;
    n_ = model.terms.front().b->rows;
    std::vector<int64_t> depths;
    for (const Product::Term& term : model.terms) depths.push_back(term.a->columns);
    blocks_ = cut_contraction(depths, kDepth<T>, kernel_.depth);
    panels_ = ceil_div(m_, kernel_.rows);
    group_by_b();
  }

  void run(BufferPool& pool) {
    if (m_ == 0 || n_ == 0) return;
    if (blocks_.empty()) {
      for (const Product& p : products_) {
        if (!p.accumulate) std::memset(p.c, 0, static_cast<size_t>(m_ * n_) * sizeof(Sum));
      }
      return;
    }
    pack_kept_b(pool);
    for (size_t first = 0; first < blocks_.size() && !stop_.stop_requested();) {
      const size_t end = plan_chunk(first);
      Array memory = pool.take(ElementType::u8, {packed_size_ * static_cast<int64_t>(sizeof(T))});
      packed_ = reinterpret_cast<T*>(memory.mutable_data());
      pack_a();
      multiply(first, end);
      first = end;
    }
  }

 private:
  using Sum = typename SumOf<T>::Type;
  // Devices that read the same B: their rows share every packed panel of it.
  struct Group {
    std::vector<const Product*> members;
  };
  struct PackedA {
    const MatrixView* matrix;
    int64_t k, depth, padded, offset;  // offset in packed_
  };
  using PackedKey = std::pair<const MatrixView*, int64_t>;

  void group_by_b() {
    std::map<std::vector<const MatrixView*>, size_t> index;
    for (const Product& product : products_) {
      std::vector<const MatrixView*> key;
      for (const Product::Term& term : product.terms) key.push_back(term.b.get());
      const auto [it, fresh] = index.emplace(std::move(key), groups_.size());
      if (fresh) groups_.emplace_back();
      groups_[it->second].members.push_back(&product);
    }
  }

  // Chooses blocks [first, end) whose packed A fits the budget, and places for it.
  size_t plan_chunk(size_t first) {
    packed_a_.clear();
    places_.clear();
    packed_size_ = 0;
    size_t end = first;
    for (; end < blocks_.size(); ++end) {
      if (end > first && packed_size_ * static_cast<int64_t>(sizeof(T)) > kPackedBudget) break;
      for (const Stretch& s : blocks_[end]) {
        for (const Product& product : products_) {
          const MatrixView* matrix = product.terms[s.term].a.get();
          if (!places_.emplace(PackedKey{matrix, s.k}, packed_size_).second) continue;
          packed_a_.push_back({matrix, s.k, s.depth, s.padded, packed_size_});
          packed_size_ += panels_ * kernel_.rows * s.padded;
        }
      }
    }
    return end;
  }

  void pack_a() {
    // Some panels to a task: about 64 KiB.
    const int64_t depth = packed_a_.front().depth;
    const int64_t grain = std::clamp<int64_t>(16384 / (kernel_.rows * depth), 1, panels_);
    const int64_t parts = ceil_div(panels_, grain);
    workers_.parallel_for(static_cast<int64_t>(packed_a_.size()) * parts, [&](int64_t i) {
      const PackedA& a = packed_a_[static_cast<size_t>(i / parts)];
      const int64_t start = i % parts * grain, end = std::min(panels_, start + grain);
      for (int64_t p = start; p < end && !stop_.stop_requested(); ++p) {
        pack_left(*a.matrix, p * kernel_.rows, a.k, a.depth,
                  packed_ + a.offset + p * kernel_.rows * a.padded);
      }
    });
  }

  void pack_left(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, T* panel) const {
    if constexpr (std::is_same_v<T, Bf16>)
      pack_bf16_left(matrix, row, k, depth, panel);
    else
      pack(matrix, row, kernel_.rows, k, depth, panel);
  }
  void pack_right(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, T* panel) const {
    if constexpr (std::is_same_v<T, Bf16>)
      pack_bf16_right(matrix, row, k, depth, panel);
    else
      pack(matrix, row, kernel_.columns, k, depth, panel);
  }

  int64_t padded_depth(size_t term) const {
    int64_t sum = 0;
    for (const Block& block : blocks_)
      for (const Stretch& s : block) sum += s.term == term ? s.padded : 0;
    return sum;
  }

  // Where the panel of a kept B starts for one stretch and one tile of columns.
  int64_t kept_offset(const Stretch& s, int64_t tile) const {
    return (s.start * ceil_div(n_, kernel_.columns) + tile * s.padded) * kernel_.columns;
  }

  void pack_kept_b(BufferPool& pool) {
    struct Task {
      const MatrixView* matrix;
      T* panels;
      Stretch stretch;
    };
    std::vector<Task> tasks;
    const int64_t tiles = ceil_div(n_, kernel_.columns);
    std::set<std::pair<KeptPanels*, int64_t>> planned;  // by where a stretch starts
    std::set<KeptPanels*> fresh;
    for (const Group& group : groups_) {
      for (const Block& block : blocks_) {
        for (const Stretch& s : block) {
          const Product::Term& term = group.members.front()->terms[s.term];
          if (term.kept_b == nullptr) continue;
          KeptPanels& kept = *term.kept_b;
          if (kept.memory.data() == nullptr) {
            const int64_t elements = tiles * kernel_.columns * padded_depth(s.term);
            kept.memory = pool.take(ElementType::u8, {elements * static_cast<int64_t>(sizeof(T))});
            fresh.insert(&kept);
          }
          if (fresh.count(&kept) > 0 && planned.emplace(&kept, s.k).second)
            tasks.push_back({term.b.get(), reinterpret_cast<T*>(kept.memory.mutable_data()), s});
        }
      }
    }
    workers_.parallel_for(static_cast<int64_t>(tasks.size()) * tiles, [&](int64_t i) {
      const Task& task = tasks[static_cast<size_t>(i / tiles)];
      const int64_t tile = i % tiles;
      if (stop_.stop_requested()) return;
      pack_right(*task.matrix, tile * kernel_.columns, task.stretch.k, task.stretch.depth,
                 task.panels + kept_offset(task.stretch, tile));
    });
  }

  // A task is a strip of C's columns times a range of the group's row panels.
  void multiply(size_t first, size_t end) {
    const int64_t groups = static_cast<int64_t>(groups_.size());
    const int64_t tiles = ceil_div(n_, kernel_.columns);
    const int64_t enough = 8 * workers_.threads();
    int64_t most = 0;
    for (const Group& g : groups_) most = std::max(most, static_cast<int64_t>(g.members.size()) * panels_);
    const int64_t most_parts = std::max<int64_t>(1, most / kFewestPanels<T>);
    int64_t width = kWidest<T>;
    while (width > 1 && groups * ceil_div(tiles, width) * (kOutrunsMemory<T> ? most_parts : 1) < enough)
      width /= 2;
    const int64_t strips = ceil_div(tiles, width);
    const int64_t parts = std::clamp<int64_t>(enough / (groups * strips), 1, most_parts);
    workers_.parallel_for(groups * strips * parts, [&](int64_t i) {
      const Group& group = groups_[static_cast<size_t>(i / (strips * parts))];
      const int64_t strip = i / parts % strips, part = i % parts;
      const int64_t rows = static_cast<int64_t>(group.members.size()) * panels_;
      multiply_strip(group, {static_cast<int64_t>(first), static_cast<int64_t>(end)},
                     {strip * width, std::min(tiles, (strip + 1) * width)},
                     {rows * part / parts, rows * (part + 1) / parts});
    });
  }

  struct Range {
    int64_t begin, end;
  };
  void multiply_strip(const Group& group, Range blocks, Range tiles, Range rows) {
    const Product& model = *group.members.front();
    std::vector<PanelPair<T>> pairs;
    std::vector<const T*> packed_b;
    std::vector<const T*> packed_a;
    for (auto b = static_cast<size_t>(blocks.begin); b < static_cast<size_t>(blocks.end); ++b) {
      if (stop_.stop_requested()) return;
      const Block& block = blocks_[b];
      const bool accumulate = b > 0;
      int64_t depth = 0;
      for (const Stretch& s : block) depth += s.padded;
      T* panel = scratch<T>(depth * (tiles.end - tiles.begin) * kernel_.columns);
      packed_b.clear();
      for (int64_t t = tiles.begin; t < tiles.end; ++t) {
        for (const Stretch& s : block) {
          if (const auto& kept = model.terms[s.term].kept_b) {
            packed_b.push_back(reinterpret_cast<const T*>(kept->memory.data()) + kept_offset(s, t));
            continue;
          }
          pack_right(*model.terms[s.term].b, t * kernel_.columns, s.k, s.depth, panel);
          packed_b.push_back(panel);
          panel += s.padded * kernel_.columns;
        }
      }
      pairs.resize(block.size());
      packed_a.resize(block.size());
      const Product* member = nullptr;
      for (int64_t row = rows.begin; row < rows.end; ++row) {
        const Product* owner = group.members[static_cast<size_t>(row / panels_)];
        const int64_t p = row % panels_;
        if (owner != member) {
          member = owner;
          for (size_t s = 0; s < block.size(); ++s) {
            packed_a[s] = packed_ + places_.at({owner->terms[block[s].term].a.get(), block[s].k});
          }
        }
        const int64_t height = std::min(kernel_.rows, m_ - p * kernel_.rows);
        for (int64_t t = tiles.begin; t < tiles.end; ++t) {
          for (size_t s = 0; s < block.size(); ++s) {
            const T* right = packed_b[static_cast<size_t>(t - tiles.begin) * block.size() + s];
            pairs[s] = {packed_a[s] + p * kernel_.rows * block[s].padded, right, block[s].padded};
          }
          const int64_t column = t * kernel_.columns;
          Sum* c = reinterpret_cast<Sum*>(owner->c) + p * kernel_.rows * n_ + column;
          kernel_.run(pairs, c, n_, accumulate || owner->accumulate, height,
                      std::min(kernel_.columns, n_ - column));
        }
      }
    }
  }

  const std::vector<Product>& products_;
  const Workers& workers_;
  const std::stop_token& stop_;
  const MicroKernel<T> kernel_;
  int64_t m_ = 0, n_ = 0;
  int64_t panels_ = 0;  // of one device's rows
  std::vector<Block> blocks_;
  std::vector<Group> groups_;
  std::vector<PackedA> packed_a_;
  std::map<PackedKey, int64_t> places_;
  int64_t packed_size_ = 0;
  T* packed_ = nullptr;
};

}  // namespace

void run_products(const std::vector<Product>& products, BufferPool& pool, const Workers& workers,
                  const std::stop_token& stop, Isa isa) {
  if (products.empty()) return;
  const auto type = product_type(products.front().terms.front().a->type);
  CHECK(type.has_value());
  if (*type == ElementType::f64) return Batch<double>(products, workers, stop, isa).run(pool);
  const Product::Term& term = products.front().terms.front();
  if (isa >= Isa::avx512_bf16 && term.a->type == ElementType::bf16 && term.b->type == ElementType::bf16)
    return Batch<Bf16>(products, workers, stop, isa).run(pool);
  if (*type == ElementType::f32) return Batch<float>(products, workers, stop, isa).run(pool);
  Batch<uint32_t>(products, workers, stop, isa).run(pool);  // s32 and u32: the same modulo 2^32
}

}  // namespace shardscope
