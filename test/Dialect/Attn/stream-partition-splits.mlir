// attn-stream-partition{splits=2}: two streams, each with a state of its own and a
// half of the tiles, and the merge of the states.
// RUN: attn-opt %s --split-input-file --attn-stream-partition=splits=2 | FileCheck %s
// RUN: attn-opt %s --split-input-file --attn-stream-partition=splits=1 | FileCheck %s --check-prefix=ONE

// Static: 768 keys are 6 tiles of 128, which are 3 and 3.
// Merge: factor and reference of the larger maximum; l and acc of both parts are scaled to them
// and added. A part in another unit than that has next to no weight: it is scaled by 0. What is
// in the larger unit is compared in the smaller.

// CHECK-LABEL: attn.kernel @attention_attention
// CHECK-DAG: %[[PLAIN:[^ ]+]] = arith.constant dense<0.180336878> : tensor<128xf32>
// CHECK-DAG: %[[RATIO:[^ ]+]] = arith.constant dense<0.72134751> : tensor<128xf32>
// CHECK-DAG: %[[ZEROS:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128xf32>
// CHECK-DAG: %[[LOWEST:[^ ]+]] = arith.constant dense<-8.50705867E+37> : tensor<128xf32>
// CHECK-DAG: %[[UNIT:[^ ]+]] = arith.constant dense<2.500000e-01> : tensor<128xf32>
// CHECK-DAG: %[[ACC:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C384:[^ ]+]] = arith.constant 384 : index
// CHECK-DAG: %[[C768:[^ ]+]] = arith.constant 768 : index
// CHECK: %[[A:[^ ]+]]:4 = attn.stream %{{[^ ]+}} step 128 over [%[[C0]] to %[[C384]]]
// CHECK-SAME: = %[[UNIT]], {{.*}} = %[[LOWEST]], {{.*}} = %[[ZEROS]], {{.*}} = %[[ACC]] :
// CHECK: %[[B:[^ ]+]]:4 = attn.stream %{{[^ ]+}} step 128 over [%[[C384]] to %[[C768]]]
// CHECK-SAME: = %[[UNIT]], {{.*}} = %[[LOWEST]], {{.*}} = %[[ZEROS]], {{.*}} = %[[ACC]] :
// CHECK-NOT: attn.stream
// CHECK-DAG: %[[SAME:[^ ]+]] = arith.cmpf oeq, %[[A]]#0, %[[B]]#0
// CHECK-DAG: %[[PA:[^ ]+]] = arith.cmpf oeq, %[[A]]#0, %[[PLAIN]]
// CHECK-DAG: %[[SA:[^ ]+]] = arith.mulf %[[A]]#1, %[[RATIO]]
// CHECK-DAG: %[[MA:[^ ]+]] = arith.select %[[PA]], %[[A]]#1, %[[SA]]
// CHECK-DAG: %[[PB:[^ ]+]] = arith.cmpf oeq, %[[B]]#0, %[[PLAIN]]
// CHECK-DAG: %[[SB:[^ ]+]] = arith.mulf %[[B]]#1, %[[RATIO]]
// CHECK-DAG: %[[MB:[^ ]+]] = arith.select %[[PB]], %[[B]]#1, %[[SB]]
// CHECK-DAG: %[[LARGER:[^ ]+]] = arith.cmpf oge, %[[MA]], %[[MB]]
// CHECK-DAG: %[[K:[^ ]+]] = arith.select %[[LARGER]], %[[A]]#0, %[[B]]#0
// CHECK-DAG: %[[MOST:[^ ]+]] = arith.maximumf %[[A]]#1, %[[B]]#1
// CHECK-DAG: %[[OTHER:[^ ]+]] = arith.select %[[LARGER]], %[[A]]#1, %[[B]]#1
// CHECK-DAG: %[[M:[^ ]+]] = arith.select %[[SAME]], %[[MOST]], %[[OTHER]]
// CHECK-DAG: %[[INA:[^ ]+]] = arith.cmpf oeq, %[[A]]#0, %[[K]]
// CHECK-DAG: %[[DA:[^ ]+]] = arith.subf %[[A]]#1, %[[M]]
// CHECK-DAG: %[[EA:[^ ]+]] = math.exp2 %[[DA]]
// CHECK-DAG: %[[FA:[^ ]+]] = arith.select %[[INA]], %[[EA]], %[[ZEROS]]
// CHECK-DAG: %[[INB:[^ ]+]] = arith.cmpf oeq, %[[B]]#0, %[[K]]
// CHECK-DAG: %[[DB:[^ ]+]] = arith.subf %[[B]]#1, %[[M]]
// CHECK-DAG: %[[EB:[^ ]+]] = math.exp2 %[[DB]]
// CHECK-DAG: %[[FB:[^ ]+]] = arith.select %[[INB]], %[[EB]], %[[ZEROS]]
// CHECK-DAG: %[[WA:[^ ]+]] = attn.broadcast %[[FA]]
// CHECK-DAG: %[[LA:[^ ]+]] = arith.mulf %[[A]]#2, %[[FA]]
// CHECK-DAG: %[[AA:[^ ]+]] = arith.mulf %[[A]]#3, %[[WA]]
// CHECK-DAG: %[[WB:[^ ]+]] = attn.broadcast %[[FB]]
// CHECK-DAG: %[[LB:[^ ]+]] = arith.mulf %[[B]]#2, %[[FB]]
// CHECK-DAG: %[[AB:[^ ]+]] = arith.mulf %[[B]]#3, %[[WB]]
// CHECK-DAG: %[[L:[^ ]+]] = arith.addf %[[LA]], %[[LB]]
// CHECK-DAG: %[[OUT:[^ ]+]] = arith.addf %[[AA]], %[[AB]]
// The tail takes the merged state.
// CHECK: arith.cmpf oeq, %[[L]], %[[ZEROS]]
// CHECK: arith.divf %[[OUT]], %{{[^ ]+}}
// CHECK: attn.store
// CHECK-NOT: attn.store
// CHECK: attn.return

