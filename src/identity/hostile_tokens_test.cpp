#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <time.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "crypto/base64url.h"
#include "identity/claims.h"
#include "identity/key_set.h"
#include "identity/token.h"
#include "identity/verify_token.h"
#include "tests/support/token_key.h"

// A table of tokens that somebody might send who is not who the token says, or that a careless
// issuer or client might make: each must be refused, and fast, by keys that accept good ones.
namespace penstock::identity {
namespace {

using crypto::base64url_encode;
using test::KeyType;
using test::signing_input;
using test::TokenKey;

constexpr std::int64_t kAt = 1'800'000'000;
constexpr WallTime kNow{std::chrono::seconds(kAt)};

Duration cpu_time() {
  timespec time{};
  EXPECT_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}
constexpr std::string_view kIssuer = "https://idp.example/";

// Keys of the issuer, and of somebody else under the same names.
struct Keys {
  TokenKey rs{KeyType::kRsa2048, "rs"};
  TokenKey rs_any{KeyType::kRsa2048, "rs-any"};  // published without alg
  TokenKey es{KeyType::kP256, "es"};
  TokenKey es3{KeyType::kP384, "es3"};
  TokenKey es5{KeyType::kP521, "es5"};
  TokenKey ed{KeyType::kEd25519, "ed"};
  TokenKey weak{KeyType::kRsa1024, "weak"};
  TokenKey foreign_rs{KeyType::kRsa2048, "rs"};
  TokenKey foreign_es{KeyType::kP256, "es"};
  TokenKey foreign_ed{KeyType::kEd25519, "ed"};

  [[nodiscard]] std::string published() const {
    return R"({"keys":[)" + rs.jwk(R"("alg":"RS256","use":"sig")") + "," + rs_any.jwk() + "," +
           es.jwk(R"("alg":"ES256")") + "," + es3.jwk(R"("alg":"ES384")") + "," +
           es5.jwk(R"("alg":"ES512")") + "," + ed.jwk(R"("alg":"EdDSA")") + "," +
           weak.jwk(R"("alg":"RS256")") + "," + foreign_rs.jwk(R"("use":"enc","alg":"RSA-OAEP")") +
           R"(,{"kty":"oct","kid":"oct","alg":"HS256","k":"c2VjcmV0"})" +
           R"(,{"kty":"oct","kid":"oct-any","k":"c2VjcmV0"}]})";
  }
};

std::string header(std::string_view alg, std::string_view kid, std::string_view more = "") {
  return R"({"alg":")" + std::string(alg) + R"(","kid":")" + std::string(kid) + '"' +
         std::string(more) + "}";
}

// Members of good claims by name, as JSON.
std::map<std::string, std::string> good_claims() {
  return {{"iss", '"' + std::string(kIssuer) + '"'},
          {"aud", R"("penstock")"},
          {"exp", std::to_string(kAt + 600)},
          {"sub", R"("someone")"},
          {"tenant", R"("acme")"},
          {"workload", R"("app")"}};
}

// Good claims with another value for one of them; empty: without it.
std::string claims_with(const std::string& name, const std::string& value) {
  std::map<std::string, std::string> all = good_claims();
  all[name] = value;
  std::string text;
  for (const auto& [key, json] : all)
    if (!json.empty())
      text.append(text.empty() ? "{\"" : ",\"").append(key).append("\":").append(json);
  return text + "}";
}
std::string good_payload() { return claims_with("sub", R"("someone")"); }

class HostileTokens : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_keys = new Keys();
    made_set = new KeySet(KeySet::parse(made_keys->published()).value());
  }
  static void TearDownTestSuite() {
    delete made_set;
    delete made_keys;
  }

  // Other processes share the caches and the core.
  static Duration best_of_three(std::string_view text) {
    Duration best = Duration::max();
    for (int i = 0; i < 3; ++i) {
      const Duration before = cpu_time();
      const auto verdict = judge(text);
      best = std::min(best, cpu_time() - before);
      EXPECT_FALSE(verdict && verdict->has_value());
    }
    return best;
  }

  static std::optional<Result<VerifiedToken>> judge(std::string_view text) {
    const TokenRules rules{.issuer = std::string(kIssuer),
                           .audience = "penstock",
                           .tenant_claim = "tenant",
                           .workload_claim = "workload",
                           .tier_claim = "tier"};
    const Result<Token> token = read_token(text);
    if (!token) return std::unexpected(token.error());
    return verify_token(*token, *made_set, rules, kNow);
  }

  void add(std::string what, std::string token) {
    EXPECT_TRUE(table_.emplace(what, std::move(token)).second) << what << " stands twice";
  }
  void algorithms();
  void secrets();
  void keys_and_kids();
  void headers();
  void shapes();
  void signatures();
  void times();
  void claims();
  void payloads();

  static inline Keys* made_keys = nullptr;
  static inline KeySet* made_set = nullptr;
  std::map<std::string, std::string> table_;
};

