# savedmodel_protoc(<target>): a library of the messages in all .proto files of the proto room.
#
# protoc runs from the include root, so the registered file name is savedmodel/proto/<file>.proto:
# unique in a process that also carries TensorFlow's own copies.
function(savedmodel_protoc target)
  file(GLOB protos CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/proto" "${PROJECT_SOURCE_DIR}/proto/*.proto")
  set(sources)
  foreach(proto IN LISTS protos)
    string(REPLACE ".proto" ".pb" stem "${proto}")
    set(out "${SAVEDMODEL_GENERATED_ROOT}/savedmodel/proto/${stem}")
    add_custom_command(
      OUTPUT "${out}.cc" "${out}.h"
      COMMAND ${Protobuf_PROTOC_EXECUTABLE} -I "${SAVEDMODEL_INCLUDE_ROOT}"
              --cpp_out "${SAVEDMODEL_GENERATED_ROOT}" --dependency_out "${out}.d"
              "savedmodel/proto/${proto}"
      DEPENDS "${PROJECT_SOURCE_DIR}/proto/${proto}"
      DEPFILE "${out}.d"
      WORKING_DIRECTORY "${SAVEDMODEL_INCLUDE_ROOT}"
      COMMENT "protoc ${proto}")
    list(APPEND sources "${out}.cc" "${out}.h")
  endforeach()
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    # Generated code is not ours to warn about, gains little from -O2 and costs most of a build.
    target_compile_options(${target} PRIVATE -w $<$<CONFIG:Debug>:-O1>)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} SYSTEM ${scope} "${SAVEDMODEL_GENERATED_ROOT}")
  target_link_libraries(${target} ${scope} protobuf::libprotobuf)
endfunction()
