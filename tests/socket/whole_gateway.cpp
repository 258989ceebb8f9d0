#include "tests/socket/whole_gateway.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "app/gateway_process.h"
#include "base/address.h"
#include "base/result.h"
#include "config/load.h"

namespace penstock::test {

WholeGateway::WholeGateway(std::string config) {
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
}

void WholeGateway::end() {
  gateway_->loop().post([this] { gateway_->leave(); });
  gateway_->loop().run();
}

}  // namespace penstock::test