void HostileTokens::algorithms() {
  const Keys& k = *made_keys;
  for (unsigned bits = 0; bits < 16; ++bits) {  // every case of the four letters
    std::string none = "none";
    for (unsigned i = 0; i < 4; ++i)
      if ((bits >> i & 1) != 0) none[i] = static_cast<char>(none[i] - 'a' + 'A');
    const std::string input = signing_input(header(none, "rs"), good_payload());
    add("alg " + none + " without a signature", input + ".");
    add("alg " + none + " with one", input + "." + base64url_encode(k.rs.sign("RS256", input)));
    add("alg " + none + ", two segments", input);
  }
  for (const char* alg :
       {"",        "RS384",  "RS512",  "PS256", "PS384",        "ES256",  "ES384", "EdDSA",
        "rs256",   "RS256 ", " RS256", "RSA",   "SHA256",       "A128KW", "RS1",   "ES256K",
        "Ed25519", "HS256",  "HS384",  "HS512", "RS256\\u0000", "dir"})
    add("alg " + std::string(alg) + " over an RS256 signature",
        k.rs.token(header(alg, "rs"), good_payload()));
  for (const char* alg : {"null", "256", "true", "[\"RS256\"]", "{\"RS256\":1}", "\"\\ud800\""})
    add("alg is " + std::string(alg),
        k.rs.token(R"({"alg":)" + std::string(alg) + R"(,"kid":"rs"})", good_payload()));
  add("no alg", k.rs.token(R"({"kid":"rs"})", good_payload()));
  for (const char* alg : {"PS256", "RS384", "RS512", "PS512"})
    add(std::string(alg) + " by a key pinned to RS256",
        k.rs.token(header(alg, "rs"), good_payload(), alg));
  add("PS256 signature named RS256", k.rs.token(header("RS256", "rs"), good_payload(), "PS256"));
  add("RS256 signature named PS256 by a key without alg",
      k.rs_any.token(header("PS256", "rs-any"), good_payload(), "RS256"));
  add("RS512 signature named RS256 by a key without alg",
      k.rs_any.token(header("RS256", "rs-any"), good_payload(), "RS512"));
  for (const char* alg : {"ES384", "ES512", "EdDSA", "RS256"})
    add("ES256 signature named " + std::string(alg), k.es.token(header(alg, "es"), good_payload()));
  add("EdDSA signature named ES256", k.ed.token(header("ES256", "ed"), good_payload()));
}

// A verifier that takes the algorithm from the token takes the public key for a secret.
void HostileTokens::secrets() {
  const Keys& k = *made_keys;
  const std::array<std::pair<std::string, std::string>, 9> secrets{
      {{"PEM", k.rs_any.public_pem()},
       {"PEM without its last line end",
        k.rs_any.public_pem().substr(0, k.rs_any.public_pem().size() - 1)},
       {"DER", k.rs_any.public_der()},
       {"modulus", k.rs_any.modulus()},
       {"modulus as text", base64url_encode(k.rs_any.modulus())},
       {"JWK", k.rs_any.jwk()},
       {"kid", "rs-any"},
       {"empty text", ""},
       {"published oct key", "secret"}}};
  for (const int bits : {256, 384, 512})
    for (const auto& [name, secret] : secrets)
      for (const char* kid : {"rs-any", "oct", "oct-any"}) {
        const std::string alg = "HS" + std::to_string(bits);
        const std::string input = signing_input(header(alg, kid), good_payload());
        add(fmt::format("{} with the {} as secret, kid {}", alg, name, kid),
            fmt::format("{}.{}", input, base64url_encode(test::hmac(bits, secret, input))));
      }
  const std::string input = signing_input(header("RS256", "oct-any"), good_payload());
  add("HMAC called RS256 by an oct key without alg",
      input + "." + base64url_encode(test::hmac(256, "secret", input)));
}

