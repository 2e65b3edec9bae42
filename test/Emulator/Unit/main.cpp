//===- main.cpp - attn-emulator-test: semantics of each instruction -------===//
//
// Expected values are written from the CDNA3 ISA manual, those of gfx950 from
// the sources that Gfx950.cpp names, not taken from the emulator.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace emulator_test;

/// An instruction with semantics and no test.
static void testCoverage() {
  for (const std::string &name : Machine::instructions())
    tally().check(testedInstructions().count(name), "no test runs " + name);
}

int main(int argc, char **argv) {
  struct Group {
    const char *name;
    void (*run)();
  };
  const Group groups[] = {
      {"scalar", testScalar},
      {"vector-integer", testVectorInteger},
      {"vector-float", testVectorFloat},
      {"conversions", testConversions},
      {"float8", testFloat8Formats},
      {"compares", testCompares},
      {"modifiers", testModifiers},
      {"lanes", testLanes},
      {"packed", testPacked},
      {"mfma", testMfma},
      {"lds", testLds},
      {"vector-memory", testVectorMemory},
      {"scalar-memory", testScalarMemory},
      {"widths", testWidths},
      {"errors", testErrors},
      {"gfx950", testGfx950},
  };
  bool found = false;
  for (const Group &group : groups)
    if (argc < 2 || llvm::StringRef(argv[1]) == group.name) {
      group.run();
      found = true;
    }
  if (argc < 2)
    testCoverage();
  if (!found) {
    llvm::errs() << "no group '" << argv[1] << "'\n";
    return 2;
  }
  return tally().close();
}
