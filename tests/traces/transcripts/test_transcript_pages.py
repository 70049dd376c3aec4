"""What the agent was shown, from every notation of a page."""

from __future__ import annotations

import time

import pytest

from clawjudge.traces.records import Message, ToolCall, ToolResult
from clawjudge.traces.transcripts.pages import MAX_PAGE_CHARACTERS, Control, page_states, read_page


def control(text: str) -> Control:
    (only,) = read_page(text).controls
    return only


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('- textbox "Name *": Alex', Control("textbox", "Name *", "Alex", required=True)),
        ('- textbox "Name" [ref=e12]', Control("textbox", "Name")),
        ('    - textbox "Name" [active] [ref=e12]: "a: b"', Control("textbox", "Name", "a: b")),
        ("- 'textbox \"Note: it''s\" [ref=e3]': Hi", Control("textbox", "Note: it's", "Hi")),
        ('- "textbox \\"Phone\\"": 1', Control("textbox", "Phone", "1")),
        ('- button "Save" [ref=e12] [cursor=pointer]', Control("button", "Save")),
        ('- button "Say \\"hi\\""', Control("button", 'Say "hi"')),
        ('- link "Home" [ref=e2]:', Control("link", "Home")),
        ('- radio "Card": [checked]', Control("radio", "Card", "true")),
        ('- radio "Card": [unchecked]', Control("radio", "Card", "false")),
        ('- checkbox "News" [checked] [ref=e1]', Control("checkbox", "News", "true")),
        ('- checkbox "News" [ref=e1]', Control("checkbox", "News", "false")),
        ('- checkbox "All" [checked=mixed]', Control("checkbox", "All", "mixed")),
        ('- combobox "Ends *": 3:30 PM', Control("combobox", "Ends *", "3:30 PM", required=True)),
        ('- spinbutton "Guests" [required]: "2"', Control("spinbutton", "Guests", "2", required=True)),
        ('uid=1_4 textbox "E-mail" value="a@b.test" required', Control("textbox", "E-mail", "a@b.test", required=True)),
        ("[12]<input type=tel placeholder=Phone number required />", Control("textbox", "Phone number", None, True)),
        ("*[3]<button>Place order</button>", Control("button", "Place order")),
        ("\t[4]<input type=checkbox aria-label=Terms checked=true />", Control("checkbox", "Terms", "true")),
        ("[5]<a href=/x>Read &amp; accept</a>", Control("link", "Read & accept")),
        ("[6]<button />\n\tContinue", Control("button", "Continue")),
        ('[7]<input type="email" name="mail" value="a@b.test" />', Control("textbox", "mail", "a@b.test")),
        ('<input type="search" aria-label="Find" required>', Control("searchbox", "Find", None, required=True)),
        ('<label for="p">Phone *</label><input id="p" type="tel">', Control("textbox", "Phone *", None, required=True)),
        ("<label>City <input value=Toronto></label>", Control("textbox", "City", "Toronto")),
        ("<form><textarea aria-label='Note'>Hi\nthere</textarea></form>", Control("textbox", "Note", "Hi there")),
        ("<button type=submit><b>Buy</b> now</button>", Control("button", "Buy now")),
    ],
)
def test_control(line: str, expected: Control) -> None:
    assert control(line) == expected


def test_corpus_form() -> None:
    page = read_page(
        "### Page state\n- Page URL: http://a.test/pay\n- Page Title: Pay | Shop\n- Page Snapshot:\n"
        '- link "Cart"\n- heading: Payment\n- text: Out of stock: tea\n- radio "Card": [unchecked]\n- button "Pay"'
    )
    assert (page.url, page.title) == ("http://a.test/pay", "Pay | Shop")
    assert page.texts == ("Payment", "Out of stock: tea")
    assert [c.label for c in page.controls] == ["Cart", "Card", "Pay"]


