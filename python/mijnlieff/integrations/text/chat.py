"""A model behind an OpenAI-compatible address, by the standard library alone."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from typing import Any, SupportsIndex

from mijnlieff._util.arguments import integer_from, number_from_zero
from mijnlieff.errors import PolicyError
from mijnlieff.integrations.text.policy import TextPolicy

__all__ = ["ChatModel", "from_environment"]

_BUSY = {408, 409, 425, 429, 500, 502, 503, 504}
"""Answers of a server after which it is asked again."""


class ChatModel:
    """A function from prompt to reply that asks a server, as `TextPolicy` takes it.

    The server has ``POST {url}/chat/completions`` of the OpenAI API, as llama.cpp, Ollama, vLLM and
    most providers have. Threads may share it.

    Args:
        url: the address, such as ``http://localhost:8000/v1``.
        model: the name of the model.
        api_key: a key to send, without the white space around it; None is the variable
            ``OPENAI_API_KEY``, if there is one.
        attempts: how often a request is tried while the server is busy or out of reach.
        max_seconds: for one request.
        **options: more fields of the request, such as ``temperature=0`` or ``max_tokens=2000``.

    Raises:
        ValueError: not an address of http or https, a key with other characters than printable
            ones of ASCII, or a number out of range.
        TypeError: the key is not text, or a number is not one.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        attempts: SupportsIndex = 4,
        max_seconds: float = 600.0,
        **options: Any,
    ) -> None:
        """Check the settings; nothing is sent."""
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url must begin with http:// or https://, not {url!r}")
        self.url = url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        self.model = model
        self.api_key = _key(os.environ.get("OPENAI_API_KEY", "") if api_key is None else api_key)
        self.attempts = integer_from("attempts", attempts, 1)
        self.max_seconds = number_from_zero("max_seconds", max_seconds, without_zero=True)
        self.options = options

    def __repr__(self) -> str:
        """Return the model's name, without key and address."""
        return f"ChatModel({self.model!r})"

    def __call__(self, prompt: str) -> str:
        """Return the model's reply; an empty text if it has none.

        Raises:
            PolicyError: the server cannot be reached, refuses, or does not answer as this API does.
        """
        content = {"model": self.model, "messages": [{"role": "user", "content": prompt}]}
        request = urllib.request.Request(
            self.url,
            json.dumps(content | self.options).encode(),
            {"Content-Type": "application/json", "User-Agent": "mijnlieff"}
            | ({"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}),
        )
        for attempt in range(1, self.attempts + 1):
            try:
                with urllib.request.urlopen(request, timeout=self.max_seconds) as answer:
                    return self._reply(answer.read())
            except urllib.error.HTTPError as error:
                with error:
                    reason = f"{error.code} {error.reason}: {_beginning(error)}"
                if error.code not in _BUSY or attempt == self.attempts:
                    raise PolicyError(f"{self.url} answered {reason}") from None
            except (OSError, http.client.HTTPException) as error:
                if attempt == self.attempts:
                    reason = str(getattr(error, "reason", error)) or type(error).__name__
                    raise PolicyError(f"cannot ask {self.url}: {reason}") from None
            time.sleep(2.0 ** (attempt - 1))
        raise AssertionError("the last attempt returns or raises")

    def _reply(self, answer: bytes) -> str:
        """Return the text of an answer.

        Raises:
            PolicyError: it has none.
        """
        try:
            text = json.loads(answer)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            raise PolicyError(
                f"{self.url} did not answer with a chat completion: {answer[:200]!r}"
            ) from None
        return "" if text is None else str(text)


def _key(key: str) -> str:
    """Return a key as a header takes it, empty for none; errors do not show the secret.

    Raises:
        ValueError: it has other characters than printable ones of ASCII.
        TypeError: it is not text.
    """
    if not isinstance(key, str):
        raise TypeError(f"api_key must be text, not {type(key).__name__}")
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError("api_key, or OPENAI_API_KEY, must be printable ASCII characters")
    return key


def _beginning(error: urllib.error.HTTPError) -> str:
    """Return how the body of an error begins; an empty text if the connection ends before."""
    try:
        return error.read(300).decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return ""


def from_environment() -> TextPolicy:
    """Return the player of the variables ``OPENAI_BASE_URL``, ``OPENAI_MODEL``, ``OPENAI_API_KEY``.

    It is for names of policies, such as ``mijnlieff evaluate random
    mijnlieff.integrations.text.chat:from_environment``.

    Raises:
        PolicyError: one of the first two is missing.
    """
    names = ("OPENAI_BASE_URL", "OPENAI_MODEL")
    if missing := [name for name in names if not os.environ.get(name)]:
        raise PolicyError(f"the environment variable {missing[0]} is not set")
    return TextPolicy(ChatModel(*(os.environ[name] for name in names)))
