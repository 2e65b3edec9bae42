// With lengths and CTAs that share a stream, a kernel deals the parts on the device: what it writes, and how the kernels
// that stream and merge read it.
// RUN: attn-opt %s --attn-set-target=target=h200 --attn-stream-partition='tiles=query=16,key=32 split-ctas' | FileCheck %s
// RUN: attn-opt %s --attn-set-target=target=h200 --attn-stream-partition='tiles=query=16,key=32 split-length=64' | FileCheck %s --check-prefix=STATED
// RUN: attn-opt %s --attn-set-target=target=h200 --attn-stream-partition='tiles=query=16,key=32 split-ctas splits=4' | FileCheck %s --check-prefix=NUMBER

!q = tensor<?x4x1x64xf16>
!k = tensor<?x2x?x64xf16>

func.func @f(%q: !q, %k: !k, %v: !k, %n: tensor<?xi32>) -> !q {
  %o = attn.attention %q, %k, %v scale(0.125) lengths(%n : tensor<?xi32>) : (!q, !k, !k) -> !q
  return %o : !q
}

// A number of parts that is stated is one of each stream: nothing is dealt.
// NUMBER-NOT: deal
// NUMBER: attn.launch @f_attention_split
// NUMBER-NOT: attn.write

// As many entries as there are sequences, and SMs for each tile of the rest of the grid, less one: 132 / 4 heads.
// CHECK-LABEL: func.func @f
// CHECK: arith.constant 33 : index
// CHECK: %[[SUM:.*]] = arith.addi %{{dim[_0-9]*}}, %c33{{[_0-9]*}} : index
// CHECK: %[[ENTRIES:.*]] = arith.subi %[[SUM]], %c1{{.*}} : index
// CHECK: %[[LIST:.*]] = tensor.empty(%[[ENTRIES]]) : tensor<?x4xi32>
// CHECK: %[[DEALT:.*]]:2 = attn.launch @f_attention_deal ins(%arg3, %arg1 : tensor<?xi32>, tensor<?x2x?x64xf16>) outs(%[[LIST]],
// A stream that is one part has its results there, and the others' are written over by the merge.
// CHECK: %[[STATES:.*]]:5 = attn.launch @f_attention_split ins(%arg0, %arg1, %arg2, %arg3, %[[DEALT]]#0, %[[DEALT]]#1 :
// CHECK-SAME: outs(%{{.*}} : tensor<?x4x1xf32>, tensor<?x4x1xf32>, tensor<?x4x1xf32>, tensor<?x4x1x64xf32>, tensor<?x4x1x64xf16>)
// CHECK: attn.launch @f_attention_merge ins(%[[STATES]]#0, %[[STATES]]#1, %[[STATES]]#2, %[[STATES]]#3, %arg3, %arg1, %[[DEALT]]#1 :
// CHECK-SAME: outs(%[[STATES]]#4 :