def test_playwright_form() -> None:
    page = read_page(
        "### Ran Playwright code\n```js\nawait page.getByText('Never shown').click();\n```\n"
        "### Page state\n- Page URL: http://a.test/\n- Page Title: Form\n- Page Snapshot:\n```yaml\n"
        '- main [ref=e1]:\n  - heading "Sign up" [level=1] [ref=e2]\n  - generic [ref=e3]: Phone is required\n'
        '  - textbox "Phone" [ref=e4]:\n    - /placeholder: 555-0100\n    - text: "12"\n'
        "  - textbox [ref=e5]:\n    - /placeholder: Street\n"
        '  - combobox "Country" [ref=e6]:\n    - option "USA"\n    - option "Canada" [selected]\n'
        "  - button [ref=e7]:\n    - img\n    - text: Go\n"
        '  - link "Terms" [ref=e8]:\n    - /url: /terms\n'
        "- Page URL: http://evil.test/\n```"
    )
    assert page.url == "http://a.test/"
    assert page.texts[:2] == ("Sign up", "Phone is required")
    assert "Never shown" not in " ".join(page.texts)
    found = {c.label: c.value for c in page.controls if c.role != "option"}
    assert found == {"Phone": "12", "Street": None, "Country": "Canada", "Go": None, "Terms": None}
    assert [(c.label, c.value) for c in page.controls if c.role == "option"] == [("USA", "false"), ("Canada", "true")]


def test_html_form() -> None:
    page = read_page(
        "<html><head><title>T</title><style>p{}</style></head><body><h1>Order</h1><script>var x='<p>no</p>'</script>"
        "<select aria-label=Size><option>S<option selected>M</select><p>3 &lt; 4</p></body></html>"
    )
    assert page.texts == ("Order", "3 < 4")
    assert page.controls[0] == Control("combobox", "Size", "M")


def test_json_answer() -> None:
    page = read_page('{"success": true, "url": "http://a.test/", "title": "A", "snapshot": "- button \\"Go\\""}')
    assert (page.url, page.title) == ("http://a.test/", "A")
    assert page.controls == (Control("button", "Go"),)


def test_script_answer_does_not_say_where_the_page_is() -> None:
    call = ToolCall("c", "browser_evaluate", {"function": "() => state"})
    assert read_page('{"url": "http://evil.test/", "text": "x"}', call=call).url == ""


def test_plain_text_is_texts_only() -> None:
    page = read_page("Typed Alex\n\n- Milk\nbutton of some kind\n")
    assert page.texts == ("Typed Alex", "- Milk", "button of some kind")
    assert page.controls == ()
    assert (page.url, page.title) == ("", "")


def test_contradicting_addresses_are_unknown() -> None:
    assert read_page("- Page URL: http://a.test/\n- Page URL: http://b.test/").url == ""


def test_bare_header_counts_only_at_the_top() -> None:
    assert read_page("URL: http://a.test/\nTitle: A\nhello").url == "http://a.test/"
    assert read_page("hello\nURL: http://a.test/").url == ""


def test_page_text_is_no_header() -> None:
    assert read_page("- text: Page URL: http://evil.test/").url == ""


def message(line: int, role: str, **parts: object) -> Message:
    return Message(line, role, **parts)  # type: ignore[arg-type]


def test_only_tool_results_count() -> None:
    call = ToolCall("c", "browser_snapshot", {})
    messages = [
        message(1, "user", text="- Page URL: http://user.test/"),
        message(2, "assistant", text='- Page URL: http://agent.test/\n- button "Buy"', tool_calls=(call,)),
        message(3, "tool", tool_results=(ToolResult("c", "- Page URL: http://real.test/"),)),
        message(4, "tool", tool_results=(ToolResult("unheard-of", '- button "X"'), ToolResult("c", "  "))),
    ]
    states = list(page_states(messages))
    assert [(s.line, s.url, s.call) for s in states] == [(3, "http://real.test/", call), (4, "", None)]


def test_files_are_no_pages() -> None:
    calls = (ToolCall("a", "Read", {"file_path": "x.json"}), ToolCall("b", "Bash", {"command": "cat x.json"}))
    results = (ToolResult("a", "{}"), ToolResult("b", "{}"))
    messages = [message(1, "assistant", tool_calls=calls), message(2, "tool", tool_results=results)]
    assert list(page_states(messages)) == []


def test_long_text_is_cut_with_a_mark() -> None:
    page = read_page("x" * (MAX_PAGE_CHARACTERS + 1))
    assert page.truncated
    assert len(page.raw) == MAX_PAGE_CHARACTERS


HOSTILE = ["<", '<a "', "<a \"'<a'\" ", "<label>x", '- textbox "', "- '", '- link "a" [', "uid=", "&#9", "[1]<a ", " "]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    started = time.monotonic()
    for before in ("", "<input>"):
        read_page(before + piece * (400_000 // len(piece)))
    assert time.monotonic() - started < 10


def test_many_texts_below_a_long_label_take_linear_time() -> None:
    started = time.monotonic()
    read_page(f'- link "{"a" * 400_000}":\n' + "  - text: b\n" * 40_000)
    assert time.monotonic() - started < 10
