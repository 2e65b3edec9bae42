// RUN: not attn-opt %s --attn-raise=masked-rows=one 2>&1 | FileCheck %s
// CHECK: attn-raise: masked-rows expects nan or zero, but got 'one'

func.func @nothing() {
  return
}
