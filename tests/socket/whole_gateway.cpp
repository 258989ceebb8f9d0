#include "tests/socket/whole_gateway.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "app/gateway_process.h"
#include "base/address.h"
#include "base/result.h"
#include "config/load.h"
#include "runtime/thread.h"

namespace penstock::test {

WholeGateway::WholeGateway(std::string config, std::string redis) {
  secrets_.put("env:REDIS", std::move(redis));
  disk_.put("penstock.yaml", std::move(config));
  loaded_ = config::load("penstock.yaml", disk_, secrets_);
  for (const std::string& line : config::rendered(loaded_.problems, loaded_.file))
    ADD_FAILURE() << line;
  if (!loaded_.ok()) return;
  gateway_ = std::make_unique<app::GatewayProcess>(loaded_, disk_, secrets_);
  Result<void> started = gateway_->prepare();
  if (started) started = gateway_->start();
  if (!started) {
    ADD_FAILURE() << started.error().message;
    return;
  }
  port_ = parse_listen_address(gateway_->data_address())->port;
  admin_port_ = parse_listen_address(gateway_->admin_address())->port;
}

void WholeGateway::serve_while(const std::function<void()>& work) {
  runtime::Thread beside("work", [this, &work] {
    work();
    gateway_->loop().post([this] { gateway_->leave(); });
  });
  gateway_->loop().run();
  beside.join();
}

void WholeGateway::end() {
  gateway_->loop().post([this] { gateway_->leave(); });
  gateway_->loop().run();
}

}  // namespace penstock::test
