// attn-wrap-for-cpu: functions that are not what their manifest says.
// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-wrap-for-cpu

// expected-error @below {{'llvm.func' op expected 8 arguments of a kernel for the CPU with this manifest, but got 2}}
llvm.func @few(%begin: i64, %end: i64) attributes {attn.manifest = {scalars = [f32], views = [!attn.view<?xf16>]}} {
  llvm.return
}

// -----

// expected-error @below {{'llvm.func' op expected 'views' and 'scalars' in attn.manifest, but got {scalars = []}}}
llvm.func @nothing(%begin: i64, %end: i64) attributes {attn.manifest = {scalars = []}} {
  llvm.return
}

// -----

// expected-error @below {{'llvm.func' op expected 'views' and 'scalars' in attn.manifest, but got 7 : i64}}
llvm.func @number(%begin: i64, %end: i64) attributes {attn.manifest = 7 : i64} {
  llvm.return
}

// -----

// expected-error @below {{'llvm.func' op expected types of views in attn.manifest, but got f32}}
llvm.func @type(%begin: i64, %end: i64) attributes {attn.manifest = {scalars = [], views = [f32]}} {
  llvm.return
}

// -----

llvm.func @a(%begin: i64, %end: i64) attributes {attn.manifest = {scalars = [], views = []}} {
  llvm.return
}
// expected-error @below {{'llvm.func' op expected no kernel of the name that the number of CTAs of another has}}
llvm.func @a_ctas(%begin: i64, %end: i64) attributes {attn.manifest = {scalars = [], views = []}} {
  llvm.return
}
