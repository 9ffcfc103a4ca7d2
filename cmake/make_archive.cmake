# cmake -D objects=<list file> -D archive=<out> ... -P make_archive.cmake
#
# Puts the listed objects into one archive. With `isolate`, they are first joined into one object in which
# only the names of exported_symbols.txt stay visible, so that the archive can share a program with another
# LLVM, another protobuf and another copy of TensorFlow's messages:
#   1. ld -r joins them; groups of inline functions are dissolved, else another object's copy could win.
#   2. objcopy makes every other defined name local.
#   3. ld -r --gc-sections drops what no exported name reaches, and with it names that nothing defines.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result ERROR_VARIABLE errors OUTPUT_VARIABLE output)
  if(NOT result EQUAL 0)
    list(GET ARGN 0 program)
    message(FATAL_ERROR "${program} failed making ${archive}:\n${output}${errors}")
  endif()
  set(run_output "${output}" PARENT_SCOPE)
endfunction()

function(isolate_into result)
  run("${ld}" -r --force-group-allocation -o "${work}/joined.o" "@${objects}")
  run("${objcopy}" --wildcard "--keep-global-symbols=${exports}" "${work}/joined.o")
  run("${nm}" --format=posix --extern-only --defined-only "${work}/joined.o")
  string(REGEX REPLACE "([^ \n]+) [^\n]*" "-u \\1" roots "${run_output}")
  file(WRITE "${work}/roots.txt" "${roots}")
  run("${ld}" -r --gc-sections "@${work}/roots.txt" -o "${result}" "${work}/joined.o")
  if(strip)
    run("${objcopy}" --strip-unneeded "${result}")
  endif()
  file(REMOVE "${work}/joined.o")
endfunction()

get_filename_component(folder "${archive}" DIRECTORY)
file(MAKE_DIRECTORY "${folder}")
file(REMOVE "${archive}")
if(isolate)
  isolate_into("${work}/savedmodel.o")
  run("${ar}" qcs "${archive}" "${work}/savedmodel.o")
else()
  run("${ar}" qcs "${archive}" "@${objects}")
endif()