void HostileTokens::keys_and_kids() {
  const Keys& k = *made_keys;
  add("another RSA key under our kid", k.foreign_rs.token(header("RS256", "rs"), good_payload()));
  add("another EC key under our kid", k.foreign_es.token(header("ES256", "es"), good_payload()));
  add("another Ed25519 key under our kid",
      k.foreign_ed.token(header("EdDSA", "ed"), good_payload()));
  add("ES256 with the kid of an RSA key", k.es.token(header("ES256", "rs"), good_payload()));
  add("RS256 with the kid of an EC key", k.rs.token(header("RS256", "es"), good_payload()));
  add("our own key under the kid of another",
      k.rs.token(header("RS256", "rs-any"), good_payload()));
  add("a key of 1024 bits", k.weak.token(header("RS256", "weak"), good_payload()));
  add("no kid with two RSA keys", k.rs_any.token(R"({"alg":"RS256"})", good_payload()));
  add("no kid, another key", k.foreign_es.token(R"({"alg":"ES256"})", good_payload()));
  const std::vector<std::pair<std::string, std::string>> kids{
      {"a path", "../../../../etc/passwd"},
      {"an absolute path", "/dev/null"},
      {"a file URL", "file:///dev/null"},
      {"a URL", "http://169.254.169.254/latest"},
      {"SQL", "rs' OR '1'='1"},
      {"SQL that unites", "x' UNION SELECT 'secret"},
      {"a command", "rs;id"},
      {"a substitution", "$(id)"},
      {"a template", "${jndi:ldap://evil}"},
      {"NUL behind", "rs\\u0000"},
      {"NUL inside", "r\\u0000s"},
      {"a line end", "rs\\n"},
      {"a header", "rs\\r\\nx-evil: 1"},
      {"unknown", "nobody"},
      {"a blank behind", "rs "},
      {"a blank in front", " rs"},
      {"another case", "RS"},
      {"empty", ""},
      {"an escape", "\\u001b[31m"},
      {"long", std::string(3000, 'k')},
      {"a prefix", "r"},
      {"more", "rs2"},
      {"not UTF-8", "rs\xff"},
      {"a lone surrogate", "\\ud800"}};
  for (const auto& [what, kid] : kids)
    add("kid is " + what, k.foreign_rs.token(header("RS256", kid), good_payload()));
  for (const char* kid : {"7", "null", "true", "[\"rs\"]", "{\"rs\":1}"})
    add("kid is the value " + std::string(kid),
        k.rs.token(R"({"alg":"RS256","kid":)" + std::string(kid) + "}", good_payload()));
  const std::string own = k.foreign_rs.jwk();
  const std::vector<std::pair<std::string, std::string>> offers{
      {"jwk", own},
      {"jku", R"("http://127.0.0.1:1/jwks.json")"},
      {"x5u", R"("http://127.0.0.1:1/chain.pem")"},
      {"x5c", "[\"" + base64url_encode(k.foreign_rs.public_der()) + "\"]"}};
  for (const auto& [member, value] : offers) {
    const std::string more = fmt::format(R"(,"{}":{})", member, value);
    add("own key in " + member, k.foreign_rs.token(header("RS256", "rs", more), good_payload()));
    add("own key in " + member + ", unknown kid",
        k.foreign_rs.token(header("RS256", "mine", more), good_payload()));
    add("own key in " + member + ", no kid",
        k.foreign_rs.token(R"({"alg":"RS256")" + more + "}", good_payload()));
  }
}

void HostileTokens::headers() {
  const TokenKey& rs = made_keys->rs;
  const std::vector<std::pair<std::string, std::string>> bad{
      {"crit with what it names", header("RS256", "rs", R"(,"crit":["exp2"],"exp2":1)")},
      {"crit b64", header("RS256", "rs", R"(,"crit":["b64"],"b64":false)")},
      {"crit empty", header("RS256", "rs", R"(,"crit":[])")},
      {"crit null", header("RS256", "rs", R"(,"crit":null)")},
      {"alg twice", R"({"alg":"none","alg":"RS256","kid":"rs"})"},
      {"alg twice, the other way", R"({"alg":"RS256","alg":"none","kid":"rs"})"},
      {"alg twice, escaped", R"({"alg":"RS256","\u0061lg":"none","kid":"rs"})"},
      {"kid twice", R"({"alg":"RS256","kid":"rs","kid":"rs"})"},
      {"no JSON", "RS256"},
      {"empty", ""},
      {"a list", R"(["RS256"])"},
      {"null", "null"},
      {"a text", R"("RS256")"},
      {"cut", R"({"alg":"RS256","kid":"rs")"},
      {"with a tail", header("RS256", "rs") + "x"},
      {"twice", header("RS256", "rs") + header("RS256", "rs")},
      {"with a comment", R"({"alg":"RS256"/**/,"kid":"rs"})"},
      {"with a comma too many", R"({"alg":"RS256","kid":"rs",})"},
      {"in single quotes", "{'alg':'RS256','kid':'rs'}"},
      {"with a byte order mark", "\xEF\xBB\xBF" + header("RS256", "rs")},
      {"not UTF-8", header("RS256", "rs", ",\"a\":\"\xff\"")},
      {"of 40 kB", header("RS256", "rs", R"(,"pad":")" + std::string(40000, 'x') + '"')},
      {"of 5 kB", header("RS256", "rs", R"(,"pad":")" + std::string(5000, 'x') + '"')},
      {"of 3000 levels",
       header("RS256", "rs", ",\"a\":" + std::string(1500, '[') + std::string(1500, ']'))},
      {"of a logout token", header("RS256", "rs", R"(,"typ":"logout+jwt")")}};
  for (const auto& [what, text] : bad) add("header " + what, rs.token(text, good_payload()));
  std::string many = R"({"alg":"RS256","kid":"rs")";
  for (int i = 0; i < 200; ++i) many += fmt::format(",\"a{}\":1", i);
  add("header of 202 members", rs.token(many + "}", good_payload()));
}

void HostileTokens::shapes() {
  const std::string good = made_keys->rs.token(header("RS256", "rs"), good_payload());
  const std::size_t first = good.find('.');
  const std::size_t second = good.rfind('.');
  const std::string head = good.substr(0, first);
  const std::string body = good.substr(first + 1, second - first - 1);
  const std::string signature = good.substr(second + 1);
  const std::string other = claims_with("tenant", R"("other")");
  const auto with = [&](const std::string& its) { return head + "." + body + "." + its; };
  // 256 bytes leave four unused bits in the last character: another one is the same bytes.
  std::string loose = signature;
  loose.back() = static_cast<char>(loose.back() + 1);
  const std::vector<std::pair<std::string, std::string>> bad{
      {"empty", ""},
      {"one segment", head},
      {"two segments", head + "." + body},
      {"four segments", with(signature) + "." + signature},
      {"five segments, as JWE has", with(signature) + "." + body + "." + signature},
      {"a dot in front", "." + good},
      {"a dot behind", good + "."},
      {"a dot doubled", head + ".." + body + "." + signature},
      {"dots only", ".."},
      {"many dots", std::string(10000, '.')},
      {"no signature", with("")},
      {"no payload", head + ".." + signature},
      {"no header", "." + body + "." + signature},
      {"signature cut by a character", with(signature.substr(0, signature.size() - 1))},
      {"signature cut by eight", with(signature.substr(0, signature.size() - 8))},
      {"signature twice", with(signature + signature)},
      {"signature padded", with(signature + "==")},
      {"signature not canonical", with(loose)},
      {"signature in base64", with("++//" + signature.substr(4))},
      {"signature with a blank", with(signature + " ")},
      {"signature with a line end", with(signature + "\n")},
      {"signature with NUL", with(signature + std::string(1, '\0'))},
      {"signature percent-encoded", with(signature.substr(0, signature.size() - 3) + "%41")},
      {"payload padded", head + "." + body + "=." + signature},
      {"header padded", head + "=." + body + "." + signature},
      {"claims of another", head + "." + base64url_encode(other) + "." + signature},
      {"claims unencoded", head + "." + good_payload() + "." + signature},
      {"JSON serialisation", R"({"payload":")" + body + R"(","protected":")" + head +
                                 R"(","signature":")" + signature + "\"}"},
      {"a token in a token", signing_input(header("none", "rs"), good) + "."},
      {"17 kB", with(std::string(17 << 10, 'A'))},
      {"1 MB", std::string(1 << 20, 'A')},
      {"not ASCII", "\xF0\x9F\x94\x91"}};
  for (const auto& [what, text] : bad) add("shape: " + what, text);
  for (const std::size_t at : {std::size_t{3}, first + 3, second + 3, good.size() - 5}) {
    std::string altered = good;
    altered[at] = altered[at] == 'A' ? 'B' : 'A';
    add("shape: altered at " + std::to_string(at), altered);
  }
}

void HostileTokens::signatures() {
  const Keys& k = *made_keys;
  const std::string order = "\xff\xff\xff\xff" + std::string(4, '\0') + std::string(8, '\xff') +
                            "\xbc\xe6\xfa\xad\xa7\x17\x9e\x84\xf3\xb9\xca\xc2\xfc\x63\x25\x51";
  const std::string zero(32, '\0');
  const std::string one = zero.substr(1) + '\1';
  const std::string input = signing_input(header("ES256", "es"), good_payload());
  const std::string good = k.es.sign("ES256", input);
  const std::vector<std::pair<std::string, std::string>> bad{
      {"zeros", zero + zero},
      {"r 0", zero + good.substr(32)},
      {"s 0", good.substr(0, 32) + zero},
      {"r = s = 1", one + one},
      {"r = s = n", order + order},
      {"r = n", order + good.substr(32)},
      {"s = n", good.substr(0, 32) + order},
      {"all ones", std::string(64, '\xff')},
      {"DER", k.es.sign_der(input)},
      {"63 bytes", good.substr(1)},
      {"65 bytes", '\0' + good},
      {"65 bytes, longer behind", good + '\0'},
      {"32 bytes", good.substr(0, 32)},
      {"96 bytes, as P-384 has", good + zero},
      {"one byte", "\1"},
      {"s and r", good.substr(32) + good.substr(0, 32)},
      {"16 kB", std::string(11000, '\1')},
      {"of another text", k.es.sign("ES256", input + "x")}};
  for (const auto& [what, bytes] : bad)
    add("ES256 signature: " + what, input + "." + base64url_encode(bytes));
  const std::string input3 = signing_input(header("ES384", "es3"), good_payload());
  add("ES384 signature: zeros", input3 + "." + base64url_encode(std::string(96, '\0')));
  add("ES384 signature: DER", input3 + "." + base64url_encode(k.es3.sign_der(input3)));
  const std::string input5 = signing_input(header("ES512", "es5"), good_payload());
  add("ES512 signature: 128 bytes", input5 + "." + base64url_encode(std::string(128, '\1')));
  add("ES512 signature: zeros", input5 + "." + base64url_encode(std::string(132, '\0')));
  const std::string input_ed = signing_input(header("EdDSA", "ed"), good_payload());
  add("EdDSA signature: zeros", input_ed + "." + base64url_encode(std::string(64, '\0')));
  add("EdDSA signature: 63 bytes",
      input_ed + "." + base64url_encode(k.ed.sign("EdDSA", input_ed).substr(1)));
  // S + L verifies where S is not held below L (RFC 8032 section 5.1.7).
  std::string large = k.ed.sign("EdDSA", input_ed);
  large.back() = static_cast<char>(large.back() | 0xF0);
  add("EdDSA signature: s beyond its range", input_ed + "." + base64url_encode(large));
  const std::string input_rs = signing_input(header("RS256", "rs"), good_payload());
  for (const auto& [what, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"zeros", std::string(256, '\0')},
           {"one", std::string(255, '\0') + '\1'},
           {"all ones", std::string(256, '\xff')},
           {"a zero in front", '\0' + k.rs.sign("RS256", input_rs)},
           {"the modulus", k.rs.modulus()}})
    add("RS256 signature: " + what, input_rs + "." + base64url_encode(bytes));
}

void HostileTokens::times() {
  const std::string at = std::to_string(kAt);
  const std::string head = header("ES256", "es");
  const auto add_claim = [&](const std::string& name, const std::string& value) {
    add("claim " + name + " " + value, made_keys->es.token(head, claims_with(name, value)));
  };
  add("claim exp absent", made_keys->es.token(head, claims_with("exp", "")));
  for (const std::int64_t offset : {60, 61, 62, 3600})
    add("claim exp " + std::to_string(offset) + " s ago",
        made_keys->es.token(head, claims_with("exp", std::to_string(kAt - offset))));
  for (const std::string& value : {std::string("0"),
                                   std::string("1"),
                                   std::string("-1"),
                                   "-" + at,
                                   "\"" + at + "\"",
                                   std::string("true"),
                                   std::string("null"),
                                   "[" + at + "]",
                                   R"({"a":)" + at + "}",
                                   std::string("1e999"),
                                   std::string("1.9e9"),
                                   std::string("1E400"),
                                   std::string(400, '9'),
                                   std::string("9223372036854775807"),
                                   std::string("18446744073709551616"),
                                   std::string("99999999999999999999"),
                                   at + "." + std::string(400, '0'),
                                   std::string("1800000600000"),
                                   std::string("\"soon\""),
                                   std::string("\"Infinity\"")})
    add_claim("exp", value);
  for (const char* name : {"nbf", "iat"}) {
    for (const std::int64_t offset : {61, 3600, 100'000'000})
      add_claim(name, std::to_string(kAt + offset));
    for (const char* value : {"\"soon\"", "null", "true", "-1", "1e3", "[1]"})
      add_claim(name, value);
  }
  for (const char* value : {"NaN", "Infinity", "-Infinity", "01800000600", "+1800000600",
                            "0x6B49D200", "1800000600.", ".5", "undefined"})
    add_claim("exp", value);
}

void HostileTokens::claims() {
  const std::string head = header("ES256", "es");
  const auto add_claim = [&](const std::string& name, const std::string& value) {
    add("claim " + name + " " + (value.empty() ? "absent" : value),
        made_keys->es.token(head, claims_with(name, value)));
  };
  for (const char* value : {"", "null", "\"https://idp.example\"", "\"https://evil.example/\"",
                            "\"https://idp.example//\"", "\"HTTPS://IDP.EXAMPLE/\"", "1", "true",
                            "[\"https://idp.example/\"]", "\"https://idp.example/\\u0000\""})
    add_claim("iss", value);
  for (const char* value :
       {"", "null", "\"other\"", "\"penstockx\"", "\"PENSTOCK\"", "\"\"", "[]", "[\"a\",\"b\"]",
        "[\"penstock\",7]", "[[\"penstock\"]]", "{\"penstock\":1}", "true", "1"})
    add_claim("aud", value);
  for (const char* value :
       {"", "null", "\"\"", "[\"acme\"]", "1", "{\"acme\":1}", "true", "\"acme\\r\\nx-evil: 1\"",
        "\"acme\\u0000\"", "\"../acme\"", "\"acme acme\"", "\"acme\\u2028\"", "\"\\u001b[31m\"",
        R"("x\"}\n{\"tenant\":\"forged\"}")"})
    add_claim("tenant", value);
  add_claim("tenant", '"' + std::string(65, 'a') + '"');
  for (const char* value : {"null", "\"\"", "[\"app\"]", "1", "\"app\\n\"", "\"a/b\""})
    add_claim("workload", value);
  for (const char* value : {"null", "\"gold\"", "\"\"", "[\"internal\"]", "0", "\"INTERNAL\""})
    add_claim("tier", value);
}

void HostileTokens::payloads() {
  const std::string whole = good_payload();
  const std::string open = whole.substr(0, whole.size() - 1);
  const std::vector<std::pair<std::string, std::string>> bad{
      {"empty", ""},
      {"no JSON", "acme"},
      {"null", "null"},
      {"an empty object", "{}"},
      {"a list", "[" + whole + "]"},
      {"with a tail", whole + "x"},
      {"twice", whole + whole},
      {"cut", open},
      {"tenant twice", open + R"(,"tenant":"acme"})"},
      {"tenant twice, escaped", open + R"(,"\u0074enant":"other"})"},
      {"exp twice", open + R"(,"exp":99999999999})"},
      {"sub twice", open + R"(,"sub":"someone"})"},
      {"of 5000 levels", open + R"(,"a":)" + std::string(5000, '[') + std::string(5000, ']') + "}"},
      {"of 5000 objects", open + R"(,"a":)" + std::string(1000, '{') + "}"},
      {"not UTF-8", open + ",\"a\":\"\xff\xfe\"}"},
      {"with an overlong form", open + ",\"a\":\"\xc0\xaf\"}"},
      {"with a raw line end in a text", open + ",\"a\":\"\n\"}"},
      {"with a bad escape", open + R"(,"a":"\x"})"},
      {"with a byte order mark", "\xEF\xBB\xBF" + whole},
      {"with NUL behind", whole + std::string(1, '\0')},
      {"in UTF-16", std::string("{\0}\0", 4)},
      {"of a text", "\"" + std::string(100, 'a') + "\""}};
  for (const auto& [what, text] : bad)
    add("payload " + what, made_keys->es.token(header("ES256", "es"), text));
  std::string many = open;
  for (int i = 0; i < 300; ++i) many += fmt::format(",\"a{}\":1", i);
  add("payload of 306 members", made_keys->es.token(header("ES256", "es"), many + "}"));
}

// Sanitizers multiply the time of what a good token costs as well.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr Duration kRefusedWithin = 20ms;
#else
constexpr Duration kRefusedWithin = 1ms;
#endif

// Every good one passes, so that what the table shows is not a verifier that refuses everything.
TEST_F(HostileTokens, GoodOnesPass) {
  const Keys& k = *made_keys;
  for (const TokenKey* key : {&k.rs, &k.rs_any, &k.es, &k.es3, &k.es5, &k.ed}) {
    const auto verdict =
        judge(key->token(header(key->usual_algorithm(), key->kid()), good_payload()));
    ASSERT_TRUE(verdict.has_value()) << key->kid();
    ASSERT_TRUE(verdict->has_value()) << key->kid() << ": " << verdict->error().message;
    EXPECT_EQ((*verdict)->claims.tenant, "acme");
    EXPECT_EQ((*verdict)->claims.workload, "app");
  }
  for (const char* alg : {"RS384", "RS512", "PS256", "PS384", "PS512"})
    EXPECT_TRUE(judge(k.rs_any.token(header(alg, "rs-any"), good_payload(), alg))->has_value())
        << alg;
  EXPECT_TRUE(judge(k.es.token(R"({"alg":"ES256"})", good_payload()))->has_value())
      << "without a kid, and only one key it can be";
  EXPECT_TRUE(judge(k.es.token(header("ES256", "es"), claims_with("exp", std::to_string(kAt - 59))))
                  ->has_value());
}

TEST_F(HostileTokens, EachIsRefusedWithinAMillisecond) {
  algorithms();
  secrets();
  keys_and_kids();
  headers();
  shapes();
  signatures();
  times();
  claims();
  payloads();
  EXPECT_GE(table_.size(), 300U);
  Duration slowest{};
  for (const auto& [what, token] : table_) {
    const Duration took = best_of_three(token);
    EXPECT_LT(took, kRefusedWithin) << what;
    slowest = std::max(slowest, took);
    const auto verdict = judge(token);
    // Without a verdict the key is not known, which is the end once the key set was fetched anew.
    if (!verdict) continue;
    ASSERT_FALSE(verdict->has_value()) << what;
    const Error& error = verdict->error();
    EXPECT_EQ(error.code, ErrorCode::kUnauthenticated) << what;
    EXPECT_TRUE(error.detail.empty()) << what;
    for (const std::string_view leak : {"acme", "someone", "evil", "forged", "rs-any"})
      EXPECT_EQ((error.message + error.hint + error.param).find(leak), std::string::npos) << what;
  }
  RecordProperty("tokens", static_cast<int>(table_.size()));
  RecordProperty("slowest_us", static_cast<int>(slowest / 1us));
}

}  // namespace
}  // namespace penstock::identity
