#include "lab/load_target.h"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "base/result.h"
#include "lab/load.h"

namespace penstock::lab {
namespace {

std::string path_for(const std::string& url) {
  LoadOptions options;
  options.url = url;
  const Result<LoadTarget> target = load_target(options);
  return target ? target->url.path : "-";
}

// People give an origin, a base URL or a whole one.
TEST(LoadTarget, CompletesThePath) {
  EXPECT_EQ(path_for("http://h:1"), "/v1/chat/completions");
  EXPECT_EQ(path_for("http://h:1/"), "/v1/chat/completions");
  EXPECT_EQ(path_for("http://h:1/v1"), "/v1/chat/completions");
  EXPECT_EQ(path_for("http://h:1/openai/v1/"), "/openai/v1/chat/completions");
  EXPECT_EQ(path_for("https://h/v1/embeddings"), "/v1/embeddings");
  EXPECT_EQ(path_for("h:1"), "-");
}

// The request is whole: its length is the body's, and the key is where SDKs put it.
TEST(LoadTarget, WritesTheRequest) {
  LoadOptions options;
  options.url = "http://h:1";
  options.key = "k";
  options.stream = true;
  options.prompt_bytes = 1000;
  const Result<LoadTarget> target = load_target(options);
  ASSERT_TRUE(target.has_value());
  const std::string& request = target->request;
  const std::size_t body = request.find("\r\n\r\n") + 4;
  EXPECT_NE(request.find("authorization: Bearer k\r\n"), std::string::npos);
  EXPECT_NE(request.find("host: h:1\r\n"), std::string::npos);
  EXPECT_NE(request.find("content-length: " + std::to_string(request.size() - body) + "\r\n"),
            std::string::npos);
  EXPECT_NE(request.find("\"stream\":true"), std::string::npos);
  EXPECT_GT(request.size() - body, 1000U);
}

// A run that could measure nothing is refused.
TEST(LoadTarget, RefusesWhatCannotRun) {
  LoadOptions options;
  options.url = "http://h";
  options.concurrency = 0;
  EXPECT_FALSE(load_target(options));
  options.rps = 1;
  EXPECT_TRUE(load_target(options));
  options.duration = Duration::zero();
  EXPECT_FALSE(load_target(options));
}

}  // namespace
}  // namespace penstock::lab
