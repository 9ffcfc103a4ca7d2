# The one archive that is installed: the rooms, ADT's objects and the generated messages.
set(objects)
foreach(target IN LISTS SAVEDMODEL_ROOM_TARGETS ITEMS savedmodel_messages savedmodel_llvm_adt)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endif()
endforeach()
set(archive_dir "${PROJECT_BINARY_DIR}/archive")
file(GENERATE OUTPUT "${archive_dir}/objects.txt" CONTENT "$<JOIN:${objects};${SAVEDMODEL_LLVM_OBJECTS},\n>\n")

# Binding everything else to the archive needs GNU ld and objcopy.
find_program(SAVEDMODEL_LD NAMES ld.bfd)
find_program(SAVEDMODEL_OBJCOPY NAMES objcopy)
if(SAVEDMODEL_ISOLATE AND NOT (SAVEDMODEL_LD AND SAVEDMODEL_OBJCOPY))
  message(FATAL_ERROR "SAVEDMODEL_ISOLATE needs ld.bfd and objcopy (GNU binutils); set it OFF to do without")
endif()

set(SAVEDMODEL_ARCHIVE "${PROJECT_BINARY_DIR}/lib/libsavedmodel.a")
add_custom_command(
  OUTPUT "${SAVEDMODEL_ARCHIVE}"
  COMMAND ${CMAKE_COMMAND} -D isolate=${SAVEDMODEL_ISOLATE} -D objects=${archive_dir}/objects.txt
          -D exports=${PROJECT_SOURCE_DIR}/cmake/exported_symbols.txt -D work=${archive_dir}
          -D ld=${SAVEDMODEL_LD} -D objcopy=${SAVEDMODEL_OBJCOPY} -D nm=${CMAKE_NM} -D ar=${CMAKE_AR}
          -D strip=$<NOT:$<CONFIG:Debug,RelWithDebInfo>> -D archive=${SAVEDMODEL_ARCHIVE}
          -P ${PROJECT_SOURCE_DIR}/cmake/make_archive.cmake
  DEPENDS ${objects} ${SAVEDMODEL_ROOM_TARGETS} savedmodel_messages savedmodel_llvm_adt "${archive_dir}/objects.txt"
          "${PROJECT_SOURCE_DIR}/cmake/make_archive.cmake" "${PROJECT_SOURCE_DIR}/cmake/exported_symbols.txt"
  COMMENT "Making libsavedmodel.a"
  VERBATIM)
add_custom_target(savedmodel_archive ALL DEPENDS "${SAVEDMODEL_ARCHIVE}")
