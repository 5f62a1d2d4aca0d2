#include "eqm/kernel/gemm_tn.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "eqm/kernel/simd/gemm.h"
#include "eqm/kernel/simd/scratch.h"
#include "eqm/kernel/sizes.h"
#include "eqm/tensor/parallel.h"

namespace eqm::kernel {
namespace {

// How threads divide a [rows, columns] product of a transposed left factor: into so many parts of
// the rows and of the columns. Each packs what it reads of both factors, so the division counts
// that.
struct Division {
  int64_t row_parts = 1, column_parts = 1;

  Division(int64_t row_tiles, int64_t column_tiles) {
    constexpr int64_t kPacking = 20;  // multiply-adds that take as long as copying a number
    const int64_t threads = at::get_num_threads();
    const int64_t tile_rows = as_count(simd::tile_rows()),
                  tile_columns = as_count(simd::tile_columns());
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int64_t r = std::min(threads, row_tiles); r >= 1; --r) {
      const int64_t c = std::min(threads / r, column_tiles);
      const int64_t high = ceiling(row_tiles, r) * tile_rows,
                    wide = ceiling(column_tiles, c) * tile_columns;
      const int64_t cost = high * wide + kPacking * (high + wide);
      if (cost >= least) continue;
      least = cost;
      row_parts = r;
      column_parts = c;
    }
  }
};

// The depth is taken in passes, each of so many rows of g and x as stay in the second cache. The
// threads of a part of the columns go through the passes together and take blocks of the result's
// rows from each other.
class GemmTnRun {
 public:
  GemmTnRun(const Tensor& g, const Tensor& x, const Tensor& out, float* sums)
      : g_(g.data_ptr<float>()),
        x_(x.data_ptr<float>()),
        out_(out.data_ptr<float>()),
        sums_(sums),
        depth_(as_size(g.size(0))),
        g_stride_(as_size(g.stride(0))),
        x_stride_(as_size(x.stride(0))),
        rows_(g.size(1)),
        columns_(x.size(1)),
        row_tiles_(ceiling(rows_, as_count(simd::tile_rows()))),
        column_tiles_(ceiling(columns_, as_count(simd::tile_columns()))),
        division_(row_tiles_, column_tiles_),
        blocks_(count_blocks()) {}

  void run() const {
    const int64_t parts = division_.column_parts, threads = division_.row_parts;
    std::vector<SharedTasks> tasks;
    tasks.reserve(as_size(parts));
    for (int64_t c = 0; c < parts; ++c) {
      tasks.emplace_back(threads, blocks_, ceiling(as_count(depth_), as_count(kPassRows)));
    }
    at::parallel_for(0, parts * threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        work_on(tasks[as_size(i % parts)], i / parts, columns_of(i % parts));
      }
    });
  }

 private:
  static constexpr size_t kPassRows = 256;

  struct Span {
    size_t begin, end;
    size_t size() const { return end - begin; }
  };

  // Enough of them for each thread to have several, and a few tiles in each, which are packed
  // together.
  int64_t count_blocks() const {
    constexpr int64_t kPerThread = 4, kLeastRowTiles = 4;
    const auto most_row_tiles = as_count(simd::block_height(kPassRows) / simd::tile_rows());
    const int64_t row_tiles_of_block = std::clamp<int64_t>(
        row_tiles_ / (division_.row_parts * kPerThread), kLeastRowTiles, most_row_tiles);
    const int64_t per_thread =
        ceiling(ceiling(row_tiles_, row_tiles_of_block), division_.row_parts);
    return std::min(per_thread * division_.row_parts, row_tiles_);
  }

  Span columns_of(int64_t part) const {
    const int64_t tile_columns = as_count(simd::tile_columns()), parts = division_.column_parts;
    return {as_size(column_tiles_ * part / parts * tile_columns),
            as_size(std::min(column_tiles_ * (part + 1) / parts * tile_columns, columns_))};
  }
  Span rows_of_block(int64_t block) const {
    return {as_size(rows_ * block / blocks_), as_size(rows_ * (block + 1) / blocks_)};
  }
  // Rows of the factors.
  Span rows_of_pass(int64_t pass) const {
    const size_t first = std::min(as_size(pass) * kPassRows, depth_);
    return {first, std::min(first + kPassRows, depth_)};
  }

  void work_on(SharedTasks& tasks, int64_t thread, const Span& columns) const {
    thread_local simd::Scratch scratch;
    float* packed_b = scratch.take(simd::packed_size(columns.size(), kPassRows));
    tasks.join(thread, [&](const SharedTasks::Turn& turn) {
      const Span depth = rows_of_pass(turn.pass), rows = rows_of_block(turn.task);
      if (turn.first) {
        simd::pack(x_ + depth.begin * x_stride_ + columns.begin, x_stride_, depth.size(),
                   columns.size(), packed_b);
      }
      simd::multiply(
          {.data = g_ + depth.begin * g_stride_,
           .stride = g_stride_,
           .transposed = true,
           .row_sums = columns.begin == 0 ? sums_ : nullptr},
          packed_b, depth.size(), {rows.begin, rows.end, 0, columns.size()},
          {.kind = turn.pass == 0 ? simd::Epilogue::Kind::store : simd::Epilogue::Kind::add,
           .out = out_ + columns.begin,
           .stride = as_size(columns_)},
          {.left = prefetch_block(tasks.after(thread, turn)),
           .right = prefetch_right(turn, columns)});
    });
  }

  simd::Prefetch prefetch_block(const SharedTasks::Turn& turn) const {
    const Span depth = rows_of_pass(turn.pass), rows = rows_of_block(turn.task);
    return {g_, depth.begin * g_stride_ + rows.begin, g_stride_, depth.size(), rows.size()};
  }

  // A share of what the next pass packs of x: each turn of a pass prefetches another.
  simd::Prefetch prefetch_right(const SharedTasks::Turn& turn, const Span& columns) const {
    const Span depth = rows_of_pass(turn.pass + 1);
    const auto turns = as_size(ceiling(blocks_, division_.row_parts));
    const size_t number = as_size(turn.task) % turns;
    const size_t first = depth.begin + depth.size() * number / turns,
                 last = depth.begin + depth.size() * (number + 1) / turns;
    return {x_, first * x_stride_ + columns.begin, x_stride_, last - first, columns.size()};
  }

  const float *g_, *x_;
  float *out_, *sums_;
  size_t depth_, g_stride_, x_stride_;
  int64_t rows_, columns_, row_tiles_, column_tiles_;  // of the result
  Division division_;
  int64_t blocks_;
};

}  // namespace

Tensor run_gemm_tn(const Tensor& g, const Tensor& x, float* sums) {
  const Tensor out = torch::empty({g.size(1), x.size(1)}, g.options());
  if (g.size(0) == 0 || out.numel() == 0) return out.zero_();
  GemmTnRun(g, x, out, sums).run();
  return out;
}

}  // namespace eqm::kernel
