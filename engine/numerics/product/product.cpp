// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/product.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/numerics/product/pack_operand.h"
#include "engine/numerics/product/right_operands.h"

namespace shardscope::inline numerics {

namespace {

constexpr int64_t kPackedBudget = int64_t{32} << 20;  // bytes of packed operands held at a time

template <class T>
T* scratch(int64_t count) {
  thread_local Array memory;
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  if (memory.element_count() < bytes) memory = Array::allocate(ElementType::u8, {bytes});
  return reinterpret_cast<T*>(memory.mutable_data());
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

// All devices' products of one instruction. Loops hold it.
template <class T>
class Batch : public std::enable_shared_from_this<Batch<T>> {
 public:
  Batch(std::vector<Product> products, const Loops& loops, Isa isa)
      : products_(std::move(products)),
        threads_(loops.workers().threads()),
        stop_(loops.stop()),
        kernel_(micro_kernel<T>(isa)),
        right_(products_) {
    const Product& model = products_.front();
    m_ = model.terms.front().a->rows;
    n_ = model.terms.front().b->rows;
    std::vector<TermDepth> depths;
    for (const Product::Term& term : model.terms) depths.push_back({term.a->columns, term.apart});
    blocks_ = cut_contraction(depths, kDepth<T>, kernel_.depth);
    panels_ = row_panels(m_, kernel_.rows, kernel_.low_rows);
    tiles_ = ceil_div(n_, kernel_.columns);
    all_fit_ = all_fits();
  }

  void run(BufferPool& pool, Loops& loops) {
    if (m_ == 0 || n_ == 0) return;
    if (blocks_.empty()) return clear(loops);
    std::vector<PackTask> tasks = kept_tasks(pool);
    for (size_t first = 0; first < blocks_.size() && !stop_.stop_requested();) {
      Chunk plan = plan_chunk(first);
      Array memory = pool.take(ElementType::u8, {plan.size * static_cast<int64_t>(sizeof(T))});
      place(plan, reinterpret_cast<T*>(memory.mutable_data()), tasks);
      const auto chunk = std::make_shared<const Chunk>(std::move(plan));
      pack_all(std::move(tasks), loops);
      multiply(chunk, loops);
      tasks.clear();
      first = chunk->end;
    }
  }

 private:
  using Sum = typename SumOf<T>::Type;
  using Group = std::vector<size_t>;  // of products_; see RightOperands
  using PackTask = shardscope::PackTask<T>;
  // Blocks [first, end), whose packed operands are held at a time. Sources are by product (of A) or group (of
  // B), then by the stretches of all these blocks.
  struct Chunk {
    size_t first = 0, end = 0;
    int64_t size = 0;      // of the memory, in elements
    size_t stretches = 0;  // of its blocks
    struct Planned {
      PackTask task;  // panels is not known yet
      int64_t offset;
    };
    std::vector<Planned> planned;
    struct Source {
      T* panels = nullptr;
      int64_t offset = -1;  // of what is planned
    };
    std::vector<Source> left, right;  // right without panels: every strip packs its own
  };
  using ChunkPtr = std::shared_ptr<const Chunk>;

  // Whether all that is ever packed fits at a time.
  bool all_fits() const {
    std::set<const MatrixView*> lefts;
    for (const Product& p : products_)
      for (const Product::Term& t : p.terms) lefts.insert(t.a.get());
    int64_t elements = 0;
    for (const MatrixView* m : lefts) elements += packed_rows(OperandSide::left) * m->columns;
    for (const MatrixView* m : right_.all) elements += packed_rows(OperandSide::right) * m->columns;
    return elements * static_cast<int64_t>(sizeof(T)) <= kPackedBudget;
  }

  // About what loops of this hold.
  int64_t bytes() const {
    int64_t sum = 0;
    for (const Product& p : products_)
      for (const Product::Term& t : p.terms)
        sum += static_cast<int64_t>(sizeof(t) +
                                    (t.a->tiles.size() + t.b->tiles.size()) * sizeof(MatrixView::Tile));
    return sum;
  }

  void clear(Loops& loops) {
    const auto size = static_cast<size_t>(m_ * n_) * sizeof(Sum);
    loops.run({1,
               [self = this->shared_from_this(), size](int64_t) {
                 for (const Product& p : self->products_)
                   if (!p.accumulate) std::memset(p.c, 0, size);
               }},
              bytes());
  }

  int64_t packed_rows(OperandSide side) const {
    return side == OperandSide::left ? panels_.back().start + panels_.back().height
                                     : tiles_ * kernel_.columns;
  }
  const Product& model(const Group& group) const { return products_[group.front()]; }

  // The places of what is packed for these blocks: once for all products that read it.
  Chunk plan_chunk(size_t first) const {
    Chunk chunk;
    chunk.first = chunk.end = first;
    std::map<std::pair<const MatrixView*, int64_t>, int64_t> lefts, rights;
    std::vector<std::vector<typename Chunk::Source>> left(products_.size()), right(groups_.size());
    const auto plan = [&](auto& places, OperandSide side, const MatrixView* matrix, const DepthPart& s) {
      const auto [place, fresh] = places.emplace(std::pair(matrix, s.k), chunk.size);
      if (fresh) {
        chunk.planned.push_back({{matrix, s, side, nullptr}, chunk.size});
        chunk.size += packed_rows(side) * s.padded;
      }
      return typename Chunk::Source{nullptr, place->second};
    };
    for (; chunk.end < blocks_.size(); ++chunk.end) {
      if (chunk.end > first && chunk.size * static_cast<int64_t>(sizeof(T)) > kPackedBudget) break;
      for (const DepthPart& s : blocks_[chunk.end]) {
        ++chunk.stretches;
        const std::set<const MatrixView*> shared = all_fit_ ? right_.repeated : shared_right(s, chunk.size);
        for (size_t g = 0; g < groups_.size(); ++g) {
          const Product::Term& term = model(groups_[g]).terms[s.term];
          if (term.kept_b)
            right[g].push_back({kept_panels(*term.kept_b, s, OperandSide::right)});
          else if (shared.count(term.b.get()) > 0)
            right[g].push_back(plan(rights, OperandSide::right, term.b.get(), s));
          else
            right[g].emplace_back();
        }
        for (size_t p = 0; p < products_.size(); ++p) {
          const Product::Term& term = products_[p].terms[s.term];
          left[p].push_back(term.kept_a
                                ? typename Chunk::Source{kept_panels(*term.kept_a, s, OperandSide::left)}
                                : plan(lefts, OperandSide::left, term.a.get(), s));
        }
      }
    }
    for (const auto& own : left) chunk.left.insert(chunk.left.end(), own.begin(), own.end());
    for (const auto& own : right) chunk.right.insert(chunk.right.end(), own.begin(), own.end());
    return chunk;
  }

  // The right matrices that more than one group reads in this block, unless their panels would not fit beside
  // `size` elements.
  std::set<const MatrixView*> shared_right(const DepthPart& s, int64_t size) const {
    std::set<const MatrixView*> once, shared;
    for (const Group& group : groups_) {
      const MatrixView* matrix = model(group).terms[s.term].b.get();
      if (!once.insert(matrix).second) shared.insert(matrix);
    }
    const int64_t wanted = static_cast<int64_t>(shared.size()) * packed_rows(OperandSide::right) * s.padded;
    if ((size + wanted) * static_cast<int64_t>(sizeof(T)) > kPackedBudget) shared.clear();
    return shared;
  }

  // Gives all planned panels their place in `memory`, and adds what is to be packed there.
  static void place(Chunk& chunk, T* memory, std::vector<PackTask>& tasks) {
    for (auto& [task, offset] : chunk.planned) {
      tasks.push_back(task);
      tasks.back().panels = memory + offset;
    }
    for (auto* sources : {&chunk.left, &chunk.right})
      for (auto& source : *sources)
        if (source.offset >= 0) source.panels = memory + source.offset;
  }

  // Some panels to a piece of work: about 64 KiB of left ones, a strip of right ones.
  void pack_all(std::vector<PackTask> tasks, Loops& loops) {
    struct Piece {
      size_t task;
      int64_t begin, end;  // panels
    };
    std::vector<Piece> pieces;
    for (size_t t = 0; t < tasks.size(); ++t) {
      const bool left = tasks[t].side == OperandSide::left;
      const int64_t panels = left ? static_cast<int64_t>(panels_.size()) : tiles_;
      const int64_t depth = std::max<int64_t>(1, tasks[t].stretch.depth);
      const int64_t grain =
          left ? std::clamp<int64_t>(16384 / (kernel_.rows * depth), 1, panels) : kWidest<T>;
      for (int64_t at = 0; at < panels; at += grain) pieces.push_back({t, at, std::min(panels, at + grain)});
    }
    const auto count = static_cast<int64_t>(pieces.size());
    loops.run(
        {count,
         [self = this->shared_from_this(), tasks = std::move(tasks), pieces = std::move(pieces)](int64_t i) {
           const Piece& piece = pieces[static_cast<size_t>(i)];
           const PackTask& task = tasks[piece.task];
           if (self->stop_.stop_requested()) return;
           if (task.side == OperandSide::left)
             pack_left(task, self->panels_, {piece.begin, piece.end});
           else
             pack_right(*task.matrix, self->kernel_, {piece.begin, piece.end}, task.stretch,
                        task.panels + piece.begin * task.stretch.padded * self->kernel_.columns);
         }},
        bytes());
  }

  // Where the kept panels of a stretch start.
  T* kept_panels(KeptPanels& kept, const DepthPart& s, OperandSide side) const {
    return reinterpret_cast<T*>(kept.memory.mutable_data()) + s.start * packed_rows(side);
  }

  // What is to be packed of kept operands that nobody has packed yet.
  std::vector<PackTask> kept_tasks(BufferPool& pool) const {
    std::vector<PackTask> tasks;
    std::set<std::pair<KeptPanels*, int64_t>> planned;  // by where a stretch starts
    std::set<KeptPanels*> fresh;
    const auto plan = [&](KeptPanels* kept, const MatrixView* matrix, const DepthPart& s, OperandSide side) {
      if (kept == nullptr) return;
      if (kept->memory.data() == nullptr) {
        const int64_t elements = packed_rows(side) * padded_depth(s.term);
        kept->memory = pool.take(ElementType::u8, {elements * static_cast<int64_t>(sizeof(T))});
        fresh.insert(kept);
      }
      if (fresh.count(kept) > 0 && planned.emplace(kept, s.k).second)
        tasks.push_back({matrix, s, side, kept_panels(*kept, s, side)});
    };
    for (const Block& block : blocks_) {
      for (const DepthPart& s : block) {
        for (const Group& group : groups_) {
          const Product::Term& term = model(group).terms[s.term];
          plan(term.kept_b.get(), term.b.get(), s, OperandSide::right);
        }
        for (const Product& product : products_) {
          const Product::Term& term = product.terms[s.term];
          plan(term.kept_a.get(), term.a.get(), s, OperandSide::left);
        }
      }
    }
    return tasks;
  }

  int64_t padded_depth(size_t term) const {
    int64_t sum = 0;
    for (const Block& block : blocks_)
      for (const DepthPart& s : block) sum += s.term == term ? s.padded : 0;
    return sum;
  }

  // A task is a strip of C's columns times a range of the group's row panels.
  void multiply(const ChunkPtr& chunk, Loops& loops) {
    const int64_t groups = static_cast<int64_t>(groups_.size()),
                  panels = static_cast<int64_t>(panels_.size());
    const int64_t enough = 8 * threads_;
    int64_t most = 0;
    for (const Group& g : groups_) most = std::max(most, static_cast<int64_t>(g.size()) * panels);
    const int64_t most_parts = std::max<int64_t>(1, most / kFewestPanels<T>);
    int64_t width = kWidest<T>;
    while (width > 1 && groups * ceil_div(tiles_, width) * (kOutrunsMemory<T> ? most_parts : 1) < enough)
      width /= 2;
    const int64_t strips = ceil_div(tiles_, width);
    const int64_t parts = std::clamp<int64_t>(enough / (groups * strips), 1, most_parts);
    loops.run({groups * strips * parts,
               [self = this->shared_from_this(), chunk, width, strips, parts, panels](int64_t i) {
                 const auto g = static_cast<size_t>(i / (strips * parts));
                 const int64_t strip = i / parts % strips, part = i % parts;
                 const int64_t rows = static_cast<int64_t>(self->groups_[g].size()) * panels;
                 self->multiply_strip(*chunk, g, {strip * width, std::min(self->tiles_, (strip + 1) * width)},
                                      {rows * part / parts, rows * (part + 1) / parts});
               }},
              bytes());
  }

  // Packed panels of B of these tiles, by stretch of the block.
  void right_panels(const Chunk& chunk, size_t group, size_t before, const Block& block, PanelRange tiles,
                    std::vector<const T*>& out) const {
    int64_t depth = 0;
    for (const DepthPart& s : block) depth += s.padded;
    T* own = scratch<T>(depth * (tiles.end - tiles.begin) * kernel_.columns);
    out.clear();
    for (size_t s = 0; s < block.size(); ++s) {
      const int64_t panel = block[s].padded * kernel_.columns;
      if (const T* packed = chunk.right[group * chunk.stretches + before + s].panels) {
        out.push_back(packed + tiles.begin * panel);
        continue;
      }
      pack_right(*model(groups_[group]).terms[block[s].term].b, kernel_, tiles, block[s], own);
      out.push_back(own);
      own += (tiles.end - tiles.begin) * panel;
    }
  }

  void multiply_strip(const Chunk& chunk, size_t group, PanelRange tiles, PanelRange rows) const {
    thread_local std::vector<PanelPair<T>> pairs;
    thread_local std::vector<const T*> right;
    const auto panels = static_cast<int64_t>(panels_.size());
    size_t before = 0;  // stretches of the chunk's earlier blocks
    for (size_t b = chunk.first; b < chunk.end; ++b) {
      if (stop_.stop_requested()) return;
      const Block& block = blocks_[b];
      right_panels(chunk, group, before, block, tiles, right);
      pairs.resize(block.size());
      for (int64_t row = rows.begin; row < rows.end; ++row) {
        const size_t member = groups_[group][static_cast<size_t>(row / panels)];
        const Product& owner = products_[member];
        const auto* left = &chunk.left[member * chunk.stretches + before];
        const RowPanel& panel = panels_[static_cast<size_t>(row % panels)];
        const auto run = panel.height == kernel_.rows ? kernel_.run : kernel_.run_low;
        for (size_t s = 0; s < block.size(); ++s)
          pairs[s] = {left[s].panels + panel.start * block[s].padded, right[s], block[s].padded};
        for (int64_t t = tiles.begin; t < tiles.end; ++t) {
          const int64_t column = t * kernel_.columns;
          Sum* c = reinterpret_cast<Sum*>(owner.c) + panel.start * n_ + column;
          run(pairs, c, n_, b > 0 || owner.accumulate, std::min(panel.height, m_ - panel.start),
              std::min(kernel_.columns, n_ - column));
          for (PanelPair<T>& pair : pairs) pair.b += pair.k * kernel_.columns;
        }
      }
      before += block.size();
    }
  }

  const std::vector<Product> products_;
  const int threads_;
  const std::stop_token& stop_;
  const MicroKernel<T> kernel_;
  int64_t m_ = 0, n_ = 0;
  int64_t tiles_ = 0;             // of columns
  std::vector<RowPanel> panels_;  // of one device's rows
  std::vector<Block> blocks_;
  const RightOperands right_;
  const std::vector<Group>& groups_ = right_.groups;
  bool all_fit_ = false;
};

template <class T>
void run_batch(std::vector<Product> products, BufferPool& pool, Loops& loops, Isa isa) {
  std::make_shared<Batch<T>>(std::move(products), loops, isa)->run(pool, loops);
}

}  // namespace

int64_t deepest_sum(ElementType product_type) {
  return product_type == ElementType::f64 ? kDepth<double> : kDepth<float>;
}

void run_products(std::vector<Product> products, BufferPool& pool, Loops& loops, Isa isa) {
  if (products.empty()) return;
  const Product::Term& term = products.front().terms.front();
  const auto type = product_type(term.a->type);
  CHECK(type.has_value());
  const bool pairs =
      isa >= Isa::avx512_bf16 && term.a->type == ElementType::bf16 && term.b->type == ElementType::bf16;
  if (*type == ElementType::f64)
    run_batch<double>(std::move(products), pool, loops, isa);
  else if (pairs)
    run_batch<Bf16>(std::move(products), pool, loops, isa);
  else if (*type == ElementType::f32)
    run_batch<float>(std::move(products), pool, loops, isa);
  else
    run_batch<uint32_t>(std::move(products), pool, loops, isa);  // s32 and u32: the same modulo 2^32
}

void run_products(std::vector<Product> products, BufferPool& pool, const Workers& workers,
                  const std::stop_token& stop, Isa isa) {
  Loops loops(workers, stop);
  run_products(std::move(products), pool, loops, isa);
}

}  // namespace shardscope::inline numerics
