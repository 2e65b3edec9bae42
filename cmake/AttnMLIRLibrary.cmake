# attn_mlir_library(NAME sources... DEPENDS tablegen-targets LINK libraries)
#
# A static library of the project: position independent (the plugin links it),
# exported by the installed package, built on the shared precompiled header.
function(attn_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(AttnMLIR::${name} ALIAS ${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${ATTN_LLVM_LIBRARIES})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  attn_mlir_pch(${name})
  set_property(GLOBAL APPEND PROPERTY ATTN_MLIR_LIBRARIES ${name})
endfunction()

# Reuses one precompiled header of MLIR (lib/PCH.h), whose parsing is most of the
# time that a source takes.
function(attn_mlir_pch name)
  if(ATTN_ENABLE_PCH)
    target_precompile_headers(${name} REUSE_FROM AttnMLIRPCH)
  endif()
endfunction()

# attn_mlir_pch_sum(HEADER SUM): writes what ccache reads in place of a precompiled
# header (CCACHE_PCH_EXTSUM): a digest of its text. The header's own bytes name the build
# folder, and no other folder's build, such as the wheel's, would find the objects.
function(attn_mlir_pch_sum header sum)
  set(includes ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  list(TRANSFORM includes PREPEND -I)
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++17 -x c++ -E -P -dD ${includes}
            ${LLVM_DEFINITIONS_LIST} ${header}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 digest "${text}")
  file(WRITE ${sum} ${digest})
endfunction()

# Without the text of the header after it, whose full path ccache would take for an
# option of its own. (The documented interface has no say in these options.)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
endif()
