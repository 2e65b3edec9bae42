//===- CarriedMain.cpp - A tool that the compiler's library carries -------===//

/// The `main` of attn-opt or attn-compile.
int ATTN_TOOL(int argc, char **argv);

int main(int argc, char **argv) { return ATTN_TOOL(argc, argv); }
