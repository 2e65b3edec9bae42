//===- LayoutProperties.cpp - Layouts, gone through element by element ----===//

#include "LayoutProperties.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include <map>
#include <set>

using namespace mlir;
using namespace attn;
using namespace attn_test;

namespace {

/// Whether each element of a tile has one place, copies in threads aside, and
/// the lanes of a warp hold whole rows.
bool ownsEachOnce(FragmentAttr layout, int64_t rows, int64_t columns,
                  int64_t lanes) {
  std::map<std::pair<int64_t, int64_t>, int64_t> owners;
  std::map<int64_t, std::set<int64_t>> warpsOfRow;
  for (int64_t t = 0; t < layout.getNumThreads(); ++t)
    for (int64_t r = 0; r < layout.getNumRegisters(); ++r) {
      SmallVector<int64_t> base = layout.getThreadOffset(t),
                           offset = layout.getRegisterOffset(r);
      int64_t row = base[0] + offset[0], column = base[1] + offset[1];
      if (row >= rows || column >= columns || ++owners[{row, column}] > 1)
        return false;
      warpsOfRow[row].insert(t / lanes);
    }
  return static_cast<int64_t>(owners.size()) == rows * columns &&
         llvm::all_of(warpsOfRow, [](const auto &entry) {
           return entry.second.size() == 1;
         });
}

/// Whether butterflies over the thread modes that share a row bring every
/// column of it together: the reduction that patterns build of a layout.
bool reductionCoversRow(FragmentAttr layout, int64_t columns, int64_t lanes) {
  for (int64_t t = 0; t < layout.getNumThreads(); ++t) {
    std::set<int64_t> threads{t};
    int64_t below = 1;
    for (const FragmentAttr::Mode &mode : layout.getThreadModes()) {
      for (int64_t step = 1;
           mode.strides[0] == 0 && mode.strides[1] != 0 && step < mode.size;
           step *= 2) {
        std::set<int64_t> partners;
        for (int64_t thread : threads)
          partners.insert(thread ^ (below * step));
        threads.merge(partners);
      }
      below *= mode.size;
    }
    std::set<int64_t> seen;
    int64_t row = layout.getThreadOffset(t)[0];
    for (int64_t thread : threads) {
      if (thread / lanes != t / lanes ||
          layout.getThreadOffset(thread)[0] != row)
        return false;
      for (int64_t r = 0; r < layout.getNumRegisters(); ++r)
        if (layout.getRegisterOffset(r)[0] == 0)
          seen.insert(layout.getThreadOffset(thread)[1] +
                      layout.getRegisterOffset(r)[1]);
    }
    if (static_cast<int64_t>(seen.size()) != columns)
      return false;
  }
  return true;
}

/// C^T = B^T A^T of a wave, by what the ISA says of the lanes of operands and
/// results, with operands as mfmaTile and mfmaOperandRow place them: whether
/// register r of a lane is the element of C that the layout says.
bool multipliesAsTheLayoutSays(MLIRContext &context, MfmaBlock block,
                               int64_t columns, int64_t depth,
                               std::mt19937 &random) {
  auto size = static_cast<int64_t>(block);
  int64_t groups = 64 / size, vector = mfmaVector(block, depth),
          resultVector = mfmaVector(block, columns);
  FragmentAttr lhs = mfmaTile(&context, block, size, depth, 1),
               result = mfmaTile(&context, block, size, columns, 1);
  std::vector<std::vector<int64_t>> a(size, std::vector<int64_t>(depth)),
      b(depth, std::vector<int64_t>(columns));
  for (auto *matrix : {&a, &b})
    for (auto &row : *matrix)
      for (int64_t &element : row)
        element = std::uniform_int_distribution<int64_t>(-9, 9)(random);
  bool paired = block == MfmaBlock::Small && resultVector == 8;
  int64_t perAccumulator = size * size / 64;
  for (int64_t n = 0; n < columns / size; ++n) {
    // Column of C that row m of the operand B^T stands for.
    auto columnOf = [&](int64_t m) {
      return (paired ? n / 2 * 32 : n * size) +
             mfmaOperandRow(block, resultVector, m, paired ? n % 2 : 0);
    };
    std::vector<std::vector<int64_t>> d(size, std::vector<int64_t>(size));
    for (int64_t k = 0; k < depth; k += groups * vector)
      for (int64_t part = 0; part < vector; part += 4)
        for (int64_t lane = 0; lane < 64; ++lane)
          for (int64_t i = 0; i < 4; ++i) {
            // Element i of lane / size: one of the summed dimension.
            int64_t at = lhs.getThreadOffset(lane)[1] +
                         lhs.getRegisterOffset(k / groups + part + i)[1];
            for (int64_t m = 0; m < size; ++m)
              d[m][lane % size] += b[at][columnOf(m)] * a[lane % size][at];
          }
    for (int64_t lane = 0; lane < 64; ++lane)
      for (int64_t r = 0; r < perAccumulator; ++r) {
        int64_t m = block == MfmaBlock::Large
                        ? 8 * (r / 4) + 4 * (lane / 32) + r % 4
                        : 4 * (lane / 16) + r;
        SmallVector<int64_t> base = result.getThreadOffset(lane),
                             offset = result.getRegisterOffset(
                                 n * perAccumulator + r);
        int64_t row = base[0] + offset[0], column = base[1] + offset[1],
                sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += a[row][k] * b[k][column];
        if (row != lane % size || d[m][lane % size] != sum)
          return false;
      }
  }
  return true;
}

/// Whether a tile in shared memory has one place for each element, within it.
bool storesEachOnce(RankedTensorType type) {
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  std::set<int64_t> places;
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    for (int64_t j = 0; j < type.getDimSize(1); ++j) {
      int64_t place = SharedAttr::getByteOffset(type, i, j);
      if (place < 0 || place % bytes != 0 ||
          place >= SharedAttr::getNumBytes(type))
        return false;
      places.insert(place);
    }
  return static_cast<int64_t>(places.size()) == type.getNumElements();
}

/// Times that the busiest of 64 banks is asked when the lanes of a wave read
/// `bytes` each at these places: gfx950, in phases of so many lanes that all
/// banks have one dword each.
int64_t pairedCycles(ArrayRef<int64_t> places, int64_t bytes) {
  static constexpr int64_t kBanks = 64;
  // Quads of lanes of a phase; those of 8 bytes come one after the other.
  static constexpr int64_t kOrder[] = {0, 3, 5, 6, 1, 2, 4, 7};
  int64_t cycles = 0, lanes = kBanks * 4 / bytes;
  for (int64_t first = 0; first < 64; first += lanes) {
    std::map<int64_t, int64_t> asked;
    for (int64_t i = first; i < first + lanes; ++i) {
      int64_t lane =
          bytes == 16 ? i / 32 * 32 + kOrder[i % 32 / 4] * 4 + i % 4 : i;
      for (int64_t byte = 0; byte < bytes; byte += 4)
        ++asked[(places[lane] + byte) / 4 % kBanks];
    }
    int64_t most = 0;
    for (auto [bank, times] : asked)
      most = std::max(most, times);
    cycles += most;
  }
  return cycles;
}

/// Whether no phase of gfx950 meets a bank twice where lanes read operands of a
/// tile by rows, and by columns with reads that transpose: those of blocks of
/// 16 with 8 columns a lane read halves of chunks, and meet two by two.
bool readsEachBankOnce(RankedTensorType type, MfmaBlock block) {
  auto size = static_cast<int64_t>(block), groups = 64 / size;
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  auto places = [&](auto place) {
    SmallVector<int64_t> all;
    for (int64_t lane = 0; lane < 64; ++lane)
      all.push_back(place(lane));
    return all;
  };
  int64_t byRows = mfmaVector(block, columns), ofRows = mfmaVector(block, rows);
  SmallVector<int64_t> rowwise = places([&](int64_t lane) {
    return SharedAttr::getByteOffset(
        type, mfmaOperandRow(block, ofRows, lane % size, 0),
        byRows * (lane / size));
  });
  SmallVector<int64_t> columnwise = places([&](int64_t lane) {
    int64_t m = lane % size / 16 * 16 + lane % 4 * 4;
    return SharedAttr::getByteOffset(type,
                                     ofRows * (lane / size) + lane % 16 / 4,
                                     mfmaOperandRow(block, byRows, m, 0));
  });
  bool halves = block == MfmaBlock::Small && byRows == 8;
  return groups * byRows <= columns && groups * ofRows <= rows &&
         pairedCycles(rowwise, 2 * byRows) == byRows / 2 &&
         pairedCycles(columnwise, 8) == (halves ? 4 : 2);
}

/// Times that the busiest bank of LDS is asked when lanes read an operand by 16
/// bytes: 8 at least, 64 lanes of 4 banks each over 32 banks.
int64_t bankCycles(RankedTensorType type, MfmaBlock block, int64_t vector) {
  // Eight lanes at a time, as they come (four and four, CDNA 3's order, are
  // checked where the lanes are the rows).
  static constexpr int64_t kOrder[] = {0, 20, 4, 16, 8, 28, 12, 24};
  auto size = static_cast<int64_t>(block);
  int64_t cycles = 0;
  bool transposed = cast<SharedAttr>(type.getEncoding()).getTransposed();
  for (int64_t half = 0; half < 64; half += 32)
    for (int64_t pair = 0; pair < 8; pair += 2) {
      std::map<int64_t, int64_t> asked;
      for (int64_t i = 0; i < 8; ++i) {
        int64_t lane = half + kOrder[pair + i / 4] + i % 4;
        int64_t row = mfmaOperandRow(block, vector, lane % size, 0),
                column = 8 * (lane / size);
        int64_t place = transposed
                            ? SharedAttr::getByteOffset(type, column, row)
                            : SharedAttr::getByteOffset(type, row, column);
        for (int64_t word = 0; word < 4; ++word)
          ++asked[place / 4 % 32 + word];
      }
      int64_t most = 0;
      for (auto [bank, times] : asked)
        most = std::max(most, times);
      cycles += most;
    }
  return cycles;
}

void testMfma(Tally &tally, MLIRContext &context, std::mt19937 &random) {
  for (MfmaBlock block : {MfmaBlock::Large, MfmaBlock::Small})
    for (int64_t warps : {1, 2, 4, 8})
      for (int64_t blocks : {1, 2})
        for (int64_t columns = 16; columns <= 256; columns += 16) {
          auto size = static_cast<int64_t>(block);
          int64_t rows = size * warps * blocks;
          FragmentAttr layout = mfmaTile(&context, block, rows, columns, warps);
          auto name = [&]() {
            return "MFMA layout " + std::to_string(size) + " of " +
                   std::to_string(rows) + " x " + std::to_string(columns) +
                   " over " + std::to_string(warps);
          };
          tally.check(layout.getNumThreads() == 64 * warps &&
                          ownsEachOnce(layout, rows, columns, 64),
                      [&]() { return "each element once: " + name(); });
          tally.check(reductionCoversRow(layout, columns, 64),
                      [&]() { return "reduction covers the row: " + name(); });
          if (warps == 1 && blocks == 1 && columns % size == 0)
            for (int64_t depth : {16, 32, 48, 64})
              tally.check(multipliesAsTheLayoutSays(context, block, columns,
                                                    depth, random),
                          [&]() { return "product: " + name(); });
        }
}

} // namespace

