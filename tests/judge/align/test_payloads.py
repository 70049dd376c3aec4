"""Two requests laid side by side."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.align.payloads import ABSENT, MAX_FIELDS, is_file, pair_fields, request_tree
from clawjudge.traces.records import RequestEvent

JSON = {"Content-Type": "application/json"}


def request(
    body: Any, url: str = "https://shop.test/api/orders", headers: dict[str, str] | None = None
) -> RequestEvent:
    return RequestEvent(1, "POST", url, 0, JSON if headers is None else headers, body=body)


def pairs(reference: Any, agent: Any, ordered: bool = False) -> list[tuple[str, str, Any, Any]]:
    found = pair_fields({"body": reference}, {"body": agent}, ordered)
    return [(p.pointer, p.agent_pointer, p.reference, p.agent) for p in found]


def test_objects_pair_by_key_whatever_their_order() -> None:
    assert pairs({"a": 1, "b": {"c": 2}}, {"b": {"c": 3}, "a": 1}) == [
        ("/body/a", "/body/a", 1, 1),
        ("/body/b/c", "/body/b/c", 2, 3),
    ]


def test_keys_with_slashes_and_tildes_are_escaped() -> None:
    assert [p[0] for p in pairs({"a/b~c": 1}, {"a/b~c": 1})] == ["/body/a~1b~0c"]


def test_what_one_side_lacks_is_absent() -> None:
    assert pairs({"a": {"b": 1, "c": 2}}, {}) == [
        ("/body/a/b", "/body/a/b", 1, ABSENT),
        ("/body/a/c", "/body/a/c", 2, ABSENT),
    ]
    assert pairs({"a": None}, {"a": {"b": 1}}) == [("/body/a/b", "/body/a/b", ABSENT, 1)]


def test_a_list_in_another_order_is_the_same_list() -> None:
    tea, mug = {"sku": "tea", "n": 1}, {"sku": "mug", "n": 2}
    found = pair_fields({"l": [tea, mug]}, {"l": [mug, tea]})
    assert [(p.pointer, p.agent_pointer) for p in found] == [
        ("/l/0/sku", "/l/1/sku"),
        ("/l/0/n", "/l/1/n"),
        ("/l/1/sku", "/l/0/sku"),
        ("/l/1/n", "/l/0/n"),
    ]
    assert all(p.reference == p.agent and p.in_list and p.reordered for p in found)


def test_an_element_in_front_moves_the_others_but_does_not_reorder_them() -> None:
    found = pair_fields({"l": ["a", "b"]}, {"l": ["x", "a", "b"]})
    assert [(p.reference, p.agent) for p in found] == [("a", "a"), ("b", "b"), (ABSENT, "x")]
    assert not any(p.reordered for p in found)


def test_elements_pair_by_likeness() -> None:
    mine = [{"name": "Mug", "n": 3, "session": "q"}, {"name": "TEA", "n": 1, "session": "p"}]
    theirs = [{"name": "Tea", "n": 1, "session": "s"}, {"name": "Mug", "n": 2, "session": "r"}]
    found = {p.pointer: p.agent for p in pair_fields({"l": theirs}, {"l": mine})}
    assert found["/l/0/name"] == "TEA"
    assert found["/l/1/n"] == 3


@pytest.mark.parametrize(
    ("reference", "agent", "expected"),
    [
        (["a", "b"], ["a"], [("a", "a"), ("b", ABSENT)]),
        (["a"], ["a", "a"], [("a", "a"), (ABSENT, "a")]),
        (["a", "a", "b"], ["b", "a"], [("a", "a"), ("a", ABSENT), ("b", "b")]),
        (["a"], ["b"], [("a", "b")]),
        (["a"], ["b", "c"], [("a", ABSENT), (ABSENT, "b"), (ABSENT, "c")]),
        ([1, 2], [2, 1], [(1, 2), (2, 1)]),
        ([1], [True], [(1, True)]),
        ([], ["a"], [(ABSENT, "a")]),
        ([["a"], ["b"]], [["b"], ["a"]], [("a", "a"), ("b", "b")]),
    ],
)
def test_every_element_pairs_once(reference: Any, agent: Any, expected: list[tuple[Any, Any]]) -> None:
    found = [(p[2], p[3]) for p in pairs(reference, agent)]
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def test_an_ordered_list_pairs_by_place() -> None:
    assert [(p[2], p[3]) for p in pairs(["a", "b"], ["b", "a"], ordered=True)] == [("a", "b"), ("b", "a")]


def test_a_long_list_in_another_order_is_still_the_same_list() -> None:
    items = [{"sku": f"s{n}", "n": n} for n in range(400)]
    found = pair_fields({"l": items}, {"l": items[::-1]})
    assert len(found) == 800
    assert all(p.reference == p.agent and not p.guessed for p in found)


def test_long_lists_that_differ_pair_by_a_guess_and_say_so() -> None:
    theirs = [{"sku": f"s{n}", "n": n} for n in range(100)]
    mine = [{"sku": f"s{n}", "n": n + 1} for n in reversed(range(100))]
    found = pair_fields({"l": theirs}, {"l": mine})
    assert len(found) == 200
    assert all(p.guessed for p in found if p.reference != p.agent)


@pytest.mark.parametrize("change", [lambda v: v[::-1], lambda v: [{**i, "n": i["n"] + 1} for i in reversed(v)]])
def test_five_thousand_elements_on_both_sides_take_seconds(change: Any) -> None:
    items = [{"sku": f"s{n}", "n": n} for n in range(5000)]
    begin = time.process_time()
    found = pair_fields({"l": items}, {"l": change(items)})
    assert time.process_time() - begin < 5
    assert len(found) == MAX_FIELDS


def test_a_deep_document_is_paired() -> None:
    deep: Any = {"leaf": 1}
    for _ in range(2000):
        deep = {"a": deep}
    other = json.loads(json.dumps({"x": 1}))
    tree = request_tree(request({"doc": deep, "more": other}))
    assert pair_fields(tree, tree)
    assert all(p.reference == p.agent for p in pair_fields(tree, tree))


def test_a_difference_far_down_is_not_lost() -> None:
    def deep(leaf: int) -> Any:
        value: Any = {"leaf": leaf}
        for _ in range(200):
            value = [value]
        return {"doc": value}

    found = pair_fields(request_tree(request(deep(1))), request_tree(request(deep(2))))
    assert any(p.reference != p.agent for p in found)


def test_json_inside_a_text_is_looked_into() -> None:
    tree = request_tree(request({"payload": '{"cart":{"n":2}}'}))
    assert tree["body"] == {"payload": {"cart": {"n": 2}}}


def test_the_url_counts_with_its_query_and_its_path() -> None:
    tree = request_tree(request(None, "https://shop.test/api/products/mug/order?n=2&tag=a&tag=b"))
    assert tree["params"] == {"n": "2", "tag": ["a", "b"]}
    assert list(tree["url"].values()) == ["api", "products", "mug", "order"]
    assert "body" not in tree


def test_a_file_is_one_value() -> None:
    file = {"filename": "cv.pdf", "content_type": "application/pdf", "size": 3, "sha256": "x"}
    assert is_file(file)
    assert not is_file({"filename": "cv.pdf"})
    assert pairs({"cv": file}, {"cv": {**file, "size": 4}}) == [("/body/cv", "/body/cv", file, {**file, "size": 4})]


leaves = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "b", "", "x y"])
trees = st.recursive(leaves, lambda v: st.lists(v, max_size=4) | st.dictionaries(st.sampled_from("abc"), v, max_size=3))


@given(trees)
def test_a_tree_pairs_with_itself_without_a_difference(tree: Any) -> None:
    assert all(p.pointer == p.agent_pointer and not p.reordered for p in pair_fields({"b": tree}, {"b": tree}))


@given(trees, trees)
def test_no_leaf_of_either_side_is_lost(reference: Any, agent: Any) -> None:
    from clawjudge.traces.pointers import flatten

    found = pair_fields({"b": reference}, {"b": agent})
    for side, tree in (("reference", reference), ("agent", agent)):
        held = "".join(sorted(repr(list(flatten(getattr(p, side)))) for p in found))
        for _, leaf in flatten({"b": tree}):
            assert leaf in ([], {}, None, "") or repr(leaf) in held
