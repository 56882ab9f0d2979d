package web

import (
	"html/template"
	"strings"
	"testing"
)

// A folded template has the same result, and does not call constant functions with constants any more.
func TestFolded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{`<p title="{{t "a \"b\" <i>"}}">{{t "a & b"}}</p>`, `<p title="[a &#34;b&#34; &lt;i&gt;]">[a &amp; b]</p>`},
		{`{{if .Yes}}{{t "x"}}{{else}}{{t "y"}}{{end}} {{range .All}}{{t "x"}}{{.}}{{end}}`, `[x] [x]1[x]2`},
		{`{{with .Yes}}{{template "part" (join (t "x") .)}}{{end}}{{define "part"}}{{.}} {{t (t "z")}}{{end}}`, `[x] true [[z]]`},
		{`<a href="{{t "/a b"}}/{{join "c d" "e"}}">{{t .Name}}</a>`, `<a href="[/a b]/c%20d%20e">[&lt;name&gt;]</a>`},
		{`{{$x := t "x"}}{{$x}}{{or .No (t "w")}}{{t "p" | join "q"}}`, `[x][w]q [p]`},
	} {
		calls := 0
		constants := template.FuncMap{"t": func(id string) string { calls++; return "[" + id + "]" }}
		funcs := template.FuncMap{"t": constants["t"], "join": func(a string, b any) string { return strings.TrimSpace(template.HTMLEscaper(a, " ", b)) }}
		parsed := folded(template.Must(template.New("").Funcs(funcs).Parse(tt.text)), constants)
		calls = 0
		var got strings.Builder
		if err := parsed.Execute(&got, map[string]any{"Yes": true, "No": "", "All": []int{1, 2}, "Name": "<name>"}); err != nil {
			t.Fatal(err)
		}
		limit := strings.Count(tt.text, "t .Name") + strings.Count(tt.text, ":= t") + strings.Count(tt.text, "|")
		if got.String() != tt.want || calls > limit {
			t.Errorf("%s becomes %s after %d calls, want %s", tt.text, got.String(), calls, tt.want)
		}
	}
}