void attn_test::testLayouts(Tally &tally, MLIRContext &context,
                            std::mt19937 &random) {
  testMfma(tally, context, random);
  for (int64_t warps : {1, 2, 4})
    for (int64_t columns = 16; columns <= 256; columns += 16) {
      FragmentAttr layout =
          mmaAccumulator(&context, 32 * warps, columns, warps);
      tally.check(ownsEachOnce(layout, 32 * warps, columns, 32) &&
                      reductionCoversRow(layout, columns, 32) &&
                      layout == mmaLhs(&context, 32 * warps, columns, warps),
                  [&]() { return "layout of mma.sync"; });
    }
  Type element = BFloat16Type::get(&context);
  for (bool transposed : {false, true})
    for (bool folded : {false, true})
      for (int64_t rows = 16; rows <= 128; rows += 16)
        for (int64_t columns = 16; columns <= 256; columns += 16) {
          auto layout = SharedAttr::getWidest(
              &context, (transposed ? rows : columns) * 2, transposed, folded);
          auto type = RankedTensorType::get({rows, columns}, element, layout);
          tally.check(storesEachOnce(type),
                      [&]() { return "each element once in shared memory"; });
          auto [lanes, across] = SharedAttr::getStoredShape(type);
          if (folded && lanes % 32 == 0 && across % 32 == 0)
            for (MfmaBlock block : {MfmaBlock::Large, MfmaBlock::Small})
              tally.check(bankCycles(type, block, 8) == 8,
                          [&]() { return "no bank conflicts"; });
        }
  for (int64_t rows = 16; rows <= 128; rows += 16)
    for (int64_t columns = 16; columns <= 256; columns += 16) {
      auto layout = SharedAttr::getWidest(&context, columns * 2,
                                          /*transposed=*/false,
                                          /*folded=*/false, /*paired=*/true);
      auto type = RankedTensorType::get({rows, columns}, element, layout);
      tally.check(storesEachOnce(type), [&]() {
        return "each element once in paired shared memory";
      });
      for (MfmaBlock block : {MfmaBlock::Large, MfmaBlock::Small})
        if (auto size = static_cast<int64_t>(block);
            rows % size == 0 && columns % size == 0)
          tally.check(readsEachBankOnce(type, block), [&]() {
            return "no conflicts of 64 banks: " + std::to_string(rows) + " x " +
                   std::to_string(columns);
          });
    }
}
