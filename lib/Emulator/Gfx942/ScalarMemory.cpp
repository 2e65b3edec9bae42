//===- ScalarMemory.cpp - SMEM --------------------------------------------===//
//
// CDNA3 ISA, sections 8 (scalar memory) and 12.6 (SMEM). Scalar loads return in
// any order: their results are there only after lgkmcnt(0).
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "Wave.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

/// The offset: an immediate in the text (hexadecimal, signed), an SGPR, or
/// both.
uint64_t scalarOffset(const Wave &w, const Inst &i) {
  const Operand &op = i.ops[2];
  if (op.isScalar())
    return uint64_t(w.read32(op)) + i.mods.offset;
  return op.bits;
}

Handler scalarLoad(unsigned count) {
  return [count](Wave &w, const Inst &i) {
    ScalarLoad load;
    load.inst = &i;
    load.dst = i.ops[0].reg;
    load.count = count;
    load.address = (w.read64(i.ops[1]) + scalarOffset(w, i)) & ~uint64_t(3);
    w.issueScalar(load);
  };
}

/// Through a V#: what is past num_records is not defined here.
Handler scalarBufferLoad(unsigned count) {
  return [count](Wave &w, const Inst &i) {
    unsigned v = i.ops[1].reg;
    uint64_t offset = scalarOffset(w, i) & ~uint64_t(3);
    uint32_t stride = w.s[v + 1] >> 16 & 0x3fff;
    uint64_t size = uint64_t(w.s[v + 2]) * (stride ? stride : 1);
    if (offset + 4 * count > size)
      return w.fail("scalar load of " + Twine(4 * count) + " bytes at offset " +
                    Twine(offset) + " of a buffer of " + Twine(size));
    ScalarLoad load;
    load.inst = &i;
    load.dst = i.ops[0].reg;
    load.count = count;
    load.address = (w.s[v] | uint64_t(w.s[v + 1] & 0xffff) << 32) + offset;
    w.issueScalar(load);
  };
}

} // namespace

void attn::gfx942::addScalarMemory(SemanticsTable &t) {
  for (unsigned count : {1, 2, 4, 8, 16}) {
    std::string suffix =
        count == 1 ? "dword" : "dwordx" + std::to_string(count);
    t.add("s_load_" + suffix, InstClass::Smem, scalarLoad(count));
    t.add("s_buffer_load_" + suffix, InstClass::Smem, scalarBufferLoad(count));
  }
}
