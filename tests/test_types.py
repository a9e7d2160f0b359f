import dataclasses
import inspect

import pytest

from rag import errors, types


def test_every_noun_is_frozen() -> None:
    nouns = [c for _, c in inspect.getmembers(types, inspect.isclass) if c.__module__ == "rag.types"]
    assert len(nouns) >= 15
    for noun in nouns:
        assert dataclasses.is_dataclass(noun) and noun.__dataclass_params__.frozen, noun


def test_a_passage_is_the_context_and_the_text() -> None:
    chunk = types.Chunk("d@1:0-1", "d@1", 0, 1, "文", "题\n章", 0, None, ())
    assert chunk.passage == "题\n章\n文"
    assert dataclasses.replace(chunk, context="").passage == "文"


def test_a_prompt_is_rendered_when_it_has_ids() -> None:
    prompt = types.Prompt((), "", (), (), (), (), 1888)
    assert not prompt.rendered and dataclasses.replace(prompt, input_ids=(1,)).rendered


def test_the_tree_of_errors_is_the_one_drawn() -> None:
    kinds = {
        name: kind for name, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.RagError)
    }
    drawn: dict[str, str] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").split("\n"):
        name = line.strip("│├└─ ").split(" ")[0]
        if name in kinds:
            depth = (len(line) - len(line.lstrip("│├└─ ")) - 4) // 4
            path[depth:] = [name]
            drawn[name] = path[depth - 1] if depth else ""
    assert set(drawn) == set(kinds)
    for name, parent in drawn.items():
        assert not parent or kinds[name].__bases__ == (kinds[parent],)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_error_speaks_both_languages(language: errors.Language) -> None:
    error = errors.LoadError(en="a.txt: empty", zh="a.txt：空文件")
    assert error.message(language) == {"en": "a.txt: empty", "zh": "a.txt：空文件"}[language]
    assert str(error) == "a.txt: empty"
