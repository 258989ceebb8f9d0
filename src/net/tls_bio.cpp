#include "net/tls_bio.h"

#include <cerrno>
#include <cstddef>

#include <sys/socket.h>

#include <stdio.h>

#include "net/tls_impl.h"
#include "net/tls_stream.h"

namespace penstock::net {
namespace {

bool would_block(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

int read_wire(BIO* bio, char* into, int size) noexcept {
  auto& wire = *static_cast<TlsWire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (wire.drained) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const ssize_t got = ::recv(wire.descriptor, into, static_cast<std::size_t>(size), 0);
  if (got < 0 && would_block(errno)) BIO_set_retry_read(bio);
  if (got == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  if (got > 0) wire.drained = got < size;
  return static_cast<int>(got);
}

int write_wire(BIO* bio, const char* from, int size) noexcept {
  const auto& wire = *static_cast<TlsWire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(wire.descriptor, from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && would_block(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

long control_wire(BIO* bio, int command, long, void*) noexcept {
  switch (command) {
    case BIO_CTRL_FLUSH: return 1;  // nothing is held back here
    case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    case BIO_CTRL_DUP:
    case BIO_CTRL_PUSH:
    case BIO_CTRL_POP: return 0;
  }
  return 0;
}

const BIO_METHOD* make_method() noexcept {
  BIO_METHOD* const method =
      BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "penstock wire");
  if (method == nullptr || BIO_meth_set_read(method, &read_wire) != 1 ||
      BIO_meth_set_write(method, &write_wire) != 1 || BIO_meth_set_ctrl(method, &control_wire) != 1)
    return nullptr;
  return method;
}

}  // namespace

SslOwner<BIO> make_wire_bio(TlsWire& wire) noexcept {
  static const BIO_METHOD* const method = make_method();  // for the whole process
  SslOwner<BIO> bio(method == nullptr ? nullptr : BIO_new(method));
  if (!bio) return bio;
  BIO_set_data(bio.get(), &wire);
  BIO_set_init(bio.get(), 1);
  return bio;
}

}  // namespace penstock::net
