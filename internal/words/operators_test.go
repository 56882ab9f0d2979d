package words

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// explain writes a query without forms.
func explain(q Query) string {
	var b strings.Builder
	var write func(t Term)
	write = func(t Term) {
		if t.Title {
			b.WriteString("title ")
		}
		b.WriteString(strings.Join(t.Words, "+"))
		if t.Prefix {
			b.WriteString("*")
		}
		for _, other := range t.Or {
			b.WriteString("|")
			write(other)
		}
	}
	for _, t := range q.Terms {
		write(t)
		b.WriteString(" ")
	}
	for _, t := range q.Without {
		b.WriteString("-")
		write(t)
		b.WriteString(" ")
	}
	f := q.Filters
	if q.Everything {
		b.WriteString("everything ")
	}
	for name, value := range map[string]string{"marks": marksOf(q), "in": f.In, "by": f.By, "type": strings.Join(f.Kinds, ",")} {
		if value != "" {
			b.WriteString(name + "=" + value + " ")
		}
	}
	if !f.From.IsZero() {
		b.WriteString("from " + f.From.Format(time.DateOnly) + " ")
	}
	if !f.Before.IsZero() {
		b.WriteString("before " + f.Before.Format(time.DateOnly) + " ")
	}
	if f.Commented {
		b.WriteString("commented ")
	}
	return strings.TrimSpace(b.String())
}

func TestParseOperators(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"moss fern":                     "moss fern*",
		"moss -fern":                    "moss -fern",
		"-fern":                         "-fern everything",
		`-"tree fern" moss`:             "moss* -tree+fern",
		"moss -well-known":              "moss -well+known",
		"well-known moss":               "well+known moss*",
		"moss - fern":                   "moss fern*",
		"--verbose moss":                "verbose moss*",
		"a OR b":                        "a|b*",
		"a OR b OR c d":                 "a|b|c d*",
		`"a b" OR c d -e`:               "a+b|c d -e",
		"a or b":                        "a or b*",
		"title:moss":                    "title moss*",
		`title:"moss and" fern`:         "title moss+and fern*",
		"Title:moss type:IMAGE":         "title moss type=image",
		"-title:moss":                   "-title moss everything",
		"a OR title:b c":                "a|title b c*",
		"in:gardens":                    "everything in=gardens",
		`in:"my garden" moss`:           "moss* in=my garden",
		"by:@ada moss":                  "moss* by=ada",
		"type:image,link moss":          "moss* type=image,link",
		"type:image type:file":          "everything type=image,attachment",
		"before:2024":                   "everything before 2024-01-01",
		"after:2023":                    "everything from 2024-01-01",
		"after:2023-12 moss":            "moss* from 2024-01-01",
		"before:2024-02-29":             "everything before 2024-02-29",
		"after:2024-02-28 has:comment":  "everything from 2024-02-29 commented",
		"site:example.org":              "__example_org",
		"site:https://www.Example.org/": "__example_org",
		"site:example.org moss":         "moss* marks=__example_org",
		"moss -site:example.org":        "moss -__example_org",
		"site:bücher.example":           "__xn____bcher__kva_example",
		"color:Teal":                    "_·cteal",
		"colour:rot moss":               "moss* marks=_·cred",
		"moss color:red color:blue":     "moss marks=_·cred+_·cblue",
		"moss -color:red":               "moss -_·cred",
		"color:#000": "_·c0x8x9|_·c0x8x10|_·c0x9x8|_·c0x9x9|_·c0x9x10|_·c0x9x11|_·c0x10x8|_·c0x10x9|_·c0x10x10|" +
			"_·c0x10x11|_·c0x11x9|_·c0x11x10|_·c1x9x9|_·c1x9x10|_·c1x10x9|_·c1x10x10",
		"* type:text":           "everything type=text",
		"note:moss":             "note+moss*",
		"https://example.org/a": "https+example+org+a*",
		`"moss fern`:            "moss+fern*",

		// Malformed operators make everything words.
		"OR": "or*", "OR moss": "or moss*", "moss OR": "moss or*", "a OR OR b": "a or or b*", "a OR -b": "a or b*", "-a OR b": "a or b*",
		"a OR type:image": "a or type+image*", "type:image OR a": "type+image or a*", "a OR !": "a or",
		"type:cat -moss": "type+cat moss*", "type: -moss": "type moss*", "in: -moss": "in moss*", `in:"" -moss`: "in moss*",
		"before:soon": "before+soon*", "before:2024-13": "before+2024+13*", "after:24": "after+24*", "before:0000": "before+0000*",
		"before:2020 before:2021": "before+2020 before+2021*", "has:cat": "has+cat*", "has:comment has:comment": "has+comment has+comment*",
		"type:text type:text": "type+text type+text*", "type:text,text": "type+text+text*",
		"in:a in:b": "in+a in+b*", "by:@": "by", "title:!": "title", "-type:image": "type+image*", "-in:a": "in+a*",
		"site:example.org/page": "site+example+org+page*", "site:example.org:80": "site+example+org+80*", "site:": "site",
		"color:mouldy": "color+mouldy*", "color:#12345 moss": "color+12345 moss*", "color: moss": "color moss*", "color:0a7": "color+0a7*",
		"site:a site:b": "site+a site+b*", `-"!" moss`: "moss*",
	} {
		got := explain(Parse(query))
		if fields(got) != fields(want) {
			t.Errorf("%q is %q, want %q", query, got, want)
		}
	}
}