// CHECK-LABEL: attn.kernel @f_attention_deal(%lengths: !attn.view<?xi32>, %k: {{.*}}, %list: !attn.view<?x4xi32>, %table: !attn.view<?x2xi32>)
// CHECK-SAME: step = "deal"
// CHECK-DAG: %[[STREAMS:.*]] = attn.dim %lengths, 0
// CHECK-DAG: %[[ROWS:.*]] = attn.dim %table, 0
// A CTA for each row of the table: the sequences, and one more.
// CHECK: attn.grid (%deal) visit %visit in (deal = %[[ROWS]]) {
// Many lengths are read before the first is used: of all together the sum and the largest.
// CHECK: %[[ALL:.*]]:2 = scf.for %[[AT:.*]] = %c0 to %[[STREAMS]] step %c16 iter_args(%{{.*}} = %c0, %{{.*}} = %c0) -> (index, index) {
// CHECK-COUNT-16: attn.read %lengths
// CHECK-NOT: attn.read
// CHECK: scf.yield
// CHECK: %[[MOST:.*]] = arith.ceildivui %{{.*}}, %c32
// CHECK: arith.muli %[[STREAMS]], %[[MOST]]
// CHECK: %[[TOTAL:.*]] = arith.minui %[[ALL]]#0,
// CHECK: %[[LONGEST:.*]] = arith.minui %[[ALL]]#1, %[[MOST]]
// CHECK: %[[ROOM:.*]] = attn.dim %list, 0
// CHECK: %[[MORE:.*]] = arith.subi %[[ROOM]], %[[STREAMS]]
// CHECK: %[[WANTED:.*]] = arith.addi %[[MORE]], %c1
// CHECK: %[[LEAST:.*]] = arith.maxui %[[WANTED]], %c1
// CHECK: %[[SHARE:.*]] = arith.ceildivui %[[TOTAL]], %[[LEAST]]
// CHECK: %[[EVEN:.*]] = arith.minui %[[SHARE]], %[[MOST]]
// Streams that are longer than even parts by less than their states cost, here two tiles, stay whole.
// CHECK: %[[SLACK:.*]] = arith.addi %[[EVEN]], %c2
// CHECK: %[[ALIKE:.*]] = arith.cmpi ule, %[[LONGEST]], %[[SLACK]]
// CHECK: %[[CHOSEN:.*]] = arith.select %[[ALIKE]], %[[LONGEST]], %[[EVEN]]
// CHECK: %[[TILES:.*]] = arith.maxui %[[CHOSEN]], %c2
// Of the sequences in front the parts and the whole ones among these, and the whole ones of all.
// CHECK: %[[PLACE:.*]]:4 = scf.for %{{.*}} = %c0 to %[[STREAMS]] step %c16
// CHECK-COUNT-16: attn.read %lengths
// CHECK: arith.cmpi ult, %{{.*}}, %deal
// CHECK: %[[LENGTH:.*]] = arith.muli %[[TILES]], %c32
// CHECK: %[[COUNT:.*]] = arith.ceildivui %[[PLACE]]#0, %[[TILES]]
// CHECK: %[[WHOLE:.*]] = arith.divui %[[PLACE]]#0, %[[TILES]]
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %deal, %[[STREAMS]]
// CHECK: %[[SECOND:.*]] = arith.select %[[LAST]], %[[LENGTH]], %[[COUNT]]
// CHECK: attn.write %[[PLACE]]#1, %table[%deal, %c0]
// CHECK: attn.write %[[SECOND]], %table[%deal, %c1]
// There may be more parts than run at once: those that are whole come first. The slots of a sequence are neighbours all
// the same.
// CHECK: scf.for %[[PART:.*]] = %c0 to %[[WHOLE]] step %c1 {
// CHECK-DAG: %[[FROM:.*]] = arith.muli %[[PART]], %[[LENGTH]]
// CHECK-DAG: %[[ENTRY:.*]] = arith.addi %[[PLACE]]#2, %[[PART]]
// CHECK-DAG: %[[TO:.*]] = arith.addi %[[FROM]], %[[LENGTH]]
// CHECK-DAG: %[[SLOT:.*]] = arith.addi %[[PLACE]]#1, %[[PART]]
// CHECK: attn.write %deal, %list[%[[ENTRY]], %c0]
// CHECK: attn.write %[[FROM]], %list[%[[ENTRY]], %c1]
// CHECK: attn.write %[[TO]], %list[%[[ENTRY]], %c2]
// CHECK: attn.write %[[SLOT]], %list[%[[ENTRY]], %c3]
// CHECK: %[[SHORTS:.*]] = arith.subi %[[PLACE]]#1, %[[PLACE]]#2
// CHECK: %[[NEXT:.*]] = arith.addi %[[PLACE]]#3, %[[SHORTS]]
// CHECK: scf.for %[[PART2:.*]] = %[[WHOLE]] to %[[COUNT]] step %c1 {
// CHECK: %[[BEHIND:.*]] = arith.subi %[[PART2]], %[[WHOLE]]
// CHECK: %[[ENTRY2:.*]] = arith.addi %[[NEXT]], %[[BEHIND]]
// CHECK: attn.write %{{.*}}, %list[%[[ENTRY2]], %c3]
// Behind the last entry nothing is visited, and is of no sequence: the CTA of the last row says so.
// CHECK: %[[END:.*]] = arith.select %[[LAST]], %[[PLACE]]#1, %[[ROOM]]
// CHECK: scf.for %[[REST:.*]] = %[[END]] to %[[ROOM]] step %c1 {
// CHECK: attn.write %[[STREAMS]], %list[%[[REST]], %c0]
// CHECK: attn.write %c0, %list[%[[REST]], %c1]
// CHECK: attn.write %c0, %list[%[[REST]], %c2]
// CHECK: attn.write %[[REST]], %list[%[[REST]], %c3]

// CHECK-LABEL: attn.kernel @f_attention_split(
// CHECK-SAME: %list: !attn.view<?x4xi32>, %table: !attn.view<?x2xi32>, %factor:
// CHECK-SAME: follows
// Entries that exist come first: their number is in the last row of the table.
// CHECK-DAG: %[[STREAMS:.*]] = attn.dim %q, 0
// CHECK-DAG: %[[SIZE:.*]] = attn.dim %list, 0
// CHECK: attn.grid (%work, %kv_head, %group, %query) visit %visit in (work = %[[SIZE]], kv_head = %c2, group = %c2, query = %c1) sharing [work, kv_head] until %table[%[[STREAMS]], %c0{{.*}}] : <?x2xi32> {
// CHECK: %[[SEQUENCE:.*]] = attn.read %list[%work, %c0]
// CHECK: %[[FROM:.*]] = attn.read %list[%work, %c1]
// CHECK: %[[TO:.*]] = attn.read %list[%work, %c2]
// CHECK: %[[SLOT:.*]] = attn.read %list[%work, %c3]
// CHECK: %[[PARTS:.*]] = attn.read %table[%[[SEQUENCE]], %c1]
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[PARTS]], %c1
// CHECK: %[[SEVERAL:.*]] = arith.cmpi ne, %[[PARTS]], %c1
// CHECK: attn.read %lengths[%[[SEQUENCE]]]
// CHECK: attn.load %q[%[[SEQUENCE]],
// CHECK: arith.maxsi %{{.*}}, %[[FROM]]
// CHECK: arith.minsi %{{.*}}, %[[TO]]
// CHECK: attn.load %k[%[[SEQUENCE]], %kv_head, %pos,
// CHECK: %[[STATEROWS:.*]] = arith.select %[[SEVERAL]], %{{.*}}, %c0
// CHECK: attn.store %{{.*}}, %factor[%[[SLOT]], {{.*}}] until %[[STATEROWS]]
// CHECK: attn.store %{{.*}}, %acc[%[[SLOT]], {{.*}}] until %[[STATEROWS]]
// CHECK: %[[OROWS:.*]] = arith.select %[[WHOLE]], %{{.*}}, %c0
// CHECK: attn.store %{{.*}}, %o[%[[SEQUENCE]], {{.*}}] until %[[OROWS]]

