//===- AsmText.cpp - Operands from assembly text --------------------------===//

#include "AsmText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace attn::gfx942;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// Splits at `separator` outside of brackets, parentheses and quotes.
static SmallVector<StringRef> splitTop(StringRef text, char separator) {
  SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : separator;
    if (c == '[' || c == '(')
      ++depth;
    if (c == ']' || c == ')')
      --depth;
    if (c != separator || (depth > 0 && i < text.size()))
      continue;
    StringRef part = text.slice(begin, i).trim();
    if (!part.empty())
      parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static std::optional<unsigned> namedScalar(StringRef name) {
  unsigned none = ~0u;
  unsigned reg = StringSwitch<unsigned>(name)
                     .Cases({"vcc", "vcc_lo"}, kVcc)
                     .Case("vcc_hi", kVcc + 1)
                     .Cases({"exec", "exec_lo"}, kExec)
                     .Case("exec_hi", kExec + 1)
                     .Case("m0", kM0)
                     .Cases({"flat_scratch", "flat_scratch_lo"}, kFlatScratch)
                     .Case("flat_scratch_hi", kFlatScratch + 1)
                     .Cases({"xnack_mask", "xnack_mask_lo"}, kXnackMask)
                     .Case("xnack_mask_hi", kXnackMask + 1)
                     .Default(none);
  return reg == none ? std::nullopt : std::optional<unsigned>(reg);
}

static bool parseNamed(StringRef text, Operand &op) {
  if (auto reg = namedScalar(text)) {
    op.kind = Operand::Scalar;
    op.reg = *reg;
    bool wide = text == "vcc" || text == "exec" || text == "flat_scratch" ||
                text == "xnack_mask";
    op.count = wide ? 2 : 1;
    return true;
  }
  op.kind = StringSwitch<Operand::Kind>(text)
                .Cases({"src_scc", "scc"}, Operand::Scc)
                .Cases({"src_vccz", "vccz"}, Operand::Vccz)
                .Cases({"src_execz", "execz"}, Operand::Execz)
                .Case("off", Operand::Off)
                .Default(Operand::None);
  return op.kind != Operand::None;
}

/// "v3", "a[0:15]", "s[4:5]", "ttmp7".
static bool parseRegister(StringRef text, Operand &op) {
  StringRef rest = text;
  unsigned base = 0, limit = 0;
  if (rest.consume_front("ttmp")) {
    op.kind = Operand::Scalar;
    base = kTtmp0, limit = 16;
  } else if (rest.consume_front("v")) {
    op.kind = Operand::Vector;
    limit = kFirstAgpr;
  } else if (rest.consume_front("a")) {
    op.kind = Operand::Vector;
    base = kFirstAgpr, limit = kFirstAgpr;
  } else if (rest.consume_front("s")) {
    op.kind = Operand::Scalar;
    limit = 102;
  } else {
    return false;
  }
  unsigned first, end;
  if (rest.consume_front("[")) {
    if (rest.consumeInteger(10, first) || !rest.consume_front(":") ||
        rest.consumeInteger(10, end) || rest != "]" || end < first)
      return false;
  } else if (rest.getAsInteger(10, first)) {
    return false;
  } else {
    end = first;
  }
  if (end >= limit)
    return false;
  op.reg = base + first;
  op.count = end - first + 1;
  return true;
}

static bool parseNumber(StringRef text, Operand &op) {
  if (text.contains('.')) {
    // The one inline constant that is not short: 1/(2 pi), printed with as many
    // digits as the operand's format has.
    if (text.starts_with("0.159")) {
      op.fp = 0.15915494309189532;
    } else if (text.getAsDouble(op.fp)) {
      return false;
    }
    op.kind = Operand::Float;
    return true;
  }
  bool hex = text.starts_with("0x");
  int64_t value;
  uint64_t unsignedValue;
  if (!text.getAsInteger(0, value))
    op.bits = value;
  else if (!text.getAsInteger(0, unsignedValue))
    op.bits = unsignedValue;
  else
    return false;
  op.kind = hex ? Operand::Literal : Operand::Integer;
  return true;
}

static Error parseOperand(StringRef text, Operand &op) {
  StringRef original = text;
  auto wrapped = [&](StringRef open, StringRef close) {
    if (!text.starts_with(open) || !text.ends_with(close) ||
        text.size() < open.size() + close.size())
      return false;
    text = text.drop_front(open.size()).drop_back(close.size());
    return true;
  };
  op.sext = wrapped("sext(", ")");
  if (wrapped("neg(", ")"))
    op.neg = true;
  else if (text.size() > 1 && text[0] == '-' && !isDigit(text[1]))
    op.neg = true, text = text.drop_front();
  if (wrapped("|", "|") || wrapped("abs(", ")"))
    op.abs = true;
  // A literal that an inline constant could have been.
  if (wrapped("lit(", ")") && parseNumber(text, op)) {
    op.kind = Operand::Literal;
    return Error::success();
  }
  if (parseNamed(text, op) || parseRegister(text, op) || parseNumber(text, op))
    return Error::success();
  return createStringError("operand '" + original + "' is not known");
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

/// "[1,0,1]" as bits, the first number lowest.
static bool parseBits(StringRef list, uint8_t &bits) {
  bits = 0;
  unsigned n = 0;
  for (StringRef item : splitTop(list.trim("[]"), ','))
    bits |= (item == "1") << n++;
  return n > 0;
}

static bool parseDppControl(StringRef key, StringRef value, Modifiers &m) {
  DppKind kind = StringSwitch<DppKind>(key)
                     .Case("quad_perm", DppKind::QuadPerm)
                     .Case("row_shl", DppKind::RowShl)
                     .Case("row_shr", DppKind::RowShr)
                     .Case("row_ror", DppKind::RowRor)
                     .Case("wave_shl", DppKind::WaveShl)
                     .Case("wave_rol", DppKind::WaveRol)
                     .Case("wave_shr", DppKind::WaveShr)
                     .Case("wave_ror", DppKind::WaveRor)
                     .Case("row_mirror", DppKind::RowMirror)
                     .Case("row_half_mirror", DppKind::RowHalfMirror)
                     .Case("row_bcast", DppKind::RowBcast)
                     .Case("row_newbcast", DppKind::RowNewBcast)
                     .Default(DppKind::None);
  if (kind == DppKind::None)
    return false;
  m.dpp = kind;
  if (kind == DppKind::QuadPerm) {
    auto items = splitTop(value.trim("[]"), ',');
    if (items.size() != 4)
      return false;
    for (unsigned i = 0; i < 4; ++i)
      if (items[i].getAsInteger(0, m.dppArg[i]))
        return false;
    return true;
  }
  return value.empty() || !value.getAsInteger(0, m.dppArg[0]);
}

static bool parseSdwaModifier(StringRef key, StringRef value, Modifiers &m) {
  if (key == "dst_unused") {
    m.dstUnused = StringSwitch<SdwaUnused>(value)
                      .Case("UNUSED_SEXT", SdwaUnused::Sext)
                      .Case("UNUSED_PRESERVE", SdwaUnused::Preserve)
                      .Default(SdwaUnused::Pad);
    return m.sdwa = true;
  }
  SdwaSel *sel = StringSwitch<SdwaSel *>(key)
                     .Case("dst_sel", &m.dstSel)
                     .Case("src0_sel", &m.srcSel[0])
                     .Case("src1_sel", &m.srcSel[1])
                     .Default(nullptr);
  if (!sel)
    return false;
  *sel = StringSwitch<SdwaSel>(value)
             .Case("BYTE_0", SdwaSel::Byte0)
             .Case("BYTE_1", SdwaSel::Byte1)
             .Case("BYTE_2", SdwaSel::Byte2)
             .Case("BYTE_3", SdwaSel::Byte3)
             .Case("WORD_0", SdwaSel::Word0)
             .Case("WORD_1", SdwaSel::Word1)
             .Default(SdwaSel::Dword);
  return m.sdwa = true;
}

static bool parseFlag(StringRef key, Modifiers &m) {
  bool ignored = false;
  bool *flag = StringSwitch<bool *>(key)
                   .Case("clamp", &m.clamp)
                   .Case("offen", &m.offen)
                   .Case("idxen", &m.idxen)
                   .Case("lds", &m.lds)
                   .Case("sc0", &m.sc0)
                   // Cache policy: no effect on values.
                   .Cases({"sc1", "nt", "glc", "slc"}, &ignored)
                   .Default(nullptr);
  if (!flag)
    return false;
  return *flag = true;
}

static bool parseNumberModifier(StringRef key, StringRef value, Modifiers &m) {
  unsigned *number = StringSwitch<unsigned *>(key)
                         .Case("offset0", &m.offset0)
                         .Case("offset1", &m.offset1)
                         .Case("cbsz", &m.cbsz)
                         .Case("abid", &m.abid)
                         .Case("blgp", &m.blgp)
                         .Case("bitop3", &m.bitop3)
                         .Default(nullptr);
  if (number)
    return !value.getAsInteger(0, *number);
  if (key == "row_mask")
    return !value.getAsInteger(0, m.rowMask);
  if (key == "bank_mask")
    return !value.getAsInteger(0, m.bankMask);
  if (key == "bound_ctrl") // the bit is set in either spelling of it
    return m.boundCtrl = true;
  if (key == "mul" || key == "div") {
    int n;
    if (value.getAsInteger(10, n))
      return false;
    m.omod = key == "mul" ? n : 1.0 / n;
    return true;
  }
  // ds_swizzle's symbolic offset is taken from the MCInst.
  if (key == "offset")
    return value.starts_with("swizzle(") || !value.getAsInteger(0, m.offset);
  return false;
}

static bool parseListModifier(StringRef key, StringRef value, Modifiers &m) {
  if (key == "op_sel_hi")
    m.hasOpSelHi = true;
  uint8_t *bits = StringSwitch<uint8_t *>(key)
                      .Case("op_sel", &m.opSel)
                      .Case("op_sel_hi", &m.opSelHi)
                      .Case("neg_lo", &m.negLo)
                      .Case("neg_hi", &m.negHi)
                      .Default(nullptr);
  return bits && parseBits(value, *bits);
}

static Error parseModifier(StringRef text, Modifiers &m) {
  auto [key, value] = text.split(':');
  if (parseFlag(key, m) || parseNumberModifier(key, value, m) ||
      parseListModifier(key, value, m) || parseDppControl(key, value, m) ||
      parseSdwaModifier(key, value, m))
    return Error::success();
  return createStringError("modifier '" + text + "' is not known");
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Instructions whose text is symbolic: only their immediates are used.
static bool hasSymbolicText(StringRef name) {
  return name.starts_with("s_waitcnt") || name.starts_with("s_cbranch") ||
         name == "s_branch" || name == "s_sendmsg" ||
         name == "s_set_gpr_idx_on";
}

Error attn::gfx942::parseAsmText(Inst &inst) {
  auto [mnemonic, rest] = StringRef(inst.text).trim().split(' ');
  for (StringRef suffix : {"_e32", "_e64", "_dpp", "_sdwa"})
    if (mnemonic.consume_back(suffix))
      break;
  inst.name = mnemonic.str();
  if (hasSymbolicText(inst.name))
    return Error::success();
  SmallVector<StringRef> parts = splitTop(rest, ',');
  for (size_t i = 0; i < parts.size(); ++i) {
    // The modifiers follow the last operand, separated by blanks.
    SmallVector<StringRef> words = {parts[i]};
    if (i + 1 == parts.size())
      words = splitTop(parts[i], ' ');
    // hwreg(...) is taken from the MCInst; some have modifiers only (buffer_inv
    // sc1).
    if (!words[0].starts_with("hwreg(") && !parseFlag(words[0], inst.mods)) {
      Operand op;
      if (Error e = parseOperand(words[0], op))
        return e;
      inst.ops.push_back(op);
    }
    for (StringRef word : drop_begin(words))
      if (Error e = parseModifier(word, inst.mods))
        return e;
  }
  return Error::success();
}
