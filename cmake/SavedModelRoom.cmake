# savedmodel_room(<name> [DEPENDS <rooms>] [LIBRARIES <targets>])
#
# A room is an object library savedmodel_<name> of all .cc files in its folder and its internal/
# folders (tests live in tests/). DEPENDS names the rooms it may include; LIBRARIES are private.
function(savedmodel_room name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  add_library(savedmodel_${name} OBJECT ${sources})
  add_library(savedmodel::${name} ALIAS savedmodel_${name})
  target_include_directories(savedmodel_${name} PUBLIC "${SAVEDMODEL_INCLUDE_ROOT}")
  target_link_libraries(savedmodel_${name} PRIVATE savedmodel_flags ${ARG_LIBRARIES}
                        PUBLIC absl::status absl::statusor absl::strings Threads::Threads)
  foreach(room IN LISTS ARG_DEPENDS)
    target_link_libraries(savedmodel_${name} PUBLIC savedmodel_${room})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY SAVEDMODEL_ROOMS savedmodel_${name})
endfunction()
