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

# The two functions those objects call when memory or an invariant is gone (cmake/llvm_shim.cc).
add_library(savedmodel_llvm_shim OBJECT "${PROJECT_SOURCE_DIR}/cmake/llvm_shim.cc")
target_include_directories(savedmodel_llvm_shim SYSTEM PRIVATE "${SAVEDMODEL_LLVM_INCLUDE}")
target_compile_definitions(savedmodel_llvm_shim PRIVATE LLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1)

add_library(savedmodel_llvm_adt INTERFACE)
target_include_directories(savedmodel_llvm_adt SYSTEM INTERFACE "${SAVEDMODEL_LLVM_INCLUDE}")
target_compile_definitions(savedmodel_llvm_adt INTERFACE LLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1)
target_link_libraries(savedmodel_llvm_adt INTERFACE $<TARGET_OBJECTS:savedmodel_llvm_shim> ${SAVEDMODEL_LLVM_OBJECTS})
target_link_options(savedmodel_llvm_adt INTERFACE -Wl,--gc-sections)
