"""The options of environments, which adapters pass on."""

import inspect

import gymnasium

from mijnlieff import MijnlieffEnv, VectorEnv
from mijnlieff.envs.options import AGENT_OPTIONS, EnvOptions
from mijnlieff.envs.registration import ENV_ID

# These have other values, or make no sense, in an environment of one game.
ONLY_MANY_GAMES = {"autoreset", "num_threads", "copy"}


def options_of(owner):
    parameters = inspect.signature(owner).parameters.values()
    return {it.name: it for it in parameters if it.kind is it.KEYWORD_ONLY}


def test_the_options_are_those_of_the_vector_environment():
    types = {name: it.annotation for name, it in options_of(VectorEnv).items()}
    assert {name: it.__forward_arg__ for name, it in EnvOptions.__annotations__.items()} == types
    assert list(EnvOptions.__annotations__) == list(types)
    assert not EnvOptions.__required_keys__


def test_one_game_has_the_options_of_many():
    one, many = options_of(MijnlieffEnv), options_of(VectorEnv)
    assert list(one) == [name for name in many if name not in ONLY_MANY_GAMES]
    for name, option in one.items():
        assert option.annotation == many[name].annotation
        assert option.default == AGENT_OPTIONS.get(name, many[name].default)


def test_registered_environments_have_the_defaults_of_one_agent():
    assert gymnasium.spec(ENV_ID).kwargs == AGENT_OPTIONS
