"""From text to a syntax tree, with cel-go's limits and messages (v0.29.2: parser/parser.go, CEL.g4).

A syntax error ends the parse; the real parser goes on and may report more errors of the same text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from kube_cel import macros
from kube_cel.errors import Source, UnsupportedError
from kube_cel.numbers import parse_double
from kube_cel.tokens import Token, tokenize, unquote
from kube_cel.tree import Call, Expr, Ident, ListExpr, Literal, MapEntry, MapExpr, Message, Parsed, Select, balanced
from kube_cel.values import INT_MAX, INT_MIN, UINT_MAX, UInt

RELATIONS = {"<", "<=", ">=", ">", "==", "!=", "in"}
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}
_OPERATOR_TOKENS = {*RELATIONS, *PRECEDENCE, "&&", "||", "?", ".", "["}
_LITERALS = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER"
OPERAND = "{'[', '{', '(', '.', '-', '!', " + _LITERALS + "}"
FIRST = {  # what may stand behind an opening bracket
    "index": "{'[', '{', '(', '.', '-', '!', '?', " + _LITERALS + "}",
    "list": "{'[', ']', '{', '(', '.', ',', '-', '!', '?', " + _LITERALS + "}",
    "map": "{'[', '{', '}', '(', '.', ',', '-', '!', '?', " + _LITERALS + "}",
    "call": "{'[', '{', '(', ')', '.', '-', '!', " + _LITERALS + "}",
}
STARTS = {"[", "{", "(", ".", "-", "!", "true", "false", "null", "FLOAT", "INT", "UINT", "STRING", "BYTES", "IDENT"}
_NAMES = {"IDENT": "IDENTIFIER", "ESC": "ESC_IDENTIFIER"}


class StopError(Exception):
    """The parse ends; the error is reported."""


class Cursor:
    """The tokens of a source and the one that is next."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokenize(source)
        self.at = 0
        self.closers: list[tuple[str, ...]] = [("EOF",)]  # what ends the expressions around this place
        self.first = (-1, "")  # a place behind an opening bracket, and what may stand there

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def accept(self, kind: str) -> Token | None:
        """The next token if it is of this kind; it is read."""
        token = self.tokens[self.at]
        if token.kind != kind:
            return None
        self.at += 1
        return token

    def expect(self, kind: str) -> Token:
        """The token, which must be of this kind."""
        return self.accept(kind) or self.unexpected((kind,))

    def unexpected(self, kinds: tuple[str, ...]) -> NoReturn:
        """The next token is none of these."""
        token = self.token
        names = [_NAMES.get(kind, f"'{kind}'") for kind in kinds]
        expected = names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"
        if self.following.kind in kinds:
            self.fail(f"extraneous input '{token.text}' expecting {expected}")
        if len(kinds) == 1 and self.may_be_missing(kinds[0], token.kind):
            self.fail(f"missing {expected} at '{token.text}'")
        self.fail(f"mismatched input '{token.text}' expecting {expected}")

    def may_be_missing(self, kind: str, following: str) -> bool:
        """Whether the parse could go on with a token of this kind."""
        if kind in (")", "]", "}"):
            return following in _OPERATOR_TOKENS or following in self.closers[-1]
        return kind == ":" and following in STARTS

    @property
    def following(self) -> Token:
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def fail(self, problem: str) -> NoReturn:
        """Report a syntax error at the next token, and stop."""
        self.source.report(self.token.at, f"Syntax error: {problem}")
        raise StopError

    def no_name(self, dot: Token) -> NoReturn:
        """No name follows the dot."""
        if self.token.kind in ("true", "false", "null") and self.token.at == dot.at + 1:
            self.fail(f"mismatched input '{self.token.text}' expecting IDENTIFIER")
        self.no_alternative(dot)

    def no_alternative(self, first: Token) -> NoReturn:
        """Nothing begins with ``first`` and what follows it."""
        token = self.token
        self.fail(f"no viable alternative at input '{self.source.text[first.at : token.at + len(token.text)]}'")

    def no_operand(self) -> NoReturn:
        """The next token starts no operand."""
        token, following = self.token, self.following.kind
        expected = self.first[1] if self.first[0] == self.at else OPERAND
        extra = token.kind != "EOF" and (following in STARTS or f"'{following}'" in expected)
        self.fail(f"{'extraneous' if extra else 'mismatched'} input '{token.text}' expecting {expected}")


