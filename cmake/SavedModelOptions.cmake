# Compiler settings and the switches a user may set.
option(SAVEDMODEL_BUILD_TOOLS "Build the savedmodel command" ${PROJECT_IS_TOP_LEVEL})
option(SAVEDMODEL_BUILD_TESTS "Build the tests and samples" ${PROJECT_IS_TOP_LEVEL})
option(SAVEDMODEL_BUILD_BENCHMARKS "Build the benchmarks" OFF)
option(SAVEDMODEL_BUILD_FUZZERS "Build the libFuzzer targets (needs clang)" OFF)
option(SAVEDMODEL_INSTALL "Make the archive and what cmake --install needs" ${PROJECT_IS_TOP_LEVEL})
option(SAVEDMODEL_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
set(SAVEDMODEL_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")

# Sanitizers look up their own names in the objects, and a cross build has no native binutils to use.
if(SAVEDMODEL_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(isolate_default OFF)
else()
  set(isolate_default ON)
endif()
option(SAVEDMODEL_ISOLATE "Let the installed archive show only our own symbols" ${isolate_default})

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Flags of our own code only; generated code and dependencies do not see them.
add_library(savedmodel_flags INTERFACE)
target_compile_options(savedmodel_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wunused
  -ffunction-sections -fdata-sections)
# GCC 12 sees overlapping copies in "text" + std::string, where there are none.
target_compile_options(savedmodel_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(SAVEDMODEL_WARNINGS_AS_ERRORS)
  target_compile_options(savedmodel_flags INTERFACE -Werror)
endif()

# So that inline variables of templates can be made local to the archive like everything else.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-gnu-unique)
endif()

if(SAVEDMODEL_SANITIZE)
  add_compile_options(-fsanitize=${SAVEDMODEL_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${SAVEDMODEL_SANITIZE})
  if(SAVEDMODEL_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

find_program(SAVEDMODEL_CCACHE ccache)
if(SAVEDMODEL_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SAVEDMODEL_CCACHE}")
endif()
find_program(SAVEDMODEL_MOLD mold)
if(SAVEDMODEL_MOLD AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=mold)
endif()
