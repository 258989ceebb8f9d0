"""Plants each kind of violation in a scratch tree and expects tools/tidy to name it."""

import os
import tempfile

from tidy_rules import check

HEADER = "#pragma once\n"

# Path, content, and a part of the finding that must appear.
PLANTED = [
    ("src/net/big.h", HEADER + "// line\n" * 300, "301 lines"),
    ("src/net/big.cpp", "// line\n" * 601, "601 lines"),
    ("src/net/wide.cpp", "// " + "x" * 98 + "\n", "101 columns"),
    ("src/net/long.cpp", "int f(int a) {\n" + "  ++a;\n" * 69 + "}\n", "function of 71 lines"),
    ("src/net/long_member.h", HEADER + "class A {\n  A() : a_{1}, b_{2} {\n" + "    f();\n" * 70
     + "  }\n};\n", "function of 72 lines"),
    ("src/net/clock.cpp", "auto t = std::chrono::steady_clock::now();\n", "take base::Clock"),
    ("src/net/random.cpp", "int x = rand();\n", "take Rng"),
    ("src/net/thread.cpp", "std::thread t;\n", "start it through runtime"),
    ("src/net/spawn.cpp", "void f() { co_spawn(a, b, c); }\n", "use a TaskGroup"),
    ("src/net/environment.cpp", "auto* p = std::getenv(\"A\");\n", "`getenv` is banned"),
    ("src/net/a_test.cpp", "void f() { std::this_thread::sleep_for(x); }\n", "await a timer"),
    ("src/net/fix.cpp", "// FIX" "ME later\n", "fix it"),
    ("src/net/later.cpp", "// TO" "DO: later\n", "by which record"),
    ("src/net/string_util.h", HEADER, "name it after what it does"),
    ("src/net/space.cpp", "int a;  \n", "trailing whitespace"),
    ("src/net/no_newline.cpp", "int a;", "end with a newline"),
    ("src/net/no_pragma.h", "int a;\n", "#pragma once"),
    ("src/net/default.h", HEADER + "void f(int a, Options options = {});\n", "braced default"),
    ("src/net/typed.h", HEADER + "class A {\n void f(Options o = Options{1});\n};\n",
     "braced default"),
    ("src/net/flag.h", HEADER + "void f(int a, bool loud);\n", "bool parameter"),
    ("src/net/macro.cpp", "#define NET_X 1\n", "no macros outside base"),
    ("src/wire/asio.cpp", "#include <boost/asio/ip/tcp.hpp>\n", "at home in src/runtime, src/net"),
    ("src/net/beast.cpp", "#include <boost/beast/http.hpp>\n", "at home in tests only"),
    ("src/app/unknown.cpp", "#include <curl/curl.h>\n", "has no home"),
    ("src/lab/op.cpp", "#include \"runtime/asio_op.h\"\n", "asio_op.h is for"),
    ("src/net/join_test.cpp", "std::jthread t;\n", "LABELS threads"),
    ("src/net/unlisted_test.cpp", "int a;\n", "so it is not built"),
    ("docs/notes.md", "see /ro" "ot/notes\n", "a path of one machine"),
    ("docs/evidence/run.json", '["/wo' 'rk/it/build/penstock"]\n', "a path of one machine"),
    ("docs/evidence/run.csv", "at,what\n1,/ho" "me/it/log\n", "a path of one machine"),
]

# Lawful text that resembles a violation.
CLEAN = {
    "src/runtime/clock.cpp": "auto t = std::chrono::steady_clock::now();\n",
    "src/net/good.h": HEADER + "// steady_clock::now is banned; so is rand().\n"
                      "class A {\n public:\n  explicit A(int a) : a_{a} {}\n"
                      "  bool ok() const { return a_ > 0; }\n private:\n  int a_ = {};\n};\n",
    "src/net/good.cpp": "const char* kText = \"std::thread FIX-ME // { \";\n"
                        "constexpr char kQuote = '{';\nint x = 1'000;\n"
                        "int operand(int a) { return a; }\n"
                        "// TODO(decision-2): measure.\n",
    "src/wire/a_test.cpp": "#include <gtest/gtest.h>\n\n#include <boost/beast/http.hpp>\n",
    "src/json/a_test.cpp": "std::jthread t;\nauto* s = R\"(" + "x" * 99 + ")\";\n",
    "src/json/CMakeLists.txt": "penstock_test(json_test SOURCES a_test.cpp LABELS threads)\n",
    "src/wire/CMakeLists.txt": "a_test.cpp\n",
    "src/runtime/CMakeLists.txt": "clock.cpp\n",
    "src/net/CMakeLists.txt": "good.cpp\n",
    "docs/evidence/lawful.json": '{"command": ["build/penstock"]}  \n{"TO' 'DO": 1}',
    "docs/evidence/lawful.csv": "at,what\r\n1,run/log \n",
}


def plant(root, path, content):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8", newline="") as file:
        file.write(content)


def run():
    faults = []
    for path, content, expected in PLANTED:
        with tempfile.TemporaryDirectory() as root:
            plant(root, path, content)
            plant(root, "src/net/CMakeLists.txt", path.split("/")[-1].replace("unlisted", "other"))
            findings = check(root, {})
            if not any(expected in finding and path in finding for finding in findings):
                faults.append(f"{path}: expected '{expected}', got {findings}")
    with tempfile.TemporaryDirectory() as root:
        for path, content in CLEAN.items():
            plant(root, path, content)
        faults += [f"clean tree: {finding}" for finding in check(root, {})]
        stale = check(root, {("src/net/good.cpp", "lines"): 1})
        if not any("no longer needs" in finding for finding in stale):
            faults.append("a stale excuse went unnoticed")
    for fault in faults:
        print(fault)
    print(f"tidy self-test: {len(PLANTED) + 2} cases, {len(faults)} faults")
    return 1 if faults else 0
