#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "admin/plane.h"
#include "base/result.h"
#include "runtime/task.h"

namespace penstock::admin {

// One request of the admin plane. The views live as long as its exchange.
struct Call {
  Plane& plane;
  std::string_view argument{};  // what stands at {} in the route's path
  std::string_view query{};     // behind the question mark
  std::string_view body{};
  std::string_view request_id{};  // the client's, for the audit log; empty: none, or not a sane one
};

struct Reply {
  std::string body;
  std::string_view type = "application/json";
};

using Handler = runtime::Task<Result<Reply>> (*)(const Call& call);

// One row of the table. GET answers HEAD too.
struct Route {
  std::string_view method;
  std::string_view path;  // one segment may be {}
  Handler handle;
};
[[nodiscard]] std::span<const Route> routes() noexcept;

// What a method and a path (without query) lead to.
struct Found {
  const Route* route = nullptr;  // nullptr: the path has no such method, or there is no such path
  std::string_view argument{};
  std::string allowed{};  // the methods of the path; empty: there is no such path
};
[[nodiscard]] Found find_route(std::string_view method, std::string_view path);

// The path nearest to one that does not exist, or empty.
[[nodiscard]] std::string_view nearest_path(std::string_view path);

}  // namespace penstock::admin
