# penstock_room(NAME SOURCES … ROOMS … LIBRARIES …): one folder under src/ as one library.
# ROOMS are the rooms it may include (tools/layers checks the includes themselves); LIBRARIES are
# third-party targets that stay private to it.
function(penstock_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  add_library(penstock_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(penstock_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  list(TRANSFORM ROOM_ROOMS PREPEND penstock_)
  target_link_libraries(penstock_${name} PUBLIC ${ROOM_ROOMS} fmt::fmt PRIVATE ${ROOM_LIBRARIES})
endfunction()

# penstock_test(NAME SOURCES … ROOMS … LIBRARIES … LABELS …): one GoogleTest binary, registered with
# CTest. Label a test `threads` when it starts threads: those also run under ThreadSanitizer.
add_custom_target(threaded_tests)
function(penstock_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;ROOMS;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
  list(TRANSFORM TEST_ROOMS PREPEND penstock_)
  target_link_libraries(${name} PRIVATE ${TEST_ROOMS} ${TEST_LIBRARIES} GTest::gtest_main fmt::fmt)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS "${TEST_LABELS}")
  if("threads" IN_LIST TEST_LABELS)
    add_dependencies(threaded_tests ${name})
  endif()
endfunction()