// ONE-LABEL: attn.kernel @attention_attention
// ONE: attn.stream
// ONE-NOT: attn.stream
// ONE: attn.return
func.func @attention(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x768x64xf16>, %v: tensor<1x2x768x64xf16>) -> tensor<1x2x256x64xf16> {
  %o = attn.attention %q, %k, %v scale(0.125)
      : (tensor<1x2x256x64xf16>, tensor<1x2x768x64xf16>, tensor<1x2x768x64xf16>) -> tensor<1x2x256x64xf16>
  return %o : tensor<1x2x256x64xf16>
}

// -----

// Dynamic: parts have ceil(k / (2 * 128)) tiles; bounds are clamped to the part.

// CHECK-LABEL: attn.kernel @matmul_matmul
// CHECK-SAME: (%[[A:[^ ]+]]: !attn.view<?x?xf32>
// CHECK-DAG: %[[C0:[^ ]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : index
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : index
// CHECK-DAG: %[[K:[^ ]+]] = attn.dim %[[A]], 1
// CHECK: attn.grid
// CHECK: %[[ALL:[^ ]+]] = arith.maxsi %[[K]], %[[C0]] : index
// CHECK-DAG: %[[TILES:[^ ]+]] = arith.ceildivui %[[ALL]], %[[C256]] : index
// CHECK-DAG: %[[LENGTH:[^ ]+]] = arith.muli %[[TILES]], %[[C128]] : index
// CHECK: %[[HI:[^ ]+]] = arith.minsi %{{[^ ]+}}, %[[LENGTH]] : index
// CHECK: %[[R0:[^ ]+]] = attn.stream %{{[^ ]+}} step 128 over [%{{[^ ]+}} to %[[HI]]]
// CHECK: %[[END:[^ ]+]] = arith.addi %[[LENGTH]], %[[LENGTH]] : index
// CHECK-DAG: %[[FROM:[^ ]+]] = arith.maxsi %[[LENGTH]], %{{[^ ]+}} : index
// CHECK-DAG: %[[LO:[^ ]+]] = arith.minsi %[[FROM]], %[[END]] : index
// CHECK-DAG: %[[TO:[^ ]+]] = arith.maxsi %[[K]], %[[LENGTH]] : index
// CHECK-DAG: %[[HI:[^ ]+]] = arith.minsi %[[TO]], %[[END]] : index
// CHECK: %[[R1:[^ ]+]] = attn.stream %{{[^ ]+}} step 128 over [%[[LO]] to %[[HI]]]
// CHECK: %[[SUM:[^ ]+]] = arith.addf %[[R0]], %[[R1]]
// CHECK: attn.store %[[SUM]]
func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = attn.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// -----

// Masks: each part has all segments, clamped to its share of what the tile sees.

// CHECK-LABEL: attn.kernel @causal_attention
// CHECK: attn.stream %{{[^ ]+}} step 128 over [%{{[^ ]+}} to %{{[^ ]+}}, masked %{{[^ ]+}} to %{{[^ ]+}}]
// CHECK: attn.stream %{{[^ ]+}} step 128 over [%{{[^ ]+}} to %{{[^ ]+}}, masked %{{[^ ]+}} to %{{[^ ]+}}]
// CHECK-NOT: attn.stream
// CHECK: attn.return
func.func @causal(%q: tensor<1x2x256x64xf16>, %k: tensor<1x2x768x64xf16>, %v: tensor<1x2x768x64xf16>) -> tensor<1x2x256x64xf16> {
  %o = attn.attention %q, %k, %v mask(#attn.causal<top_left>) scale(0.125)
      : (tensor<1x2x256x64xf16>, tensor<1x2x768x64xf16>, tensor<1x2x768x64xf16>) -> tensor<1x2x256x64xf16>
  return %o : tensor<1x2x256x64xf16>
}