// fields returns the sorted fields of an explanation, which has filters in any order.
func fields(text string) string {
	counts := map[string]int{}
	for _, f := range strings.Fields(text) {
		counts[f]++
	}
	return fmt.Sprint(counts)
}

// Only words without restrictions are names and addresses.
func TestParsePlain(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"moss fern": "moss fern", "moss type:image": "moss", "https://example.org/a by:ada": "https://example.org/a", `"moss fern" in:a`: `"moss fern"`,
		"moss -fern": "", "moss OR fern": "", "title:moss": "", "moss site:example.org": "", "type:image": "",
	} {
		if got := Parse(query).Plain; got != want {
			t.Errorf("%q is plainly %q, want %q", query, got, want)
		}
	}
}

// Each operator can be left out of the query.
func TestOther(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		`moss "tree fern" -bog in:"my garden" a OR b`: {"", `moss -bog in:"my garden" a OR b`, `moss "tree fern" in:"my garden" a OR b`,
			`moss "tree fern" -bog a OR b`, `moss "tree fern" -bog in:"my garden"`},
		"moss type:cat": {"", ""},
		"type:image":    {""},
	} {
		parts := Parse(query).Parts
		var got []string
		for i, p := range parts {
			if p.Operator {
				got = append(got, Other(parts, i))
			} else {
				got = append(got, "")
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestSites(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://www.blog.example.org/a?b": "__blog_example_org __example_org __org",
		"http://my-site.example:8080/":     "__my__site_example __example",
		"http://192.0.2.1/":                "__192_0_2_1",
		"http://[2001:db8::1]/":            "",
		"moss":                             "",
	} {
		if got := strings.Join(Sites(address), " "); got != want {
			t.Errorf("%s is at %q, want %q", address, got, want)
		}
	}
}

// A query with too many operators has none.
func TestTooManyOperators(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{MaxOperators: MaxOperators, MaxOperators + 1: 0} {
		if got := len(Parse(strings.Repeat("-a ", n)).Without); got != want {
			t.Errorf("%d operators of %d count", got, n)
		}
	}
}

// Operators are limited like words, and what Cut returns is never too long.
func TestOperatorsAreBounded(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"-a ", "a OR ", "title:a ", "-title:a ", `-"a b" `} {
		query := strings.Repeat(one, maxTerms+1) + "a"
		if !Parse(query).TooLong || Parse(Cut(query)).TooLong || Cut(query) == "" {
			t.Errorf("%q, many times, is not too long", one)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, query := range []string{`moss -fern "a b" OR c`, `in:"x" by:@y`, `-"`, `title:`, "a OR b OR"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q := Parse(query)
		for _, term := range q.All() {
			if len(term.Words) == 0 {
				t.Errorf("%q has an empty term", query)
			}
		}
		for i, p := range q.Parts {
			if p.Operator {
				Parse(Other(q.Parts, i))
			}
		}
	})
}
