// What is wrong with records is said where they stand, of all of them at once.
// RUN: not attn-tblgen -I %source/include -gen-remark-decls %s -o %t 2>&1 | FileCheck %s
// RUN: not attn-tblgen -I %source/include -gen-remark-defs %s -o %t 2>&1 | FileCheck %s
// RUN: not attn-tblgen -I %source/include -gen-remark-doc %s -o %t 2>&1 | FileCheck %s
// RUN: not attn-tblgen -I %source/include -gen-remark-defs -DKIND %s -o %t 2>&1 | FileCheck %s --check-prefix=KIND

include "attn-mlir/Support/Remark.td"

class Test<string identifier, string words, list<RemarkArg> values = []>
    : AttnRemark<identifier, Missed, words, values> {
  let category = "attn-test";
  let description = "Never.";
}
class Size<string name> : RemarkArg<name, Int, "a size">;

// CHECK: remarks-invalid.td:[[# @LINE + 1]]:{{.*}}error: expected lower-case words joined by dashes as the identifier, but got 'Few_Tiles'
def Name : Test<"Few_Tiles", "text">;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected lower-case words joined by dashes as the identifier, but got 'few--tiles'
def Dashes : Test<"few--tiles", "text">;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected lower-case words joined by dashes as the category, but got ''
def Category : Test<"category", "text"> { let category = ""; }
// CHECK: :[[# @LINE + 1]]:{{.*}}expected lower-case words joined by dashes as the name of an argument, but got '2nd'
def ArgumentName : Test<"argument", "text", [Size<"2nd">]>;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected arguments of different names, but got 'ctas' twice
def Twice : Test<"twice", "text", [Size<"ctas">, Size<"ctas">]>;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected what the argument 'ctas' says, but got nothing
def Says : Test<"says", "text", [RemarkArg<"ctas", Int, "">]>;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected a text, but got none
def Text : Test<"text", "">;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected an argument with one value in braces, but got '{tiles}'
def Unknown : Test<"unknown", "few {tiles}", [Size<"ctas">]>;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected an argument with one value in braces, but got '{sizes}'
def Several : Test<"several", "few {sizes}", [RemarkArg<"sizes", Keyed, "sizes">]>;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected an argument with one value in braces, but got '{size}'
def Absent : Test<"absent", "few {size}", [RemarkArg<"size", Optional<Int>, "a size">]>;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected '}' after '{tiles', but got the end of the text
def Open : Test<"open", "few {tiles", [Size<"tiles">]>;
// CHECK: :[[# @LINE + 1]]:{{.*}}expected a description, but got none
def Description : Test<"description", "text"> { let description = ""; }
// CHECK: :[[# @LINE + 2]]:{{.*}}expected another text than that of 'First', but got 'the same' of the same identifier again
def First : Test<"first", "the same">;
def Second : Test<"first", "the same">;
// The identifier may have other texts, and other passes the same identifier.
// CHECK-NOT: error:
def Third : Test<"first", "another one">;
def Fourth : Test<"first", "the same"> { let category = "attn-other"; }

// CHECK: 13 errors.

#ifdef KIND
// TableGen itself checks types.
// KIND: :[[# @LINE + 1]]:{{.*}}error: Value specified for template argument {{.*}} is of type Size{{.*}}expected {{.*}}RemarkKind
def Kind : AttnRemark<"kind", Size<"ctas">, "text">;
#endif
