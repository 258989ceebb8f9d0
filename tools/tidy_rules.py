"""The rules behind tools/tidy. A rule is a function that yields (line, message)."""

import os
import re

import source_text

HEADER_LINES_MAX = 300
SOURCE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100

CPP_FOLDERS = {"src", "tests", "bench", "fuzz"}
TEXT_SUFFIXES = (".h", ".cpp", ".py", ".sh", ".cmake", ".md", ".txt", ".yaml", ".yml", ".js",
                 ".mjs", ".ts", ".cfg")
DATA_SUFFIXES = (".json", ".csv")  # written by programs, evidence above all: place_rules alone
TEXT_NAMES = {"dev", "run", "tidy", "layers", "places", "tally", "analyze", "coverage", "fuzz_all",
              "commit", ".clang-format", ".clang-tidy", ".gitignore", "LICENSE"}

# Token, what to use instead, and the folders where it is at home.
BANNED = [
    (r"\b(?:steady|system|high_resolution)_clock::now\b", "take base::Clock", ("src/runtime",)),
    (r"\brandom_device\b|\bmt19937(?:_64)?\b|(?<![\w.>:])rand\(", "take Rng", ("src/runtime",)),
    (r"\bsleep_for\b|\bsleep_until\b|\busleep\(|\bnanosleep\(", "await a timer of the event loop",
     ("src/runtime",)),
    (r"\bstd::thread\b(?!::id)", "start it through runtime", ("src/runtime",)),
    (r"\bgetenv\b", "take SecretSource or the environment passed by app", ("src/runtime",)),
    (r"\bco_spawn\b", "use a TaskGroup", ("src/runtime",)),
    (r"\bdetached\b|\.detach\(\)", "use a TaskGroup, which is awaited", ("src/runtime",)),
    (r"\basio::awaitable\b", "use Task", ()),
    (r"\busing namespace std\s*;", "name what you use", ()),
    (r"\bstd::regex\b", "write a scanner; std::regex recurses", ()),
]

# Third-party headers and the only folders that include them. Tests may add a referee, see below.
HOMES = [
    (r"boost/asio", ("src/runtime", "src/net")),
    (r"boost/(?:system|url)", ("src/runtime", "src/net")),
    (r"boost/beast", ()),
    (r"nghttp2/", ("src/net",)),
    (r"openssl/", ("src/crypto", "src/net")),
    (r"simdjson", ("src/json",)),
    (r"yaml-cpp/", ("src/config",)),
    (r"CLI/", ("src/app",)),
    (r"zlib\.h", ("src/wire",)),
    (r"libpq|sqlite3\.h", ("src/store",)),
    (r"pcre2\.h", ("src/tokens",)),
    (r"re2/|hs/", ("src/policy",)),
    (r"fmt/", ("",)),
    (r"gtest/|benchmark/", ()),
]
# In a test these judge our own code, so a test of any room may include them.
REFEREES = re.compile(r"gtest/|boost/beast|boost/asio/buffer|simdjson|zlib\.h|openssl/|re2/")
STANDARD = re.compile(r"[a-z0-9_]+$|c?[a-z0-9_]+\.h$|(?:sys|netinet|arpa|linux|sanitizer)/")
BAD_NAMES = re.compile(r"(?:^|[_/.-])(?:utils?|helpers?|managers?)(?=[_/.-]|$)")
RAW_STRING = re.compile(r'R"\w*\(|\)\w*"')
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home)/")


class File:
    def __init__(self, root, path):
        self.path = path.replace(os.sep, "/")
        self.text = source_text.read(root, path)
        self.lines = self.text.split("\n")
        self.is_header = self.path.endswith(".h")
        self.is_cpp = (self.is_header or self.path.endswith(".cpp")) and (
            self.path.split("/")[0] in CPP_FOLDERS)
        self.is_test = self.path.endswith("_test.cpp") or not self.path.startswith("src/")
        self.code = source_text.without_comments_and_strings(self.text) if self.is_cpp else ""

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def inside(self, folders):
        return any(self.path.startswith(folder) for folder in folders)


def text_rules(file):
    if BAD_NAMES.search(file.path):
        yield 1, "name it after what it does, not util, helper or manager"
    if file.text and not file.text.endswith("\n"):
        yield len(file.lines), "the file must end with a newline"
    for number, line in enumerate(file.lines, 1):
        if line != line.rstrip():
            yield number, "trailing whitespace (or CR)"
        if "FIX" + "ME" in line:
            yield number, "fix it, or write TO" "DO(decision-N)"
        if re.search(r"\bTO" + r"DO\b(?!\([\w-]+\))", line):
            yield number, "to do what, by which record? Write TO" "DO(decision-N)"


def place_rules(file):
    for number, line in enumerate(file.lines, 1):
        if MACHINE_PATH.search(line):
            yield number, "a path of one machine"


def size_rules(file):
    """Yields (line, message, rule) so that tools/oversize.txt can excuse one rule of one file."""
    cap = HEADER_LINES_MAX if file.is_header else SOURCE_LINES_MAX
    count = len(file.lines) - 1
    if count > cap:
        yield 1, f"{count} lines; the cap is {cap}: split it by idea", "lines"
    for number, line in enumerate(file.lines, 1):
        # A raw string in a test is a piece of the wire: breaking the line would change it.
        if len(line) > COLUMNS_MAX and not (file.is_test and RAW_STRING.search(line)):
            yield number, f"{len(line)} columns; the cap is {COLUMNS_MAX}", "columns"
    if not file.is_cpp:
        return
    for function in source_text.outline(file.code)[0]:
        if function.lines > FUNCTION_LINES_MAX:
            yield (function.first_line, f"a function of {function.lines} lines; the cap is "
                   f"{FUNCTION_LINES_MAX}: name its parts", "function")


