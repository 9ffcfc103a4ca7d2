# Runs PROGRAM with ARGUMENTS and fails unless it succeeds and prints exactly what EXPECTED holds.
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} OUTPUT_VARIABLE actual RESULT_VARIABLE code)
file(READ "${EXPECTED}" expected)
if(NOT code EQUAL 0 OR NOT actual STREQUAL expected)
  message(FATAL_ERROR "exit code ${code}; expected:\n${expected}\nactual:\n${actual}")
endif()
