# Toolchain file for a big-endian build: Debian's cross compiler, the sysroot of scripts/s390x_sysroot.sh, and
# qemu's user emulation to run what was built.
#
#   cmake --preset s390x      with S390X_SYSROOT in the environment or as -D
if(NOT S390X_SYSROOT)
  set(S390X_SYSROOT "$ENV{S390X_SYSROOT}")
endif()
if(NOT EXISTS "${S390X_SYSROOT}/usr/include")
  message(FATAL_ERROR "S390X_SYSROOT ('${S390X_SYSROOT}') is no sysroot: make one with scripts/s390x_sysroot.sh")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES S390X_SYSROOT)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_LIBRARY_ARCHITECTURE s390x-linux-gnu)
set(CMAKE_CXX_COMPILER s390x-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x-static -L "${S390X_SYSROOT}")

# Libraries, headers and packages come from the sysroot only, programs from this machine only.
set(CMAKE_SYSROOT "${S390X_SYSROOT}")
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
find_program(Protobuf_PROTOC_EXECUTABLE protoc REQUIRED)
