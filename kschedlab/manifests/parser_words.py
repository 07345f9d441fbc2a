"""What the parsers of YAML (libyaml) and JSON say, marked for the catalogue."""

from __future__ import annotations

from kschedlab.messages import later

_SAID = (
    later("syntax error"),
    later("while parsing a node"),
    later("while parsing a block node"),
    later("while parsing a flow node"),
    later("while parsing a block collection"),
    later("while parsing a block mapping"),
    later("while parsing a flow sequence"),
    later("while parsing a flow mapping"),
    later("while parsing a tag"),
    later("while scanning a simple key"),
    later("while scanning for the next token"),
    later("while scanning a directive"),
    later("while scanning an anchor"),
    later("while scanning an alias"),
    later("while scanning a tag"),
    later("while scanning a block scalar"),
    later("while scanning a quoted scalar"),
    later("while scanning a plain scalar"),
    later("did not find expected <document start>"),
    later("did not find expected node content"),
    later("did not find expected '-' indicator"),
    later("did not find expected key"),
    later("did not find expected ',' or ']'"),
    later("did not find expected ',' or '}'"),
    later("did not find expected alphabetic or numeric character"),
    later("did not find expected comment or line break"),
    later("did not find expected whitespace or line break"),
    later("did not find expected hexdecimal number"),
    later("could not find expected ':'"),
    later("could not find expected directive name"),
    later("block sequence entries are not allowed in this context"),
    later("mapping keys are not allowed in this context"),
    later("mapping values are not allowed in this context"),
    later("found character that cannot start any token"),
    later("found undefined tag handle"),
    later("found unknown directive name"),
    later("found an indentation indicator equal to 0"),
    later("found a tab character where an indentation space is expected"),
    later("found a tab character that violates indentation"),
    later("found unexpected document indicator"),
    later("found unexpected end of stream"),
    later("found unknown escape character"),
    later("found unexpected ':'"),
    later("control characters are not allowed"),
    later("special characters are not allowed"),
    later("invalid control character"),
    later("invalid \\escape"),
    later("invalid \\uXXXX escape"),
    later("unterminated string starting"),
)
_WORDS = {str(each): each for each in _SAID}


def in_words(problem: str) -> str:
    """A parser's words, to be translated where they are shown; those that are not listed stay English."""
    return _WORDS.get(problem, problem)
