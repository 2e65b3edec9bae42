//===- Harness.cpp - Runs a few instructions on one wave ------------------===//

#include "Harness.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace emulator_test;
using namespace llvm;

bool Tally::check(bool ok, const std::string &what) {
  ok ? ++passed : ++failed;
  if (!ok && failed <= 20)
    errs() << "FAIL: " << what << "\n";
  return ok;
}

int Tally::close() const {
  outs() << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}

Tally &emulator_test::tally() {
  static Tally t;
  return t;
}

std::string emulator_test::hex(uint64_t x) {
  return "0x" + utohexstr(x, /*LowerCase=*/true);
}

/// `text` as a relocatable object.
static SmallString<0> assembleObject(const std::string &text, Arch arch) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> asmInfo(
      target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<MCInstrInfo> instrs(target->createMCInstrInfo());
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, infoOf(arch).name, ""));
  SourceMgr sources;
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text), SMLoc());
  MCContext context(triple, asmInfo.get(), registers.get(), subtarget.get(),
                    &sources, &options);
  std::unique_ptr<MCObjectFileInfo> fileInfo(
      target->createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(fileInfo.get());

  SmallString<0> object;
  raw_svector_ostream os(object);
  std::unique_ptr<MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  auto writer = backend->createObjectWriter(os);
  std::unique_ptr<MCCodeEmitter> emitter(
      target->createMCCodeEmitter(*instrs, context));
  std::unique_ptr<MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer),
      std::move(emitter), *subtarget));
  std::unique_ptr<MCAsmParser> parser(
      createMCAsmParser(sources, context, *streamer, *asmInfo));
  std::unique_ptr<MCTargetAsmParser> targetParser(
      target->createMCAsmParser(*subtarget, *parser, *instrs, options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false)) {
    errs() << "does not assemble:\n" << text;
    std::exit(2);
  }
  return object;
}

std::vector<uint8_t> emulator_test::assemble(const std::string &text,
                                             Arch arch) {
  SmallString<0> object = assembleObject(text + "\ns_endpgm\n", arch);
  auto file = cantFail(
      object::ObjectFile::createObjectFile(MemoryBufferRef(object, "snippet")));
  for (const auto &section : file->sections())
    if (cantFail(section.getName()) == ".text") {
      StringRef bytes = cantFail(section.getContents());
      return std::vector<uint8_t>(bytes.begin(), bytes.end());
    }
  return {};
}

std::set<std::string> &emulator_test::testedInstructions() {
  static std::set<std::string> names;
  return names;
}

std::string Snippet::run(Counters *counters) const {
  attn::gfx942::KernelInfo info;
  info.name = "snippet";
  info.ldsBytes = ldsBytes;
  info.scratchBytes = scratchBytes;
  info.rsrc1 = 0x3f | denormMode << 16 | 1u << 21 | 1u << 23;
  info.rsrc3 = 63;
  auto object = CodeObject::fromCode(
      assemble(text, assembledFor.value_or(arch)), info, arch);
  Machine own;
  Machine &m = machine ? *machine : own;
  auto result =
      m.launch(*object, "snippet", Dim3(), Dim3{64 * waves}, {}, 0, options);
  if (!result)
    return toString(result.takeError());
  if (counters)
    *counters = *result;
  for (std::string &name : cantFail(m.summarize(*object, "snippet")).names)
    testedInstructions().insert(name);
  return {};
}

void emulator_test::runWave(const std::string &text, Registers before,
                            Registers after, Arch arch) {
  Snippet snippet;
  snippet.arch = arch;
  snippet.text = text;
  snippet.options.beforeWave = std::move(before);
  snippet.options.afterWave = std::move(after);
  std::string error = snippet.run();
  tally().check(error.empty(), text + ": " + error);
}

void emulator_test::setOperands(WaveRegisters &w, const OperandCase &c) {
  for (unsigned lane = 0; lane < 64; ++lane) {
    w.vgpr(0, lane) = 0xcccccccc;
    w.vgpr(1, lane) = c.a, w.vgpr(2, lane) = c.b, w.vgpr(3, lane) = c.c;
  }
}

void emulator_test::runCase(const OperandCase &c, Arch arch) {
  runWave(
      c.text, [&](WaveRegisters &w) { setOperands(w, c); },
      [&](WaveRegisters &w) {
        for (unsigned lane : {0u, 63u})
          tally().check(w.vgpr(0, lane) == c.result,
                        std::string(c.text) + ": expected " + hex(c.result) +
                            ", but got " + hex(w.vgpr(0, lane)));
      },
      arch);
}

void emulator_test::expectError(Snippet snippet, const std::string &part) {
  std::string error = snippet.run();
  tally().check(StringRef(error).contains(part),
                "expected an error with '" + part + "', but got '" + error +
                    "' for\n" + snippet.text);
}
