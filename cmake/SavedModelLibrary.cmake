# savedmodel::savedmodel in the build tree: all rooms.
get_property(SAVEDMODEL_ROOM_NAMES GLOBAL PROPERTY SAVEDMODEL_ROOMS)
list(TRANSFORM SAVEDMODEL_ROOM_NAMES PREPEND savedmodel_ OUTPUT_VARIABLE SAVEDMODEL_ROOM_TARGETS)
add_library(savedmodel INTERFACE)
add_library(savedmodel::savedmodel ALIAS savedmodel)
target_link_libraries(savedmodel INTERFACE ${SAVEDMODEL_ROOM_TARGETS})
