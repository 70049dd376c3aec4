"""Which JSON files the agent was shown, and what does not count as one."""

from __future__ import annotations

from typing import Any

import pytest

from clawjudge.traces.records import Message, ToolCall, ToolResult
from clawjudge.traces.transcripts.file_calls import paths_read, paths_written
from clawjudge.traces.transcripts.persona import parse_shown, personas_shown

PERSONA = {"identity": {"name": "Alex"}}
TEXT = '{\n  "identity": {\n    "name": "Alex"\n  }\n}'


def shown(name: str, arguments: dict[str, Any], text: str = TEXT, *before: ToolCall, error: bool = False) -> list[str]:
    messages = [Message(1, "assistant", tool_calls=before)] if before else []
    messages.append(Message(2, "assistant", tool_calls=(ToolCall("c", name, arguments),)))
    messages.append(Message(3, "tool", tool_results=(ToolResult("c", text, error),)))
    found = personas_shown(messages)
    assert all(f.value == PERSONA and f.line == 3 for f in found)
    return [f.path for f in found]


@pytest.mark.parametrize(
    ("name", "arguments", "path"),
    [
        ("Read", {"file_path": "./my-info/a.json"}, "./my-info/a.json"),
        ("read_file", {"path": "a.JSON", "limit": 200}, "a.JSON"),
        ("mcp__filesystem__read_text_file", {"path": "a.json"}, "a.json"),
        ("read_file", {"file_name": "a.json"}, "a.json"),
        ("str_replace_based_edit_tool", {"command": "view", "path": "/w/a.json"}, "/w/a.json"),
        ("Bash", {"command": "cat my-info/a.json", "description": "Read it"}, "my-info/a.json"),
        ("Bash", {"command": "cd /root/workspace && cat 'my info/a.json'"}, "my info/a.json"),
        ("shell", {"command": ["bash", "-lc", "cat a.json 2>/dev/null"]}, "a.json"),
        ("exec_command", {"cmd": "sed -n '1,200p' a.json"}, "a.json"),
        ("terminal", {"command": "python3 -m json.tool a.json"}, "a.json"),
        ("exec", {"command": "jq . a.json"}, "a.json"),
        ("exec", {"command": "cat my-info/*.json"}, "my-info/*.json"),
    ],
)
def test_reading_counts(name: str, arguments: dict[str, Any], path: str) -> None:
    assert shown(name, arguments) == [path]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("browser_navigate", {"url": "http://shop.test/a.json"}),
        ("WebFetch", {"url": "shop.test/a.json", "prompt": "read"}),
        ("read_url", {"url": "shop.test/a.json"}),
        ("open", {"target": "https://shop.test/a.json"}),
        ("mcp__playwright__browser_read", {"path": "a.json"}),
        ("browser_evaluate", {"function": "fetch", "filename": "a.json"}),
        ("Write", {"file_path": "a.json", "content": TEXT}),
        ("read_back", {"path": "a.json", "content": TEXT}),
        ("str_replace_based_edit_tool", {"command": "create", "path": "a.json", "file_text": TEXT}),
        ("Bash", {"command": "curl http://shop.test/a.json"}),
        ("Bash", {"command": "echo '{}' > a.json; cat a.json"}),
        ("Bash", {"command": "cat a.json | sed s/Alex/Eve/"}),
        ("Bash", {"command": "sed s/Alex/Eve/ a.json"}),
        ("Bash", {"command": "jq '{identity: {}}' a.json"}),
        ("Bash", {"command": "jq -n '{}' a.json"}),
        ("Bash", {"command": "echo $(make) && cat a.json"}),
        ("Bash", {"command": "python3 -m json.tool in.json a.json"}),
        ("Bash", {"command": "printf '{}' && cat a.json"}),
        ("Bash", {"command": "cat a.json.txt"}),
        ("Bash", {"command": "cat 'a.json"}),
        ("grep", {"path": "a.json", "pattern": "x"}),
        ("Read", {"file_path": "a.txt"}),
        ("done", {"path": "a.json"}),
        ("Read", {}),
    ],
)
def test_anything_else_does_not(name: str, arguments: dict[str, Any]) -> None:
    assert shown(name, arguments) == []


