import os
import sys

import lit.formats

config.name = "attn-mlir"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.attn_binary_dir, "test")

tools = [
    os.path.join(config.attn_binary_dir, *parts)
    for parts in (("tools", "attn-opt"), ("tools", "attn-compile"), ("test", "lib"))
]
config.environment["PATH"] = os.pathsep.join(
    tools + [config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.substitutions += [
    ("%python", f'"{sys.executable}"'),
    ("%examples", os.path.join(config.attn_source_dir, "examples")),
    ("%source", config.attn_source_dir),
    ("%build", config.attn_binary_dir),
    ("%cmake", config.cmake),
    ("%cxx", config.cxx),
    ("%mlir_dir", config.mlir_dir),
    ("%plugin", os.path.join(config.attn_binary_dir, "tools", "attn-plugin", "AttnMLIRPlugin.so")),
]
