"""The table of a run: what was measured, what was asked for, whether it holds."""

import json
import os

MiB, KiB = 1 << 20, 1 << 10


class Report:
    """Rows for people, raw values for whoever wants to check them."""

    def __init__(self, facts, command, smoke, places):
        """places: folders of this machine, with what stands for them in evidence."""
        self.rows = []
        self.raw = {}
        self.invalid = []
        self.facts = facts
        self.command = command
        self.smoke = smoke
        self.places = places

    def row(self, figure, penstock, *, haproxy="", relay="", ratio="", target="", ok=None):
        """ok: None when the figure is told, not judged."""
        self.rows.append({"figure": figure, "haproxy": haproxy, "relay": relay,
                          "penstock": penstock, "ratio": ratio, "target": target, "ok": ok})
        print(f"  {figure}: {penstock}" + (f", HAProxy {haproxy}" if haproxy else "") +
              (f", ratio {ratio}" if ratio else "") + ("" if ok is None else f" ({verdict(ok)})"),
              flush=True)

    def refuse(self, figure, why):
        """A figure whose run does not hold what it must to be believed."""
        self.invalid.append({"figure": figure, "why": str(why)})
        self.row(figure, "invalid", target=str(why), ok=False)

    def keep(self, name, value):
        self.raw[name] = value

    def anywhere(self, text):
        """The text without the folders that only this machine has."""
        for folder, name in self.places.items():
            text = text.replace(folder, name)
        return text

    def counts(self):
        judged = [row["ok"] for row in self.rows if row["ok"] is not None]
        return sum(judged), len(judged) - sum(judged)

    def write(self, folder):
        passed, failed = self.counts()
        whole = {"machine": self.facts, "command": self.command, "smoke": self.smoke,
                 "passed": passed, "failed": failed, "rows": self.rows,
                 "invalid": self.invalid, "raw": self.raw}
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "bench.json"), "w", encoding="utf-8") as file:
            file.write(self.anywhere(json.dumps(whole, indent=1)) + "\n")
        with open(os.path.join(folder, "bench.md"), "w", encoding="utf-8") as file:
            file.write(self.anywhere(self.markdown()))

    def markdown(self):
        facts = self.facts
        lines = [
            "# Speed and memory beside HAProxy", "",
            f"`{self.command}` on {facts['cpus']} CPUs ({facts['cpu']}), {facts['memory_mib']} MiB,"
            f" Linux {facts['kernel']}.",
            f"{facts['penstock']}; {facts['haproxy'].partition(' - ')[0]}; {facts['compiler']}.",
            "", "Written by the bench. Every run with its validity checks is in `bench.json`;",
            "docs/performance.md says how to read it.", "",
            "| figure | HAProxy | relay | Penstock | ratio | target | ok |",
            "|---|---|---|---|---|---|---|"]
        lines += ["| " + " | ".join(
            [row["figure"], row["haproxy"], row["relay"], row["penstock"], row["ratio"],
             row["target"], verdict(row["ok"])]) + " |" for row in self.rows]
        passed, failed = self.counts()
        return "\n".join(lines + ["", f"{passed} passed, {failed} failed", ""])

    def print_table(self):
        names = ("figure", "haproxy", "relay", "penstock", "ratio", "target", "ok")
        table = [list(names)] + [[str(row[name]) for name in names[:-1]] + [verdict(row["ok"])]
                                 for row in self.rows]
        widths = [max(len(line[column]) for line in table) for column in range(len(names))]
        print()
        for line in table:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def verdict(ok):
    return "" if ok is None else "yes" if ok else "NO"


def us(value):
    return f"{value:.1f} µs"


def with_spread(subject, key):
    low, high = subject.spread(key)
    return f"{subject.median(key):.2f} µs ({low:.2f}–{high:.2f})"


def mib(value):
    return f"{value / MiB:.1f} MiB"


def kib(value):
    return f"{value / KiB:.1f} KiB"


def runs_of(subjects):
    return {subject.name: {"command": subject.program.command, "pid": subject.program.pid,
                           "cpus": sorted(subject.program.cpus), "runs": subject.runs}
            for subject in subjects}
