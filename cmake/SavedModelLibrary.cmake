# The library: every room's objects, the generated messages and the bundled ADT objects in one archive.
get_property(rooms GLOBAL PROPERTY SAVEDMODEL_ROOMS)
set(objects $<TARGET_OBJECTS:savedmodel_messages>)
foreach(room IN LISTS rooms)
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()
add_library(savedmodel STATIC ${objects})
add_library(savedmodel::savedmodel ALIAS savedmodel)
target_include_directories(savedmodel PUBLIC "${SAVEDMODEL_INCLUDE_ROOT}")
target_include_directories(savedmodel SYSTEM PUBLIC "${SAVEDMODEL_GENERATED_ROOT}")
target_link_libraries(savedmodel PUBLIC
  absl::status absl::statusor absl::strings absl::flat_hash_map
  protobuf::libprotobuf Snappy::snappy Threads::Threads savedmodel_llvm_adt)
