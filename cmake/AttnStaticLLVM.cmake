# AttnStaticLLVM: MLIR, LLVM and lld as archives, for a library that carries them.
#
# Debian's exported targets name the shared libLLVM and libMLIR as what their archives
# need, so the archives are given by path. The linker takes of them what is referred to;
# back ends are those below alone.
set(ATTN_STATIC_BACK_ENDS X86 AMDGPU NVPTX)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(ATTN_STATIC_BACK_ENDS AArch64 AMDGPU NVPTX)
endif()

add_library(AttnStaticLLVM INTERFACE)

# attn_link_archives(PATTERN targets...): those that are archives and whose names do
# not match.
function(attn_link_archives left_out)
  list(FILTER ARGN EXCLUDE REGEX "${left_out}")
  foreach(target ${ARGN})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      target_link_libraries(AttnStaticLLVM INTERFACE $<TARGET_FILE:${target}>)
    endif()
  endforeach()
endfunction()

set(other_back_ends ${LLVM_TARGETS_TO_BUILD})
list(REMOVE_ITEM other_back_ends ${ATTN_STATIC_BACK_ENDS})
list(JOIN other_back_ends "|" other_pattern)
get_property(mlir_libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
attn_link_archives("Test|^MLIRCAPI" ${mlir_libraries})
attn_link_archives("^LLVM(${other_pattern}|BOLT|Exegesis)|^Polly$" ${LLVM_AVAILABLE_LIBS})
# Its archives name the shared libraries too.
set_target_properties(lldELF lldCommon PROPERTIES INTERFACE_LINK_LIBRARIES "")

foreach(name z zstd)
  find_library(ATTN_STATIC_${name} lib${name}.a REQUIRED)
  target_link_libraries(AttnStaticLLVM INTERFACE ${ATTN_STATIC_${name}})
endforeach()
target_link_libraries(AttnStaticLLVM INTERFACE ${CMAKE_DL_LIBS} pthread m rt)

# lld initializes every back end that LLVM was built with. Those that are left out get
# empty functions in their place (tools/wheel/AbsentParts.cpp).
set(absent "")
foreach(back_end ${other_back_ends})
  string(APPEND absent "ABSENT_BACK_END(${back_end})\n")
endforeach()
set(ATTN_ABSENT_BACK_ENDS ${PROJECT_BINARY_DIR}/absent-back-ends)
file(CONFIGURE OUTPUT ${ATTN_ABSENT_BACK_ENDS}/AbsentBackEnds.def
     CONTENT "@absent@" @ONLY)