MAX_DEPTH = 250
MAX_NODES = 50_000  # optMap doubles its target; the real parser has no limit
_OPERATORS = {"in": "@in"}
_RESERVED = set(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "package",
        "namespace",
        "null",
        "return",
        "true",
        "var",
        "void",
        "while",
    ]  # noqa: SIM905
)


def parse(source: Source) -> Parsed:
    """The tree of an expression; errors are reported to the source."""
    parser = _Parser(source)
    try:
        tree = parser.start()
    except StopError:
        return Parsed(None, parser.places, {})
    return Parsed(None if source.errors else tree, parser.places, parser.written)


class _Parser(Cursor):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.places: dict[int, int] = {}
        self.written: dict[int, Call] = {}
        self._nested = {"expr": 0, "relation": 0, "calc": 0, "member": 0}
        self._depths: dict[int, int] = {}  # of the visit of a node, which the real parser limits as well

    # What macros need.

    def new_id(self, place: int) -> int:
        """A fresh id for a node at this place."""
        number = len(self.places) + 1
        if number > MAX_NODES:
            raise UnsupportedError(f"the macros of the expression make more than {MAX_NODES} nodes")
        self.places[number] = place
        return number

    def report(self, id: int, message: str) -> None:
        """An error at a node."""
        self.source.report(self.places[id], message)

    def enter(self, rule: str) -> None:
        self._nested[rule] += 1
        if self._nested[rule] > MAX_DEPTH:
            self.source.report(-1, f"expression recursion limit exceeded: {MAX_DEPTH}")
            raise StopError

    def deepen(self, node: Expr, *parts: Expr) -> Expr:
        """Note how deep the visit of this node goes."""
        depth = 1 + max((self._depths.get(part.id, 0) for part in parts), default=0)
        self._depths[node.id] = max(depth, self._depths.get(node.id, 0))
        return node

    def carry(self, node: Expr, *parts: Expr) -> Expr:
        """A node that is not counted itself is as deep as its parts."""
        self._depths[node.id] = max((self._depths.get(part.id, 0) for part in parts), default=0)
        return node

    # Rules, from the loosest to the tightest.

    def start(self) -> Expr:
        tree = self.expr()
        token = self.token
        if token.kind != "EOF":
            extra = self.tokens[self.at + 1].kind == "EOF"
            self.fail(f"{'extraneous' if extra else 'mismatched'} input '{token.text}' expecting <EOF>")
        if self._depths.get(tree.id, 0) > MAX_DEPTH:
            self.source.report(-1, "max recursion depth exceeded")
        return tree

    def expr(self, *closers: str) -> Expr:
        """An expression, which one of these tokens must end; without any, what ends the one around it."""
        self.enter("expr")
        self.closers.append(closers or self.closers[-1])
        node = self.logical("||")
        if token := self.accept("?"):
            id = self.new_id(token.at)
            self.closers.append((":",))
            yes = self.logical("||")
            self.closers.pop()
            self.expect(":")
            no = self.expr()
            node = self.deepen(Call(id, "_?_:_", None, [node, yes, no]), node, yes, no)
        self.closers.pop()
        self._nested["expr"] -= 1
        return node

    def logical(self, operator: str) -> Expr:
        """``a && b && c`` becomes a balanced tree."""
        operand: Callable[[], Expr] = self.relation if operator == "&&" else lambda: self.logical("&&")
        terms, ids = [operand()], []
        while token := self.accept(operator):
            terms.append(operand())
            ids.append(self.new_id(token.at))
        node = balanced(f"_{operator}_", terms, ids, 0, len(ids) - 1) if ids else terms[0]
        return self.carry(node, *terms) if ids else node

    def relation(self) -> Expr:
        self.enter("relation")
        node = self.calc()
        while self.token.kind in RELATIONS:
            node = self.binary(node, self.operand_of_relation)
        self._nested["relation"] -= 1
        return node

    def operand_of_relation(self) -> Expr:
        self.enter("relation")
        node = self.calc()
        self._nested["relation"] -= 1
        return node

    def binary(self, left: Expr, operand: Callable[[], Expr]) -> Expr:
        token = self.token
        self.at += 1
        id = self.new_id(token.at)
        right = operand()
        return self.deepen(Call(id, _OPERATORS.get(token.kind, f"_{token.kind}_"), None, [left, right]), left, right)

    def calc(self, lowest: int = 1) -> Expr:
        self.enter("calc")
        node = self.unary()
        while (precedence := PRECEDENCE.get(self.token.kind, 0)) >= lowest:
            node = self.binary(node, lambda above=precedence + 1: self.calc(above))  # type: ignore[misc]
        self._nested["calc"] -= 1
        return node

    def unary(self) -> Expr:
        token = self.token
        if token.kind == "!":
            return self.prefixed("!", "!_")
        if token.kind == "-" and self.tokens[self.at + 1].kind not in ("INT", "FLOAT"):
            return self.prefixed("-", "-_")
        if token.kind not in STARTS:
            self.no_operand()
        return self.member()

    def prefixed(self, sign: str, function: str) -> Expr:
        first = last = self.token
        count = 0
        while self.token.kind == sign:
            last = self.token
            self.at += 1
            count += 1
        if self.token.kind not in STARTS - {"!"}:
            if sign == "-":
                self.no_alternative(last)
            self.fail(f"extraneous input '{self.token.text}' expecting {OPERAND}")
        id = self.new_id(first.at) if count % 2 else 0
        operand = self.member()
        return self.carry(Call(id, function, None, [operand]), operand) if count % 2 else operand

    def member(self) -> Expr:
        self.enter("member")
        node = self.primary()
        while self.token.kind in (".", "["):
            node = self.field(node) if self.token.kind == "." else self.index(node)
        self._nested["member"] -= 1
        return node

    def field(self, operand: Expr) -> Expr:
        dot = self.expect(".")
        optional = self.accept("?")
        name = self.accept("IDENT") or self.accept("ESC")
        if name is None:
            if optional:
                self.unexpected(("IDENT", "ESC"))
            self.no_name(dot)
        text = name.text if name.kind == "IDENT" else name.text[1:-1]
        if optional:
            literal = Literal(self.new_id(name.at), text)
            return self.deepen(Call(self.new_id(dot.at), "_?._", None, [operand, literal]), operand)
        if name.kind == "IDENT" and self.token.kind == "(":
            id = self.new_id(self.token.at)
            args = self.arguments()
            return self.deepen(self.call(id, text, operand, args), operand, *args)
        return self.deepen(Select(self.new_id(dot.at), operand, text), operand)

    def index(self, operand: Expr) -> Expr:
        bracket = self.expect("[")
        self.first = (self.at, FIRST["index"])
        optional = self.accept("?")
        id = self.new_id(bracket.at)
        index = self.expr("]")
        self.expect("]")
        return self.deepen(Call(id, "_[?_]" if optional else "_[_]", None, [operand, index]), operand, index)

    def call(self, id: int, function: str, target: Expr | None, args: list[Expr]) -> Expr:
        """The call, or what its macro makes of it."""
        try:
            expanded = macros.expand(self, id, function, target, args)
        except macros.MacroError as error:
            self.report(error.id, error.message)
            return Literal(id, None)
        if expanded is None:
            return Call(id, function, target, args)
        self.written[expanded.id] = Call(id, function, target, args)
        return expanded

    def arguments(self) -> list[Expr]:
        self.expect("(")
        args: list[Expr] = []
        if self.accept(")"):
            return args
        self.first = (self.at, FIRST["call"])
        args.append(self.expr(")", ","))
        while self.accept(","):
            args.append(self.expr(")", ","))
        self.expect(")")
        return args

    def primary(self) -> Expr:
        token = self.token
        if token.kind == "(":
            self.at += 1
            node = self.expr(")")
            self.expect(")")
            return node
        if token.kind == "[":
            return self.list()
        if token.kind == "{":
            return self.map()
        if token.kind in ("IDENT", "."):
            return self.name()
        return self.literal()

    def name(self) -> Expr:
        first = self.token
        dot = self.accept(".")
        name = self.accept("IDENT")
        if name is None:
            self.no_name(first)
        if self.is_message():
            return self.message(dot, name)
        if name.text in _RESERVED:
            self.source.report(first.at, f"reserved identifier: {name.text}")
        full = ("." if dot else "") + name.text
        if self.token.kind == "(":
            id = self.new_id(self.token.at)
            args = self.arguments()
            return self.carry(self.call(id, full, None, args), *args)
        return Ident(self.new_id(name.at), full)

    def is_message(self) -> bool:
        at = self.at
        while self.tokens[at].kind == "." and self.tokens[at + 1].kind == "IDENT":
            at += 2
        return self.tokens[at].kind == "{"

    def message(self, dot: Token | None, name: Token) -> Expr:
        full = ("." if dot else "") + name.text
        while self.accept("."):
            full += "." + self.expect("IDENT").text
        node = Message(self.new_id(self.expect("{").at), full)
        if self.accept(","):
            self.expect("}")
            return node
        while self.token.kind != "}":
            if node.values and not self.more("}"):
                break
            self.accept("?")
            if self.accept("IDENT") is None and self.accept("ESC") is None:
                self.fail(
                    f"mismatched input '{self.token.text}' expecting {{'}}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}}"
                )
            self.expect(":")
            node.values.append(self.expr("}", ","))
        self.expect("}")
        return self.carry(node, *node.values)

    def more(self, closer: str) -> bool:
        """Read the comma between two elements: whether another element follows."""
        if self.token.kind != ",":
            self.unexpected((closer, ","))
        self.at += 1
        if self.token.kind not in STARTS and self.token.kind not in ("?", "IDENT", "ESC", closer):
            self.unexpected((closer,))
        return self.token.kind != closer

    def list(self) -> Expr:
        id = self.new_id(self.expect("[").at)
        self.first = (self.at, FIRST["list"])
        elements: list[Expr] = []
        optional: set[int] = set()
        if self.accept(","):
            self.expect("]")
            return ListExpr(id, [])
        while self.token.kind != "]":
            if elements and not self.more("]"):
                break
            if self.accept("?"):
                optional.add(len(elements))
            elements.append(self.expr("]", ","))
        self.expect("]")
        return self.carry(ListExpr(id, elements, frozenset(optional)), *elements)

    def map(self) -> Expr:
        id = self.new_id(self.expect("{").at)
        self.first = (self.at, FIRST["map"])
        entries: list[MapEntry] = []
        if self.accept(","):
            self.expect("}")
            return MapExpr(id, [])
        while self.token.kind != "}":
            if entries and not self.more("}"):
                break
            optional = self.accept("?") is not None
            key = self.expr(":")
            self.expect(":")
            entries.append(MapEntry(key, self.expr("}", ","), optional))
        self.expect("}")
        return self.carry(MapExpr(id, entries), *[part for entry in entries for part in (entry.key, entry.value)])

    def literal(self) -> Expr:
        start = self.token
        sign = "-" if self.accept("-") else ""
        token = self.token
        if sign and token.kind not in ("INT", "FLOAT"):
            self.no_alternative(start)
        self.at += 1
        node = Literal(self.new_id(start.at), None)
        if token.kind in ("INT", "UINT"):
            node.value = self.integer(start.at, sign, token)
        elif token.kind == "FLOAT":
            node.value = parse_double(sign + token.text)
            if node.value is None:
                self.source.report(start.at, "invalid double literal")
        elif token.kind in ("STRING", "BYTES"):
            try:
                node.value = unquote(token.text, token.kind == "BYTES")
            except ValueError as error:
                self.source.report(start.at, str(error))
        else:
            node.value = {"true": True, "false": False, "null": None}[token.kind]
        return node

    def integer(self, at: int, sign: str, token: Token) -> int | None:
        text = token.text.rstrip("uU")
        number = int(text, 16) if text.startswith("0x") else int(text) if len(text) < 4000 else UINT_MAX + 1
        if token.kind == "UINT":
            if number <= UINT_MAX:
                return UInt(number)
            self.source.report(at, "invalid uint literal")
            return None
        number = -number if sign else number
        if INT_MIN <= number <= INT_MAX:
            return number
        self.source.report(at, "invalid int literal")
        return None
