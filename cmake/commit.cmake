# Writes app/commit.h: the commit that a binary was built from, with "+" behind it where the tree had
# changes (tools/commit); empty outside a git checkout. Runs at each build and touches the file only
# when the answer is another. -DSOURCE=… -DHEADER=…
execute_process(COMMAND "${SOURCE}/tools/commit" OUTPUT_VARIABLE told ERROR_QUIET)
set(commit "")
if(told MATCHES "^([0-9a-f]+) (clean|dirty)")
  set(commit "${CMAKE_MATCH_1}")
  if(CMAKE_MATCH_2 STREQUAL "dirty")
    string(APPEND commit "+")
  endif()
endif()
set(text "#pragma once\n\n#include <string_view>\n\nnamespace penstock::app {\n
inline constexpr std::string_view kCommit = \"${commit}\";\n\n}  // namespace penstock::app\n")
set(before "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${HEADER}" "${text}")
endif()
