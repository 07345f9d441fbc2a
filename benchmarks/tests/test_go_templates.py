"""Go templates, as far as scheduler_perf's files use them."""

import pytest
from hypothesis import given, strategies as st

from benchmarks.perf.go_templates import Template, TemplateError


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("plain", "plain"),
        ("pod-{{.Index}}", "pod-7"),
        ("{{ .Index }}/{{.Count}}", "7/10"),
        ("{{Mod .Index 4}} {{DivideInt .Index 2}} {{DivideFloat .Index 2}}", "3 3 3.5"),
        ("{{AddInt 8000 (Mod .Index (DivideInt .Count 3))}}", "8001"),
        ("{{SubtractInt .Count .Index}} {{MultiplyInt 2 .Index 3}} {{AddFloat 1.5 .Index}}", "3 42 8.5"),
        ('{{if eq .class "gpu"}}yes{{else}}no{{end}}', "yes"),
        ("{{if .missing}}a{{else if ge .Index 7}}b{{else}}c{{end}}", "b"),
        ("{{if .missing}}a{{end}}b", "b"),
        ("{{or .missing 5}} {{(or .missing nil) | JSON}} {{.list | JSON}}", '5 null [1,"a"]'),
        ("{{if not (and .class false)}}x{{end}}", "x"),
        ("a\n  {{- if true }}\n  b\n  {{- end }}\nc", "a\n  b\nc"),
        ("{{/* a comment */}}x", "x"),
        ('{{`raw`}}{{"te\\"xt"}}', 'rawte"xt'),
        ("{{Int 3.9}} {{true}}", "3 true"),
        ("{{range 3}}{{.}}{{end}}", "012"),
        ("{{range .list}}<{{.}}>{{end}}", "<1><a>"),
        ("{{$n := or .missing 2}}{{range $i := ($n | Int)}}{{Mod $i $n}}/{{.}} {{end}}{{.Index}}", "0/0 1/1 7"),
        ("{{range 0}}a{{else}}none{{end}}{{range .missing}}b{{end}}", "none"),
        ("{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "21"),
        ("{{range 2}}{{range $k := 2}}{{.}}{{$k}} {{end}}{{.}};{{end}}", "00 11 0;00 11 1;"),
    ],
)
def test_templates_as_go_renders_them(text, rendered):
    env = {"Index": 7, "Count": 10, "class": "gpu", "list": [1, "a"]}
    assert Template(text).render(env) == rendered


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("\n{{.Index", "line 2: {{ is not closed"),
        ("{{with .x}}{{end}}", "line 1: {{with}} is not supported in templates"),
        ("{{$x = 1}}", "line 1: unexpected ="),
        ("{{range .x}}", "an if or a range has no end"),
        ("{{range $i, $x := .x}}{{end}}", "line 1: $i, is not supported in templates"),
        ("{{if .x}}", "an if or a range has no end"),
        ("{{end}}", "line 1: {{end}} without an if before it"),
        ("\n\n{{nosuch 1}}", 'line 3: unknown function "nosuch"'),
        ("{{}}", "line 1: a value is missing"),
        ("{{Mod 1", "line 1: {{ is not closed"),
        ("{{Mod (1 2)}}", "line 1: a parenthesis is not closed"),
        ("{{.a .b}}", "line 1: unexpected .b"),
        ("{{Int}}", "line 1: Int has no arguments"),
        ('{{"abc}}', "line 1: a string is not closed"),
        ("{{(" + "(" * 60 + "}}", "line 1: nested deeper than 50 levels"),
        ("{{1e3}}", "line 1: 1e3 is not supported in templates"),
        ("{{if true}}" * 60, "nested deeper than 50 levels"),
    ],
)
def test_invalid_templates(text, why):
    with pytest.raises(TemplateError) as error:
        Template(text)
    assert str(error.value) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{{.missing}}", "line 1: the value is not defined and has no default (use: or .name default)"),
        ("{{DivideInt 1 0}}", "line 1: division by zero"),
        ("{{Mod 1 0}}", "line 1: division by zero"),
        ('{{AddInt "x" 1}}', "line 1: x is not a number"),
        ("{{Mod 1}}", "line 1: a function has the wrong number or type of arguments"),
        ('{{if lt 1 "a"}}{{end}}', "line 1: a function has the wrong number or type of arguments"),
        ("{{Int .big}}", "line 1: inf is not a whole number"),
        ("{{$x}}", 'line 1: undefined variable "$x"'),
        ("{{if true}}{{$x := 1}}{{end}}{{$x}}", 'line 1: undefined variable "$x"'),
        ("{{range 2}}{{.Index}}{{end}}", "line 1: can't evaluate field Index of 0"),
        ('{{range "abc"}}{{end}}', "line 1: range needs a number or a list"),
        ("{{range 2000000}}{{end}}", "line 1: ranges make more than 1048576 rounds"),
        ("{{range 2000}}{{range 2000}}{{end}}{{end}}", "line 1: ranges make more than 1048576 rounds"),
    ],
)
def test_failing_templates(text, why):
    with pytest.raises(TemplateError) as error:
        Template(text).render({"big": float("inf")})
    assert str(error.value) == why


@given(st.text(st.sampled_from(list('{{}}.|()-ifend "IndexMod12\n')), max_size=40))
def test_any_text_is_a_template_or_an_error(text):
    try:
        rendered = Template(text).render({"Index": 1})
    except TemplateError as error:
        assert str(error)
    else:
        assert isinstance(rendered, str)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{{ " * 300_000, "line 1: {{ is not closed"),
        ("{{ " * 300_000 + "}}", "line 1: {{ is not supported in templates"),
        ("{{.a " + "1 " * 300_000 + "}}", "line 1: unexpected 1"),
        ("\n" * 500_000 + "{{if .b}}" * 60, "nested deeper than 50 levels"),
        ("x" * 2_000_000, "the template has more than 1048576 characters"),
        ("{{.big}}" * 10_000, "the text that it renders has more than 1048576 characters"),
    ],
)
def test_hostile_templates_are_refused_at_once(text, why):
    """In time that grows with their length, not with its square: the first took minutes."""
    with pytest.raises(TemplateError) as caught:
        Template(text).render({"big": "x" * 500_000})
    assert str(caught.value) == why