// CHECK-LABEL: attn.kernel @f_attention_merge(
// CHECK-SAME: %table: !attn.view<?x2xi32>, %o:
// CHECK: attn.grid (%batch, %kv_head, %group, %query)
// CHECK: %[[FIRST:.*]] = attn.read %table[%batch, %c0]
// CHECK: %[[COUNT:.*]] = attn.read %table[%batch, %c1]
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %[[COUNT]]
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[COUNT]], %c1
// CHECK: %[[SEVERAL:.*]] = arith.cmpi ne, %[[COUNT]], %c1
// CHECK: %[[END:.*]] = arith.select %[[WHOLE]], %[[FIRST]], %[[LAST]]
// CHECK: %[[MANY:[^ ]+]] = arith.minsi %{{[^ ]+}}, %[[END]]
// CHECK: attn.stream %pos step 8 over [%[[FIRST]] to %[[MANY]]]
// CHECK: attn.stream %pos step 2 over [%[[MANY]] to %[[END]]]
// CHECK: arith.cmpi ult, %pos, %[[END]]
// CHECK: %[[MERGEDROWS:.*]] = arith.select %[[SEVERAL]], %{{.*}}, %c0
// CHECK: attn.store %{{.*}}, %o[%batch, {{.*}}] until %[[MERGEDROWS]]

// A part of a stated length needs no sum, and its sequence room for as many as its capacity has.
// STATED-LABEL: func.func @f
// STATED: %[[MOST:.*]] = arith.ceildivui %{{.*}}, %c64
// STATED: %[[AT_LEAST:.*]] = arith.maxui %[[MOST]],
// STATED: %[[ENTRIES:.*]] = arith.muli %{{.*}}, %[[AT_LEAST]]
// STATED: tensor.empty(%[[ENTRIES]]) : tensor<?x4xi32>
// STATED-LABEL: attn.kernel @f_attention_deal
// STATED: attn.grid
// STATED: %[[PLACE:.*]]:4 = scf.for
// STATED: arith.divui %{{.*}}, %c2
// STATED-NOT: scf.for %{{.*}} step %c16
// STATED: attn.write %[[PLACE]]#1, %table[%deal, %c0]
// STATED-LABEL: attn.kernel @f_attention_split
// STATED: %[[TOOK:.*]] = attn.read %list[%work, %c3]
// STATED: attn.store %{{.*}}, %factor[%[[TOOK]],

// Bounds of streams that are captured numbers are read where streams are dealt; a captured bias is not.
// CHECK-LABEL: attn.kernel @bounds_attention_deal(%lengths: !attn.view<?xi32>, %k: {{.*}}, %tensor0: !attn.view<?xi32>, %list: !attn.view<?x4xi32>, %table: !attn.view<?x2xi32>)
// CHECK-COUNT-16: attn.read %lengths
// CHECK: attn.read %tensor0
func.func @bounds(%q: !q, %k: !k, %v: !k, %n: tensor<?xi32>, %from: tensor<?xi32>, %bias: tensor<?xf32>) -> !q {
  %o = attn.attention %q, %k, %v scale(0.125) lengths(%n : tensor<?xi32>)
    captures(%from, %bias : tensor<?xi32>, tensor<?xf32>)
    score(%s: f32, %b: index, %h: index, %i: index, %j: index, %first: tensor<?xi32>, %more: tensor<?xf32>) {
      %0 = attn.gather %more[%j] : tensor<?xf32> -> f32
      %1 = arith.addf %s, %0 : f32
      attn.yield %1 : f32
    }
    keep(%b: index, %h: index, %i: index, %j: index, %first: tensor<?xi32>, %more: tensor<?xf32>) {
      %0 = attn.gather %first[%b] : tensor<?xi32> -> i32
      %1 = arith.index_cast %0 : i32 to index
      %2 = arith.cmpi sge, %j, %1 : index
      attn.yield %2 : i1
    }
    : (!q, !k, !k) -> !q
  return %o : !q
}
