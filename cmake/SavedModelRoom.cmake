# savedmodel_room(<name> [DEPENDS <rooms>] [LIBRARIES <targets>])
#
# A room is the library savedmodel_<name> (alias savedmodel::<name>) of all .cc files in its folder and
# the folders below, except those that hold a CMakeLists.txt of their own. DEPENDS names the rooms it may
# include; LIBRARIES are what its .cc files need beside absl and ADT. A room without a .cc file yet is its headers.
function(savedmodel_room name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES" ${ARGN})
  set(target savedmodel_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  file(GLOB_RECURSE nested "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(list_file IN LISTS nested)
    get_filename_component(folder "${list_file}" DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()

  set(public absl::status absl::statusor absl::strings Threads::Threads)
  list(TRANSFORM ARG_DEPENDS PREPEND savedmodel_ OUTPUT_VARIABLE rooms)
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC "${SAVEDMODEL_INCLUDE_ROOT}")
    target_compile_features(${target} PUBLIC cxx_std_20)  # for projects that add this one as a subdirectory
    target_link_libraries(${target} PUBLIC ${rooms} ${public}
                          PRIVATE savedmodel_flags savedmodel_llvm_adt absl::flat_hash_map absl::str_format
                          ${ARG_LIBRARIES})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${SAVEDMODEL_INCLUDE_ROOT}")
    target_compile_features(${target} INTERFACE cxx_std_20)
    target_link_libraries(${target} INTERFACE ${rooms} ${public})
  endif()
  add_library(savedmodel::${name} ALIAS ${target})
  set_property(GLOBAL APPEND PROPERTY SAVEDMODEL_ROOMS ${name})
endfunction()
