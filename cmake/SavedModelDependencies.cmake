# Everything comes from the distribution's packages. Order matters once:
# Threads first, since other packages' configs name Threads::Threads.
find_package(Threads REQUIRED)
find_package(Protobuf 3.21 REQUIRED MODULE)   # the distribution ships no CONFIG file
find_package(absl REQUIRED CONFIG)
find_package(Snappy REQUIRED CONFIG)
find_package(nlohmann_json 3.11 REQUIRED CONFIG)
if(SAVEDMODEL_BUILD_TOOLS)
  find_package(CLI11 REQUIRED CONFIG)
endif()
if(SAVEDMODEL_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED CONFIG)
  find_package(leveldb CONFIG)
endif()
if(SAVEDMODEL_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED CONFIG)
endif()
include(SavedModelLlvmAdt)
