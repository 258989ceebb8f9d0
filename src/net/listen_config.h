#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "base/field.h"
#include "base/field_text.h"
#include "base/secret_ref.h"
#include "base/units.h"

namespace penstock::net {

// YAML: listen.tls. Serves TLS on the data plane.
struct ListenTlsConfig {
  SecretRef certificate;  // PEM, the chain after the leaf
  SecretRef key;          // PEM
};

constexpr auto fields(Describe<ListenTlsConfig>) {
  using C = ListenTlsConfig;
  return std::tuple{
      field("certificate", &C::certificate, required(any()), Reload::kRestart,
            "Certificate chain in PEM, the leaf first."),
      field("key", &C::key, required(any()), Reload::kRestart, "Its private key in PEM."),
  };
}

// YAML: listen
struct ListenConfig {
  std::string data = "127.0.0.1:7100";
  std::string admin = "127.0.0.1:7101";
  std::optional<ListenTlsConfig> tls;
  std::uint32_t connections = 20000;
  Duration head_wait = 10s;
  Duration body_wait = 60s;
  Duration keep_alive = 75s;
  Duration write_stall = 60s;
  std::optional<Duration> balancer_idle;
};

constexpr auto fields(Describe<ListenConfig>) {
  using C = ListenConfig;
  return std::tuple{
      field("data", &C::data, kListenAddressRule, Reload::kRestart,
            "Address of the data plane. Port 0 picks one free port for all workers."),
      field("admin", &C::admin, kListenAddressRule, Reload::kRestart,
            "Address of the admin plane. Anything but loopback requires admin.token."),
      field("tls", &C::tls, any(), Reload::kRestart, "TLS on the data plane; without it, plain."),
      field("connections", &C::connections, range(1, 1'000'000), Reload::kRestart,
            "Client connections open at once; more wait in the kernel's queue."),
      field("head_wait", &C::head_wait, range(100ms, 10min), Reload::kRestart,
            "An incomplete request head is closed after this long."),
      field("body_wait", &C::body_wait, range(100ms, 1h), Reload::kRestart,
            "A request body must have arrived after this long, else 408."),
      field("keep_alive", &C::keep_alive, range(100ms, 1h), Reload::kRestart,
            "An idle client connection is closed after this long."),
      field("write_stall", &C::write_stall, range(100ms, 1h), Reload::kRestart,
            "A client that reads nothing for this long is gone."),
      field("balancer_idle", &C::balancer_idle, range(100ms, 24h), Reload::kRestart,
            "Idle time-out of the load balancer in front, if any; only compared with others."),
  };
}

}  // namespace penstock::net
