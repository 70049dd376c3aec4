"""Reading and changing a run folder that was written earlier."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Record = dict[str, Any]
LAYERS = ("requests.jsonl", "actions.jsonl", "agent-messages.jsonl", "interception.json")


class Folder:
    """One run folder, wherever its layers stand."""

    def __init__(self, root: Path):
        self.root = root
        self.data = root / "data" if (root / "data").is_dir() else root

    def lines(self, layer: str) -> list[Record]:
        return [json.loads(line) for line in (self.data / layer).read_text("utf-8").splitlines()]

    def write_lines(self, layer: str, records: list[Record]) -> None:
        text = "".join(json.dumps(record) + "\n" for record in records)
        (self.data / layer).write_text(text, "utf-8")

    def change_lines(self, layer: str, change: Callable[[Record], Record]) -> None:
        """Replace every line of a layer by what `change` makes of it."""
        if (self.data / layer).is_file():
            self.write_lines(layer, [change(record) for record in self.lines(layer)])

    def change_document(self, name: str, change: Callable[[Record], Record]) -> None:
        """Replace a JSON document by what `change` makes of it."""
        path = self.data / name if (self.data / name).is_file() else self.root / name
        path.write_text(json.dumps(change(json.loads(path.read_text("utf-8"))), indent=2), "utf-8")

    def change_requests(self, change: Callable[[Record], Record]) -> None:
        """Change every request, in the log and where it was blocked."""
        self.change_lines("requests.jsonl", change)

        def blocked(document: Record) -> Record:
            request = document["request"]
            return document if request is None else {**document, "request": change(request)}

        self.change_document("interception.json", blocked)

    def change_schema(self, change: Callable[[Record], Record]) -> None:
        """Change the eval schema wherever it stands."""
        self.change_document("eval-schema.json", change)
        self.change_document("task.json", lambda task: {**task, "eval_schema": change(task["eval_schema"])})
        self.change_document("interception.json", lambda found: {**found, "schema": change(found["schema"])})

    def drop(self, layer: str) -> None:
        (self.data / layer).unlink(missing_ok=True)

    @property
    def schema(self) -> Record:
        return json.loads((self.root / "eval-schema.json").read_text("utf-8"))

    def is_commit(self, request: Record) -> bool:
        """Whether this request has the address and method that the task waits for, and what its body must hold."""
        schema, body = self.schema, request["body"] if isinstance(request["body"], dict) else {}
        addressed = re.search(schema["url_pattern"], request["url"]) and request["method"] == schema["method"]
        return bool(addressed) and all(body.get(key) == value for key, value in schema.get("body", {}).items())


def copy_runs(corpus: Path, runs: Iterable[str], out: Path) -> Path:
    """A corpus of only these runs (`scenario/variant`) with their references and labels."""
    wanted = set(runs)
    with (corpus / "labels.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    kept = [row for row in rows if row[0] in wanted]
    for folder in sorted({row[0] for row in kept} | {f"{row[1]}/reference" for row in kept}):
        shutil.copytree(corpus / folder, out / folder)
    with (out / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *kept])
    return out
