# savedmodel::savedmodel in the build tree: all rooms.
get_property(rooms GLOBAL PROPERTY SAVEDMODEL_ROOMS)
add_library(savedmodel INTERFACE)
add_library(savedmodel::savedmodel ALIAS savedmodel)
list(TRANSFORM rooms PREPEND savedmodel_ OUTPUT_VARIABLE room_targets)
target_link_libraries(savedmodel INTERFACE ${room_targets})
