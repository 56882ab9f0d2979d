package markup

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
)

// allowed lists every element of the output with its attributes: what CommonMark produces, and the
// formatting that people write by hand. None loads anything except images, and none has a meaning
// of its own in a page.
var allowed = map[string][]string{
	"p": nil, "div": nil, "br": nil, "hr": nil, "blockquote": nil, "pre": nil,
	"h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil,
	"ul": nil, "ol": {"start"}, "li": nil,
	"em": nil, "strong": nil, "b": nil, "i": nil, "u": nil, "s": nil, "del": nil, "ins": nil,
	"sub": nil, "sup": nil, "small": nil, "mark": nil, "code": {"class"}, "kbd": nil, "samp": nil,
	"var": nil, "q": nil, "cite": nil, "dfn": nil,
	"a":   {"href", "title"},
	"img": {"src", "alt", "title"},
}

// values restricts the values of attributes. All others may have any text.
var values = map[string]*regexp.Regexp{
	"start":  regexp.MustCompile(`^[0-9]{1,9}$`),
	"class":  regexp.MustCompile(`^language-[\w.+#-]{1,40}$`),
	"src":    regexp.MustCompile(`(?i)^https?://`),
	"href":   regexp.MustCompile(`(?i)^(?:https?://|mailto:)`),
	"target": regexp.MustCompile(`^_blank$`),
	"rel":    regexp.MustCompile(`^nofollow noopener$`),
}

// policy is the security boundary. For any input, it allows only the elements and attributes in the
// tables above.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowURLSchemes("http", "https", "mailto")
	for element, attributes := range allowed {
		p.AllowElements(element)
		if element != "a" && element != "img" {
			p.AllowNoAttrs().OnElements(element)
		}
		for _, name := range attributes {
			allowAttribute(p, element, name)
		}
	}
	allowAttribute(p, "a", "target")
	allowAttribute(p, "a", "rel")
	return p
}

func allowAttribute(p *bluemonday.Policy, element, name string) {
	if pattern, ok := values[name]; ok {
		p.AllowAttrs(name).Matching(pattern).OnElements(element)
		return
	}
	p.AllowAttrs(name).OnElements(element)
}

// acceptable reports whether an attribute of an allowed element may stay. An address must be one
// that the policy accepts; otherwise the element would remain without it.
func acceptable(name, value string) bool {
	if pattern, ok := values[name]; ok && !pattern.MatchString(value) {
		return false
	}
	if name != "href" && name != "src" {
		return true
	}
	if _, err := url.Parse(value); err != nil { // the policy uses the same parser
		return false
	}
	return !strings.ContainsAny(value, " \t\n")
}
