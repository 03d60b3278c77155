# Writes jinja.json: what Jinja2 (3.1.2), which Hugging Face renders chat templates with, makes of templates; null is an
# error.
import json
import os

from jinja2.sandbox import ImmutableSandboxedEnvironment

VARIABLES = {
    "x": 3, "f": 2.5, "s": "abc", "l": [1, "a", None, True], "d": {"a": 1, "b": None}, "messages": [{"role": "user", "content": "Hi"}],
}
TEMPLATES = r"""{{ none }}|{{ None }}|{{ true }}|{{ False }}|{{ x is defined }}|{{ d.b }}|{{ missing }}|{{ l[9] }}|{{ d.zzz }}
{{ x }} {{ f }} {{ 1.0 }} {{ 2.0 * 3 }} {{ 4 / 2 }} {{ 10000000.0 * 10000000000 }} {{ 1 / 100000 }} {{ 1 / 3 }} {{ -1 / 3000000 }} {{ 0.0001 }} {{ 123456789.0 * 1000 }}
{{ l }} {{ d }} {{ messages }} {{ (1, 'a') }} {{ [] }} {{ {} }} {{ [1.0, 2.5, missing] }} {{ namespace(a=1) }}
{{ ["it's", 'q"', 'it\'s "q"', 'a\nb\t\\', 'é\u00a0한😀'] }}
{{ 'a' + 3 }}
{{ 3 + 'a' }}
{{ 'a' + none }}
{{ 'a' + l }}
{{ [1] + 'a' }}
{{ [1] + (1, 2) }}
{{ none + 1 }}
{{ missing + 1 }}
{{ 'a' + missing }}
{{ 'a' ~ 3 ~ none ~ true ~ 1.0 ~ missing ~ l }}
{{ 1 / 0 }}
{{ 1 // 0 }}
{{ 1 % 0 }}
{{ 1.5 % 0.0 }}
{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ -7.5 % 2 }} {{ 6 % 3 }} {{ -6 % 3 }}
{{ 1 == '1' }} {{ 0 == '' }} {{ '' == false }} {{ 1 == true }} {{ 1 == 1.0 }} {{ none == false }} {{ missing == none }} {{ missing == missing }} {{ none == none }}
{{ [1, 2] == [1, 2] }} {{ {'a': [1]} == {'a': [1]} }} {{ [1] != [2] }} {{ 'a' != 'a' }} {{ (1, 2) == [1, 2] }}
{{ [1] in [[1], 2] }} {{ 1 in l }} {{ '1' in l }} {{ none in l }} {{ false not in [0] }} {{ 'b' in 'abc' }} {{ 'a' in d }} {{ 'a' in missing }}
{{ missing.x }}
{{ d.zzz.y }}
{{ d.zzz['y'] }}
{{ messages[0].tool.name is defined }}
{{ missing[0] }}
{{ none.x }}|{{ x.y }}
{{ l | string }} {{ none | string }} {{ missing | string }} {{ 2.0 | string }} {{ true | string }}
{{ l | join(', ') }} {{ [1, 2.0, none] | join }} {{ [missing, 'a'] | join('-') }}
{{ missing | tojson }}
{{ l | tojson }} {{ d | tojson }} {{ 'é"😀' | tojson }}
{{ [] | first }}|{{ [] | last }}|{{ (1, 2) | list }} {{ (1, 2, 3)[1:] }} {{ [1, 2, 3][::-1] }} {{ s[1:] }}
{{ '😀é' | length }} {{ '😀é'[0] }} {{ '😀é'[1] }} {{ '😀é'[-1] }} {{ '😀é'[5] }}|{{ s[x] }}|
{{ 3.7 | int }} {{ -3.7 | int }}
{{ 'HELLO wORLD' | capitalize }} {{ "it's a-b (c" | title }} {{ "it's a-b (c".title() }} {{ 'aBC'.capitalize() }} {{ s.upper() }}
{{ true is number }} {{ d is iterable }} {{ missing is iterable }} {{ d is sequence }} {{ '' is upper }} {{ 'A1' is upper }} {{ 'a\n' is lower }} {{ 3 is lower }} {{ x is not number }}
{% for c in 'a😀' %}{{ loop.index }}{{ c }}{{ loop.last }};{% endfor %}
{% for c in missing %}{{ c }}{% else %}none{% endfor %}
{% for c in none %}{{ c }}{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}
{% for i in [1, 2, 3, 4] %}<{{ i }}{% if i == 2 %}{% continue %}{% endif %}{% if i == 3 %}!{% break %}{% endif %}>{% endfor %}.
{% for i in [1, 2] %}{{ i }}{% break %}{% else %}E{% endfor %}|{% for i in [1, 2] %}{{ i }}{% continue %}{% else %}E{% endfor %}
{% for i in [1, 2] %}{% for j in [1, 2, 3] if j != i %}{{ i }}{{ j }}{% if j == 2 %}{% break %}{% endif %},{% endfor %};{% endfor %}
{% macro m(a) %}{% for i in [1, 2] %}{{ a }}{% if a %}{% break %}{% endif %}{% endfor %}{% endmacro %}{{ m(true) }}{{ m(0) }}{{ m() }}
{% set n = namespace(t='') %}{% for m in messages %}{% set n.t = n.t ~ m.role %}{% endfor %}{{ n.t }}{{ n.t is defined }}
{% if 'a' is defined and not missing %}{{ 'b' if x > 2 }}{{ 'c' if x > 5 }}{% endif %}""".split("\n")

environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)


def render(template):
    try:
        return environment.from_string(template).render(**VARIABLES)
    except Exception:
        return None


results = [[template, render(template)] for template in TEMPLATES]
with open(os.path.join(os.path.dirname(__file__), "jinja.json"), "w") as file:
    json.dump({"variables": VARIABLES, "results": results}, file, separators=(",", ":"))
    file.write("\n")
