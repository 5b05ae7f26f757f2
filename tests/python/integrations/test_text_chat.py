"""A model behind an OpenAI-compatible address, played by a local server, and the command."""

from __future__ import annotations

import json
import re

import pytest

import mijnlieff
from chat_server import serving
from mijnlieff import Position
from mijnlieff.errors import PolicyError
from mijnlieff.integrations.text import ChatModel, TextPolicy
from mijnlieff.integrations.text.__main__ import main
from program_ends import check_without_reader, each_end, raising


def says(text):
    return 200, {"choices": [{"message": {"role": "assistant", "content": text}}]}


def last_legal(request):
    prompt = request["messages"][-1]["content"]
    legal = prompt.partition("Legal moves: ")[2].partition("\n")[0].split()
    return says(f"The end of the list looks good: {legal[-1]}")


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr("mijnlieff.integrations.text.chat.time.sleep", lambda seconds: None)
    for name in ("OPENAI_API_KEY", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_it_asks_as_the_api_says():
    with serving(lambda request: says("a1+")) as server:
        model = ChatModel(f"{server.url}/", "small", api_key="secret", temperature=0)
        assert model("What now?") == "a1+"
        assert ChatModel(f"{server.url}/chat/completions", "small")("And now?") == "a1+"
    first, second = server.seen
    assert first == (
        "/v1/chat/completions",
        "Bearer secret",
        {
            "model": "small",
            "messages": [{"role": "user", "content": "What now?"}],
            "temperature": 0,
        },
    )
    assert second[:2] == ("/v1/chat/completions", None)
    assert repr(model) == "ChatModel('small')"


@pytest.mark.parametrize(
    "key", ["sk-se\ncret", "sk-se\0cret", "sk-s\N{LATIN SMALL LETTER E WITH ACUTE}cret", b"sk-se"]
)
def test_a_key_is_checked_and_never_shown(key, monkeypatch):
    with pytest.raises((ValueError, TypeError), match=r"^api_key.* must be") as caught:
        ChatModel("http://localhost:1", "small", api_key=key)
    assert "sk-" not in str(caught.value)
    monkeypatch.setenv("OPENAI_API_KEY", " secret\n")
    with serving(lambda request: says("a1+")) as server:
        ChatModel(server.url, "small")("?")
        ChatModel(server.url, "small", api_key="other\n")("?")
        ChatModel(server.url, "small", api_key="\n")("?")
    assert [key for _, key, _ in server.seen] == ["Bearer secret", "Bearer other", None]


def test_a_busy_server_is_asked_again():
    answers = [(503, b"busy"), (429, b"slow down"), says("b1x")]
    with serving(lambda request: answers.pop(0)) as server:
        assert ChatModel(server.url, "small")("?") == "b1x"
    assert len(server.seen) == 3
    with serving(lambda request: (503, b"busy")) as server:
        with pytest.raises(PolicyError, match="answered 503 Service Unavailable: busy"):
            ChatModel(server.url, "small", attempts=2)("?")
        assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((401, b"no key"), "answered 401 Unauthorized: no key"),
        ((401, None), "answered 401 Unauthorized: "),
        ((200, b"<html>"), "did not answer with a chat completion: b'<html>'"),
        ((200, {"choices": []}), "did not answer with a chat completion"),
        ((200, []), "did not answer with a chat completion"),
        ((200, b"[" * 100_000), "did not answer with a chat completion"),
    ],
)
def test_other_answers_are_errors_that_say_what_came(answer, words):
    with serving(lambda request: answer) as server:
        with pytest.raises(PolicyError, match=re.escape(words)):
            ChatModel(server.url, "small")("?")
        assert len(server.seen) == 1


def test_a_busy_server_that_breaks_off_is_asked_again():
    answers = [(503, None), (200, None), says("b1x")]
    with serving(lambda request: answers.pop(0)) as server:
        assert ChatModel(server.url, "small")("?") == "b1x"
    assert len(server.seen) == 3


def test_an_empty_reply_is_no_error():
    with serving(lambda request: says(None)) as server:
        policy = TextPolicy(ChatModel(server.url, "small"), retries=1)
        assert policy.act(Position()) in Position().legal_actions()
    assert policy.counts.illegal == {"no move": 2}


def test_a_server_out_of_reach_is_named():
    with serving(last_legal) as server:
        url = server.url
    with pytest.raises(PolicyError, match=f"cannot ask {url}/chat/completions: "):
        ChatModel(url, "small", attempts=2)("?")
    with pytest.raises(
        ValueError, match="url must begin with http:// or https://, not 'file:///x'"
    ):
        ChatModel("file:///x", "small")
    with pytest.raises(ValueError, match="max_seconds must be a finite number above 0, not 0"):
        ChatModel(url, "small", max_seconds=0)


def test_the_command_grades_a_model(capsys):
    with serving(last_legal) as server:
        arguments = ["grade", server.url, "small", "--positions", "30"]
        assert main(arguments) == 0
        table = capsys.readouterr().out
        assert main([*arguments, "--opponent", "random", "--games", "2", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert main([*arguments, "--positions", "0"]) == 2
    assert "small against exact play, 30 positions of standard-v1, 30 of 5040" in table
    assert "Legal replies 100.0%, of 30 for 30 moves" in table
    assert found["grade"]["total"]["positions"] == 30
    assert found["match"]["games"] == 2
    assert found["replies"]["grade"]["moves"] == 30 and found["replies"]["match"]["moves"] > 5
    assert "count must be at least 1" in capsys.readouterr().err
    assert main(arguments) == 1
    assert "cannot ask" in capsys.readouterr().err


@each_end
def test_what_ends_the_command_is_one_line(error, code, words, monkeypatch, capsys):
    monkeypatch.setattr("mijnlieff.integrations.text.__main__.grade", raising(error))
    assert main(["grade", "http://localhost:1/v1", "small"]) == code
    assert capsys.readouterr().err == f"python -m mijnlieff.integrations.text: {words}\n"


def test_a_reader_that_leaves_is_no_accident():
    with serving(last_legal) as server:
        arguments = ["grade", server.url, "small", "--positions", "3"]
        check_without_reader("mijnlieff.integrations.text", *arguments)


def test_the_command_writes_puzzles(tmp_path, capsys):
    path = tmp_path / "puzzles.jsonl"
    assert main(["puzzles", "--out", str(path), "--positions", "12"]) == 0
    assert len(path.read_text().splitlines()) == 12


def test_variables_make_a_policy_by_name(monkeypatch):
    name = "mijnlieff.integrations.text.chat:from_environment"
    for variable in ("OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(PolicyError, match="OPENAI_BASE_URL is not set"):
        mijnlieff.load_policy(name)
    with serving(last_legal) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_MODEL", "small")
        report = mijnlieff.evaluate(name, "random", games=2)
    assert report.games == 2 and server.seen[0][2]["model"] == "small"
