# One include root, the same in the build tree and after install: savedmodel/<room>/<file>.h.
# In the build tree it is made of links, so that no header is copied and none can go stale.
set(SAVEDMODEL_INCLUDE_ROOT "${PROJECT_BINARY_DIR}/include")
set(SAVEDMODEL_GENERATED_ROOT "${PROJECT_BINARY_DIR}/gen")
file(MAKE_DIRECTORY "${SAVEDMODEL_INCLUDE_ROOT}/savedmodel" "${SAVEDMODEL_GENERATED_ROOT}")
foreach(room base proto object_graph checkpoint signatures saved_model tools tests)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${room}" "${SAVEDMODEL_INCLUDE_ROOT}/savedmodel/${room}" SYMBOLIC)
endforeach()
