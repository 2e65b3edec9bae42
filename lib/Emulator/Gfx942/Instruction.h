//===- Instruction.h - A decoded instruction --------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_INSTRUCTION_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_INSTRUCTION_H

#include "attn-mlir/Emulator/Gfx942/Counters.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <memory>
#include <string>

namespace attn::gfx942 {

class Wave;
struct Inst;
using Handler = std::function<void(Wave &, const Inst &)>;

/// Registers outside of s0..s101, by number as the ISA encodes them.
enum : unsigned {
  kFlatScratch = 102,
  kXnackMask = 104,
  kVcc = 106,
  kTtmp0 = 108,
  kM0 = 124,
  kExec = 126,
  kSgprs = 128,
};

/// Vector registers in `Wave`'s file: v0..v255, then a0..a255.
enum : unsigned { kFirstAgpr = 256, kVectorRegisters = 512 };

struct Operand {
  enum Kind : uint8_t {
    None,
    Vector,  // v or a registers, `reg` in the file of `Wave`
    Scalar,  // SGPRs, VCC, EXEC, M0, by encoding
    Integer, // inline integer: sign-extended to the operand's width
    Float,   // inline float: rounded to the operand's format
    Literal, // the 32-bit literal as it stands
    Scc,
    Vccz,
    Execz,
    Off, // "off": no address register
  };
  Kind kind = None;
  bool neg = false, abs = false, sext = false;
  uint16_t reg = 0;
  uint16_t count = 1;
  uint64_t bits = 0; // Integer, Literal
  double fp = 0;     // Float

  bool isVector() const { return kind == Vector; }
  bool isScalar() const { return kind == Scalar; }
};

enum class DppKind : uint8_t {
  None,
  QuadPerm,
  RowShl,
  RowShr,
  RowRor,
  WaveShl,
  WaveRol,
  WaveShr,
  WaveRor,
  RowMirror,
  RowHalfMirror,
  RowBcast,
  RowNewBcast,
};

enum class SdwaSel : uint8_t {
  Byte0,
  Byte1,
  Byte2,
  Byte3,
  Word0,
  Word1,
  Dword
};
enum class SdwaUnused : uint8_t { Pad, Sext, Preserve };

/// What follows the operands in assembly.
struct Modifiers {
  bool clamp = false;
  double omod = 1; // 2, 4, 0.5
  // Bit n is the n-th number of the list.
  uint8_t opSel = 0, opSelHi = 0, negLo = 0, negHi = 0;
  bool hasOpSelHi = false;
  bool offen = false, idxen = false, lds = false, sc0 = false;
  int64_t offset = 0;
  unsigned offset0 = 0, offset1 = 0;
  unsigned cbsz = 0, abid = 0, blgp = 0;
  unsigned bitop3 = 0; // a bit of result for each of eight combinations

  DppKind dpp = DppKind::None;
  uint8_t dppArg[4] = {0, 0, 0, 0};
  uint8_t rowMask = 0xf, bankMask = 0xf;
  bool boundCtrl = false;

  bool sdwa = false;
  SdwaSel dstSel = SdwaSel::Dword, srcSel[2] = {SdwaSel::Dword, SdwaSel::Dword};
  SdwaUnused dstUnused = SdwaUnused::Pad;
};

/// A static instruction, decoded once.
struct Inst {
  uint64_t pc = 0; // virtual address in the image
  uint32_t size = 0;
  std::string name; // without the suffix of the encoding
  std::string text;
  InstClass cls = InstClass::Other;
  Handler handler; // empty: no semantics
  llvm::SmallVector<Operand, 4> ops;
  Modifiers mods;
  /// The immediates of the MCInst, in its order.
  llvm::SmallVector<int64_t, 4> imms;
  unsigned defs = 0; // leading operands that are written
  /// Index of the branch's target; -1: none or outside of the kernel.
  int target = -1;
  /// The number of an s_barrier among those of the kernel.
  unsigned ordinal = 0;
  bool implicitVcc = false, implicitM0 = false;
  /// Loads of one or two bytes: sign-extended; into one half of the register.
  bool extendsSign = false, toLowHalf = false, toHighHalf = false;
  /// A memory instruction whose destination may be pending from its own queue.
  bool isVmemLoad = false, isLdsRead = false;
};

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_INSTRUCTION_H