@pytest.mark.parametrize(
    "writing",
    [
        ToolCall("w", "Write", {"file_path": "/tmp/x/a.json", "content": TEXT}),
        ToolCall("w", "Edit", {"file_path": "A.json", "old_string": "x", "new_string": "y"}),
        ToolCall("w", "str_replace_based_edit_tool", {"command": "create", "path": "a.json", "file_text": TEXT}),
        ToolCall("w", "Bash", {"command": f"cat > my-info/a.json <<'E'\n{TEXT}\nE"}),
        ToolCall("w", "Bash", {"command": "cp /tmp/a.json my-info/"}),
        ToolCall("w", "Bash", {"command": "sed -i s/Alex/Eve/ a.json"}),
        ToolCall("w", "shell", {"command": ["bash", "-lc", 'python3 -c \'open("a.json", "w")\'']}),
        ToolCall("w", "apply_patch", {"patch": "*** Update File: my-info/a.json"}),
    ],
)
def test_a_file_that_the_agent_wrote_is_not_the_tasks(writing: ToolCall) -> None:
    assert shown("Read", {"file_path": "my-info/a.json"}, TEXT, writing) == []
    assert shown("Bash", {"command": "cat my-info/*.json"}, TEXT, writing) == []
    assert shown("Read", {"file_path": "my-info/b.json"}, TEXT, writing) == ["my-info/b.json"]


def test_looking_at_a_file_is_not_writing_it() -> None:
    looks = [
        ToolCall("l", "Bash", {"command": "ls -la a.json"}),
        ToolCall("l", "Bash", {"command": "cat a.json 2>/dev/null | head -5"}),
        ToolCall("l", "Grep", {"path": "a.json", "pattern": "x"}),
        ToolCall("l", "Write", {"file_path": "notes.md", "content": "see a.json"}),
    ]
    assert shown("Read", {"file_path": "a.json"}, TEXT, *looks) == ["a.json"]


def test_failed_reads_and_other_texts_do_not_count() -> None:
    assert shown("Read", {"file_path": "a.json"}, error=True) == []
    for text in ("", "[1]", "7", "no such file", TEXT + "\ntail", "head\n" + TEXT, "{" * 100_000):
        assert shown("Read", {"file_path": "a.json"}, text) == []


def test_names_narrow_the_choice() -> None:
    messages = [
        Message(1, "assistant", tool_calls=(ToolCall("c", "Read", {"file_path": "my-info/a.json"}),)),
        Message(2, "tool", tool_results=(ToolResult("c", TEXT),)),
    ]
    assert len(personas_shown(messages, ["./my-info/A.json"])) == 1
    assert personas_shown(messages, ["b.json"]) == []


def test_several_files_in_one_command() -> None:
    call = ToolCall("c", "Bash", {"command": "cat a.json b.json"})
    texts = {'{"a": 1}\n{"b": 2}': [("a.json", {"a": 1}), ("b.json", {"b": 2})], '{"a": 1}': []}
    for text, expected in texts.items():
        result = Message(2, "tool", tool_results=(ToolResult("c", text),))
        found = personas_shown([Message(1, "assistant", tool_calls=(call,)), result])
        assert [(f.path, f.value) for f in found] == expected


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "```json\n" + TEXT + "\n```",
        "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(TEXT.split("\n"), 1)),
        "\n".join(f"{n:>6}→{line}" for n, line in enumerate(TEXT.split("\n"), 1)) + "\n\n<system-reminder>\nx\n",
        "Read from file a.json.\n<content>\n" + TEXT + "\n</content>",
        "Chunk ID: 1\nWall time: 0.1 seconds\nOutput:\n" + TEXT,
        '{"content": "1|{\\n2|  \\"identity\\": {\\"name\\": \\"Alex\\"}\\n3|}", "total_lines": 3, "truncated": false}',
        '{"output": "{\\"identity\\": {\\"name\\": \\"Alex\\"}}", "exit_code": 0}',
    ],
)
def test_what_tools_put_around_a_file_is_taken_off(text: str) -> None:
    assert parse_shown(text) == [PERSONA]


def test_a_call_is_read_or_written_or_neither() -> None:
    call = ToolCall("c", "Read", {"file_path": "a.json"})
    assert (paths_read(call), paths_written(call)) == (("a.json",), ())
    call = ToolCall("c", "Write", {"file_path": "a.json", "content": "{}"})
    assert (paths_read(call), paths_written(call)) == ((), ("a.json",))
    call = ToolCall("c", "browser_click", {"ref": "e1"})
    assert (paths_read(call), paths_written(call)) == ((), ())
