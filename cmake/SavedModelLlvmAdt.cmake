# LLVM ADT, private to .cc files and internal/ headers: the headers of LLVM 19 and only those
# objects of its Support library that the containers need, so that users need no LLVM package.
set(SAVEDMODEL_LLVM_ROOT "/usr/lib/llvm-19" CACHE PATH "Where LLVM 19 is installed")
find_path(SAVEDMODEL_LLVM_INCLUDE llvm/ADT/SmallVector.h
  PATHS "${SAVEDMODEL_LLVM_ROOT}/include" "${CMAKE_SYSROOT}${SAVEDMODEL_LLVM_ROOT}/include"
  NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
find_file(SAVEDMODEL_LLVM_SUPPORT libLLVMSupport.a
  PATHS "${SAVEDMODEL_LLVM_ROOT}/lib" "${CMAKE_SYSROOT}${SAVEDMODEL_LLVM_ROOT}/lib"
  NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)

set(adt_dir "${PROJECT_BINARY_DIR}/llvm_adt")
set(adt_objects SmallVector.cpp.o StringMap.cpp.o MemAlloc.cpp.o SmallPtrSet.cpp.o StringRef.cpp.o
    ABIBreak.cpp.o xxhash.cpp.o)
file(MAKE_DIRECTORY "${adt_dir}")
execute_process(COMMAND "${CMAKE_AR}" x "${SAVEDMODEL_LLVM_SUPPORT}" ${adt_objects}
                WORKING_DIRECTORY "${adt_dir}" RESULT_VARIABLE adt_result)
if(NOT adt_result EQUAL 0)
  message(FATAL_ERROR "cannot take the ADT objects out of ${SAVEDMODEL_LLVM_SUPPORT}")
endif()
list(TRANSFORM adt_objects PREPEND "${adt_dir}/" OUTPUT_VARIABLE SAVEDMODEL_LLVM_OBJECTS)

# cmake/llvm_shim.cc holds the two functions those objects call when memory or an invariant is gone.
add_library(savedmodel_llvm_adt STATIC "${PROJECT_SOURCE_DIR}/cmake/llvm_shim.cc" ${SAVEDMODEL_LLVM_OBJECTS})
set_source_files_properties(${SAVEDMODEL_LLVM_OBJECTS} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
target_include_directories(savedmodel_llvm_adt SYSTEM PUBLIC "${SAVEDMODEL_LLVM_INCLUDE}")
# The library this was compiled without asserts, and so is everything that uses its headers.
target_compile_definitions(savedmodel_llvm_adt PUBLIC LLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1)
# StringRef.cpp.o names number classes in functions nobody calls; without them nothing is missing.
target_link_options(savedmodel_llvm_adt PUBLIC -Wl,--gc-sections)