def token_rules(file):
    for pattern, instead, homes in BANNED:
        if file.inside(homes):
            continue
        for match in re.finditer(pattern, file.code):
            yield file.line_of(match.start()), f"`{match.group(0)}` is banned here: {instead}"
    if not file.is_test and not file.inside(("src/runtime",)) and "std::jthread" in file.code:
        yield 1, "`std::jthread` is for tests: start it through runtime"
    if file.is_header:
        if not re.search(r"^#pragma once$", file.text, re.MULTILINE):
            yield 1, "a header starts with #pragma once"
    if "\t" in file.text:
        yield file.line_of(file.text.index("\t")), "a tab; indent with spaces"
    for match in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", file.code, re.MULTILINE):
        if not file.path.startswith("src/base/"):
            yield file.line_of(match.start()), f"macro {match.group(1)}: no macros outside base"


def signature_rules(file):
    """Braced default arguments and bool parameters, in declarations outside function bodies."""
    for line, statement in source_text.outline(file.code)[1]:
        opening = statement.find("(")
        if opening < 0 or re.search(r"\b(?:TEST|TEST_F|TEST_P)\b", statement):
            continue
        parameters = statement[opening:]
        if re.search(r"[\w&*]\s+\w+\s*=\s*[\w:<>, ]*\{", parameters.split(") {")[0]):
            if not re.match(r"\s*(?:static\s+|inline\s+)*constexpr\b[^(]*=", statement):
                yield line, "a braced default argument: overload, or pass a named constant"
        # `boolean(bool value)` writes a datum; a bool that steers needs a name at the call.
        if not file.path.startswith("fuzz/") and re.search(
                r"[(,]\s*(?:const\s+)?bool\s+(?!value\))\w+\s*(?:=[^,)]*)?[,)]", parameters):
            yield line, "a bool parameter: use a two-value enum class"


def include_rules(file):
    for line, quote, header in source_text.includes(file.text):
        if quote == '"':
            continue
        home = next((homes for pattern, homes in HOMES if re.match(pattern, header)), None)
        if home is None:
            if not STANDARD.match(header):
                yield line, f"<{header}> has no home; see HOMES in tools/tidy_rules.py"
        elif not file.inside(home) and not (
                file.is_test and (REFEREES.match(header) or not file.path.startswith("src/"))):
            yield line, f"<{header}> is at home in {', '.join(home) or 'tests'} only"
    if not re.match(r"src/(?:runtime|net)/\w+\.cpp$", file.path):
        for line, _, header in source_text.includes(file.text):
            if header == "runtime/asio_op.h":
                yield line, "asio_op.h is for the .cpp files of runtime and net"


def unlabelled_tests(root, paths):
    """A test that starts threads must run under ThreadSanitizer too, which its label asks for."""
    for path in paths:
        if not path.endswith("_test.cpp"):
            continue
        starts = re.search(r'std::jthread|#include "runtime/thread\.h"',
                           source_text.read(root, path))
        lists = os.path.join(os.path.dirname(path), "CMakeLists.txt")
        if starts and lists in paths and not re.search(
                r"LABELS\s+\"?threads", source_text.read(root, lists)):
            yield path, 1, "it starts threads: give its penstock_test LABELS threads"


def unlisted_sources(root, paths):
    """A source that no CMakeLists.txt names is not built, and a test like that never runs."""
    lists = {}
    for path in paths:
        if os.path.basename(path) == "CMakeLists.txt":
            lists[os.path.dirname(path)] = source_text.read(root, path)
    for path in paths:
        if not path.endswith(".cpp") or path.split("/")[0] not in ("src", "tests", "bench"):
            continue
        folder = os.path.dirname(path)
        listed = False
        while folder and not listed:
            name = os.path.relpath(path, folder).replace(os.sep, "/")
            listed = re.search(rf"(?<![\w/.]){re.escape(name)}(?!\w)", lists.get(folder, ""))
            folder = os.path.dirname(folder)
        if not listed:
            yield path, 1, "no CMakeLists.txt above lists this file, so it is not built"


def excuses(root):
    """{(path, rule): line of tools/oversize.txt}; every entry needs a reason."""
    path = os.path.join(root, "tools", "oversize.txt")
    found = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                words = line.split(None, 2)
                if words and not line.startswith("#"):
                    if len(words) < 3:
                        raise SystemExit(f"tools/oversize.txt:{number}: path, rule, reason")
                    found[words[0], words[1]] = number
    return found


def check_file(file, excused, used):
    findings = list(place_rules(file))
    if file.path.endswith(DATA_SUFFIXES):
        return [f"{file.path}:{line}: {message}" for line, message in findings]
    findings += text_rules(file)
    if file.is_cpp or file.path.endswith((".py", ".sh")):
        for line, message, rule in size_rules(file):
            if (file.path, rule) in excused:
                used.add((file.path, rule))
            else:
                findings.append((line, message))
    if file.is_cpp:
        for rules in (token_rules, signature_rules, include_rules):
            findings.extend(rules(file))
    return [f"{file.path}:{line}: {message}" for line, message in sorted(findings)]


def check(root, excused):
    paths = [path.replace(os.sep, "/") for path in source_text.files(root)]
    findings, used = [], set()
    for path in paths:
        if path.endswith(TEXT_SUFFIXES + DATA_SUFFIXES) or os.path.basename(path) in TEXT_NAMES:
            findings += check_file(File(root, path), excused, used)
    findings += [f"{path}:{line}: {message}" for path, line, message in
                 [*unlisted_sources(root, paths), *unlabelled_tests(root, paths)]]
    for entry, number in sorted(excused.items()):
        if entry not in used:
            findings.append(f"tools/oversize.txt:{number}: {entry[0]} no longer needs this excuse")
    return findings
