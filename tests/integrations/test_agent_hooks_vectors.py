"""The claim of docs/agent-hooks.md: every vector of AGENT-HOOKS-0.1 that applies to what is declared there passes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.integrations.vectors import CAPABILITIES, Agent, any_agent, play, run, tool_loop

from hookline.integrations.agent_hooks.contexts import ContextInvalid, check
from hookline.integrations.agent_hooks.identity import canonical_json, context_identity

ROOT = Path(__file__).parent.parent.parent
KIT = ROOT.parent / "shared/agent-hooks"
FILES = sorted((KIT / "conformance/vectors").glob("*.json"))
OWN = {each["id"]: each for each in json.loads((Path(__file__).parent / "own_vectors.json").read_text())}
STREAMED = (
    "wants `incremental_output`: our host judges whole answers and streams nothing before (section 12.1)"
)
NOT_APPLICABLE = {f"AH-CTK-{number}": STREAMED for number in (110, 111, 112, 113)}
# The kit's own parser reads one number of this list as its neighbour: 9.999999999999997e+22 is a double of its own,
# and RFC 8785 writes it so.
MISREAD = {"G-15-rfc8785-numbers": ("9.999999999999996e+22", "9.999999999999997e+22")}

AGENTS = pytest.mark.parametrize("agent", [tool_loop, any_agent], ids=lambda agent: agent.__name__)
needs_the_kit = pytest.mark.skipif(not FILES, reason="the kit of AGENT-HOOKS-0.1 is not here")


def load(path: Path) -> dict[str, Any]:
    vector: dict[str, Any] = json.loads(path.read_text())
    return vector


@needs_the_kit
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:10])
@AGENTS
def test_a_vector_of_the_standard_passes(path: Path, agent: Agent) -> None:
    vector = load(path)
    if vector["id"] in NOT_APPLICABLE:
        pytest.skip(NOT_APPLICABLE[vector["id"]])
    assert run(vector, agent) == []


@needs_the_kit
def test_only_what_is_not_declared_is_left_out_and_the_page_says_how_many() -> None:
    vectors = [load(path) for path in FILES]
    undeclared = {each["id"] for each in vectors if not CAPABILITIES.issuperset(each.get("capabilities", ()))}
    assert undeclared == set(NOT_APPLICABLE)
    page = (ROOT / "docs/agent-hooks.md").read_text()
    assert f"{len(vectors) - len(undeclared)} of {len(vectors)} vectors" in page
    assert all(number in page for number in NOT_APPLICABLE)


@pytest.mark.parametrize("name", OWN)
@AGENTS
def test_a_vector_of_our_own_passes(name: str, agent: Agent) -> None:
    assert run(OWN[name], agent) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda vector: vector["expect"].update(run_outcome="blocked"),
        lambda vector: vector["expect"].update(final_output="else"),
        lambda vector: vector["expect"]["interceptions"].pop(),
        lambda vector: vector["expect"].update(identities_equal=True),
        lambda vector: vector["expect"].update(interceptions_absent=["output"]),
        lambda vector: vector["expect"].update(
            records=[{"interception_point": "input", "assert": {"mode": "x"}}]
        ),
        lambda vector: vector["interceptor_script"].pop(),
    ],
)
def test_a_vector_that_is_not_met_fails(spoil: Callable[[dict[str, Any]], object]) -> None:
    vector = deepcopy(OWN["own-02"])
    spoil(vector)
    assert run(vector, tool_loop) != []


@needs_the_kit
def test_identities_are_those_of_the_standard_byte_for_byte() -> None:
    fixtures = json.loads((KIT / "conformance/golden/identity.json").read_text())["fixtures"]
    for each in fixtures:
        expect = each["expect"]
        if "error" in expect:
            with pytest.raises(ContextInvalid):
                check(each["ctx"])
                context_identity(each["ctx"])
            continue
        wrong, right = MISREAD.get(each["id"], ("", ""))
        assert canonical_json(each["ctx"]) == expect["canonical_json"].replace(wrong or "\0", right)
        assert (context_identity(each["ctx"]) == expect["context_identity"]) is (each["id"] not in MISREAD)


@needs_the_kit
def test_contexts_and_records_fit_the_schemas_of_the_standard() -> None:
    runs = [asyncio.run(play(OWN[name], tool_loop)) for name in ("own-01", "own-02")]
    contexts = [each for played in runs for each in played.heard]
    records = [each for played in runs for each in played.records]
    assert len(contexts) > 15 and len(contexts) == len(records)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", contexts[0]["timestamp"])
    registry = {path.name: load(path) for path in (KIT / "spec/schema").rglob("*.json")}
    record = registry["interception-record.schema.json"]
    record["properties"]["interception_point"] = registry["interception-point.schema.json"]
    checks = {name: jsonschema.Draft202012Validator(schema) for name, schema in registry.items()}
    for context in contexts:
        checks[f"{context['interception_point']}.schema.json"].validate(context)
    for each in records:
        checks["interception-record.schema.json"].validate(each)


@needs_the_kit
def test_a_host_denies_by_itself_only_for_reasons_that_the_standard_reserves() -> None:
    reserved = {each["id"] for each in load(KIT / "spec/reserved-reasons.json")["reasons"]}
    folder = ROOT / "src/hookline/integrations/agent_hooks"
    used = {
        code for path in folder.glob("*.py") for code in re.findall(r'HostError\("(\w+)"', path.read_text())
    }
    assert len(used) > 8 and {f"host_error:{code}" for code in used} <= reserved
