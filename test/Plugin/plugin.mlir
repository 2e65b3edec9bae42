// The plugin brings dialect and passes into the stock mlir-opt.
// RUN: mlir-opt %s --load-dialect-plugin=%plugin | FileCheck %s --check-prefix=PARSED
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(attn-stream-partition,attn.kernel(attn-persistent))' | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin --pass-pipeline='builtin.module(attn-stream-partition,attn.kernel(attn-persistent))' | FileCheck %s

// To loops, with what is MLIR's own.
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(attn-stream-partition,attn.kernel(attn-persistent,attn-materialize-grid),convert-attn-stream-to-scf,cse,canonicalize,convert-attn-to-cpu,one-shot-bufferize{bufferize-function-boundaries},convert-attn-to-cpu,convert-linalg-to-loops)' | FileCheck %s --check-prefix=LOOPS

// Pipelines by name, with their options, from either flag or both.
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(attn-schedule{target=gb10 persistent sms=1 resident=4})' | FileCheck %s
// RUN: mlir-opt %s --load-pass-plugin=%plugin --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(attn-schedule{target=gb10 persistent sms=1 resident=4})' | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(attn-schedule,attn-lower-to-loops)' | FileCheck %s --check-prefix=LOOPS

// mlir-opt has made its flags before it loads a plugin: those of its passes are none.
// RUN: not mlir-opt %s --load-dialect-plugin=%plugin --attn-stream-partition 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: Unknown command line argument '--attn-stream-partition'

// Without it nothing of this is known.
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: Dialect `attn' not found for custom op 'attn.matmul'

// PARSED: attn.matmul %{{[^ ]+}}, %{{[^ ]+}} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>

// CHECK: attn.launch @f_matmul
// CHECK: attn.kernel @f_matmul(
// CHECK: attn.grid (%{{[^ ]+}}, %{{[^ ]+}}) visit %{{[^ ]+}} in (m = %{{[^ ]+}}, n = %{{[^ ]+}}) sharing [n] persistent 4 {
// CHECK: attn.stream

// LOOPS: func.func @f(
// LOOPS: call @f_matmul_ctas
// LOOPS: call @f_matmul(
// LOOPS: func.func @f_matmul(
// LOOPS: memref.load
// LOOPS-NOT: attn.{{[a-jl-z]}}
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = attn.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
