"""Reads C++ sources well enough for the house rules: not a compiler, and it need not be one."""

import os
import re

SKIPPED_FOLDERS = {".git", "node_modules", ".venv", "__pycache__", "corpus", "fixtures", "golden"}

_LITERALS = re.compile(
    r"""//[^\n]* | /\*.*?\*/
      | R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+' """,
    re.DOTALL | re.VERBOSE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', re.MULTILINE)
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def files(root, top_folders=None):
    """Paths relative to root, sorted; build output and fetched packages are left out."""
    found = []
    for folder, subfolders, names in os.walk(root):
        relative = os.path.relpath(folder, root)
        subfolders[:] = sorted(s for s in subfolders if s not in SKIPPED_FOLDERS
                               and not (relative == "." and s in ("build", "state")))
        for name in sorted(names):
            path = os.path.normpath(os.path.join(relative, name))
            if top_folders is None or path.split(os.sep)[0] in top_folders:
                found.append(path)
    return found


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace", newline="") as file:
        return file.read()


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments_and_strings(text):
    """The same text with comments and the insides of literals replaced by spaces."""
    def replace(match):
        found = match.group(0)
        if found.startswith("/"):
            return _blank(found)
        return found[0] + _blank(found[1:-1]) + found[-1]
    return _LITERALS.sub(replace, text)


def without_preprocessor(code):
    return _PREPROCESSOR.sub(lambda match: _blank(match.group(0)), code)


def includes(text):
    """(line number, quote character, header) of every #include."""
    return [(text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2))
            for match in _INCLUDE.finditer(text)]


class Function:
    """A function body found at namespace or class level, with the text before its brace."""

    def __init__(self, signature, first_line, last_line):
        self.signature = " ".join(signature.split())
        self.first_line = first_line
        self.lines = last_line - first_line + 1


def _kind_of_brace(before):
    """What an opening brace starts, from the text since the last statement at its level."""
    if not before or before[-1] not in " \n\t":
        return "initialiser"  # `member_{value}`: a body has a space before its brace
    words = re.sub(r"template\s*<[^{};]*?>\s*(?=\w|\[)", "", before).strip()
    if words.endswith(("=", ",", "(", "return")):
        return "initialiser"
    if re.match(r"(inline\s+)?(namespace|class|struct|union|enum|extern)\b", words):
        return "scope"
    return "function" if "(" in words else "initialiser"


def outline(code):
    """Functions at namespace or class level, and the declarations beside them.

    Returns (functions, statements); a statement is (line, text outside function bodies).
    """
    functions, statements = [], []
    stack = []  # (kind, text before the brace, line of that text)
    text, line, inside = "", 1, 0
    for char in without_preprocessor(code):
        if char == "\n":
            line += 1
        if char == "{":
            kind = "inner" if inside else _kind_of_brace(text)
            stack.append((kind, text, line))
            if kind in ("function", "inner"):
                inside += 1
            text = "" if kind in ("scope", "function") else text + char
        elif char == "}" and stack:
            kind, before, first = stack.pop()
            if kind in ("function", "inner"):
                inside -= 1
            if kind == "function":
                functions.append(Function(before, first, line))
                statements.append((first, before))
            text = text + char if kind == "initialiser" else ("" if not inside else text)
        elif char == ";" and not inside:
            statements.append((line, text))
            text = ""
        elif not inside:
            text += char
    return functions, statements
