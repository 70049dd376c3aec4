"""Names of form fields that spell out a path, read as the trees that they stand for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces.pointers import flatten, leaf_values, nested_names, resolve, unpacked

TREES = st.recursive(
    st.text("abc", min_size=1, max_size=3),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text("xyz", min_size=1, max_size=2), inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


def spelled(name: str, value: Any) -> dict[str, str]:
    """A tree as form fields, the way PHP and Rails write them."""
    out = {}
    for pointer, leaf in flatten(value):
        out[name + "".join(f"[{part}]" for part in pointer.split("/")[1:])] = leaf
    return out


@given(TREES)
def test_what_is_spelled_out_is_read_back(tree: Any) -> None:
    assert nested_names(spelled("root", tree)) == {"root": tree}


@pytest.mark.parametrize(
    ("fields", "tree"),
    [
        ({"a": "1", "b": "2"}, {"a": "1", "b": "2"}),
        ({"tags[]": "x"}, {"tags": ["x"]}),
        ({"tags[]": ["x", "y"]}, {"tags": ["x", "y"]}),
        ({"line[2][sku]": "b", "line[0][sku]": "a"}, {"line": [{"sku": "a"}, {"sku": "b"}]}),
        ({"user[name]": "Dana", "user[1]": "x"}, {"user": {"name": "Dana", "1": "x"}}),
        ({"a[b]": {"c": "1"}, "a[d]": ["2"]}, {"a": {"b": {"c": "1"}, "d": ["2"]}}),
        # What contradicts itself, or does not say where it belongs, stays as it was sent.
        ({"a": "1", "a[0]": "2"}, None),
        ({"a[0]": "1", "a": "2"}, None),
        ({"a[0]": "1", "a[0][b]": "2"}, None),
        ({"a[][b]": "1"}, None),
        ({"a]b[": "1", "[x]": "2", "a[b": "3"}, None),
    ],
)
def test_names(fields: dict[str, Any], tree: dict[str, Any] | None) -> None:
    assert nested_names(fields) == (fields if tree is None else tree)


def test_pointers_lead_into_the_tree() -> None:
    body = unpacked({"lines[0][sku]": "A-1", "extra": '{"gift[0]": "card"}'})
    assert resolve(body, "/lines/0/sku") == "A-1"
    assert resolve(body, "/extra/gift/0") == "card"


def test_deep_names_cost_nothing() -> None:
    name = "a" + "[b]" * 5000
    assert nested_names({name: "1"}) == {name: "1"}


def test_leaf_values_are_those_that_flatten_gives() -> None:
    tree = {"a": [1, {"b": None, "c": []}], "d": {}, "e": "x"}
    assert sorted(map(repr, leaf_values(tree))) == sorted(repr(leaf) for _, leaf in flatten(tree))
