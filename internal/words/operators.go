package words

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/weburl"
)

// Filters are the operators of a query that are not about words. Zero values do not filter.
type Filters struct {
	In, By    string   // a channel and a person or group, as they were written
	Kinds     []string // any of these
	From      time.Time
	Before    time.Time
	Commented bool

	Extensions []string // any of these
}

// kinds are the values of the operator type.
var kinds = []string{"text", "image", "link", "attachment", "embed", "block", "channel", "user", "group"}

// kindAliases are further names of kinds.
var kindAliases = map[string]string{"file": "attachment", "video": "embed", "person": "user", "people": "user"}

// Part is a part of a query as it was written: an operator with its value, or other text.
type Part struct {
	Text        string
	Operator    bool
	Name, Value string // of a single operator that is not negative
	Word        string // the folded word of a part that may be misspelled, or ""

	term int // the index of its term
}

// Other returns a query without one of its parts.
func Other(parts []Part, without int) string {
	var kept []string
	for i, p := range parts {
		if i != without {
			kept = append(kept, p.Text)
		}
	}
	return strings.Join(kept, " ")
}

// part is a part of a query before it is understood: a text in quotes, text up to a space, or both if a name
// of an operator or a minus sign is in front of the quotes.
type part struct {
	written string
	before  string // "-", or the name of an operator with its colon
	text    string
	quoted  bool
	closed  bool // by a quote
}

// operators are the functions that add an operator's value to a query. They return false for a value that is malformed,
// or given twice. last is true for the end of the query, which may be the beginning of a word.
var operators = map[string]func(q *Query, p part, last bool) bool{
	"title": func(q *Query, p part, last bool) bool {
		t, ok := titleTerm(p, last)
		q.Terms = append(q.Terms, t)
		return ok
	},
	"site":   func(q *Query, p part, _ bool) bool { return q.addSite(p.text) },
	"tag":    func(q *Query, p part, _ bool) bool { return q.addTag(p.text) },
	"meta":   func(q *Query, p part, _ bool) bool { return q.addComparison(p.text) },
	"color":  addColour,
	"colour": addColour,
	"is":     func(q *Query, p part, _ bool) bool { return isDead(p) && q.addMarks([]string{DeadMark}) },
	"in":     func(q *Query, p part, _ bool) bool { return set(&q.Filters.In, p.text) },
	"by": func(q *Query, p part, _ bool) bool {
		return set(&q.Filters.By, strings.TrimPrefix(strings.TrimSpace(p.text), "@"))
	},
	"type":   func(q *Query, p part, _ bool) bool { return q.Filters.addKinds(p.text) },
	"ext":    func(q *Query, p part, _ bool) bool { return q.Filters.addExtensions(p.text) },
	"before": func(q *Query, p part, _ bool) bool { return setTime(&q.Filters.Before, p.text, false) },
	"after":  func(q *Query, p part, _ bool) bool { return setTime(&q.Filters.From, p.text, true) },
	"has": func(q *Query, p part, _ bool) bool {
		given := q.Filters.Commented
		q.Filters.Commented = true
		return !given && (strings.EqualFold(p.text, "comment") || strings.EqualFold(p.text, "comments"))
	},
}

// name returns the name of the operator in front of a part, or "".
func (p part) name() string {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(p.before, "-"), ":"))
	if operators[name] == nil {
		return ""
	}
	return name
}

func (p part) negative() bool { return strings.HasPrefix(p.before, "-") }

// words returns the texts of a part that is not an operator, in front of quotes and in them.
func (p part) words() []part {
	if p.before == "" || !p.quoted {
		return []part{{text: p.before + p.text, quoted: p.quoted, closed: p.closed}}
	}
	return []part{{text: p.before, closed: true}, {text: p.text, quoted: true, closed: p.closed}}
}

// split splits a query at spaces and quotes. An unclosed quote extends to the end.
func split(query string) (parts []part) {
	for {
		query = strings.TrimLeftFunc(query, unicode.IsSpace)
		if query == "" {
			return parts
		}
		end := strings.IndexFunc(query, func(r rune) bool { return r == '"' || unicode.IsSpace(r) })
		if end < 0 {
			end = len(query)
		}
		p := part{text: query[:end]}
		if at := strings.IndexByte(p.text, ':'); at > 0 {
			p.before, p.text = p.text[:at+1], p.text[at+1:]
		}
		if p.name() == "" { // other colons are punctuation
			p.before, p.text = "", query[:end]
			if rest, ok := strings.CutPrefix(p.text, "-"); ok && (leads(rest) || strings.HasPrefix(query[end:], `"`) && rest == "") {
				p.before, p.text = "-", rest
			}
		}
		if end < len(query) && query[end] == '"' && (p.text == "" || p.name() == "meta") {
			var text string
			p.quoted = true
			text, _, p.closed = strings.Cut(query[end+1:], `"`)
			p.text += text
			end += 1 + len(text)
			if p.closed {
				end++
			}
		}
		p.written, query = query[:end], query[end:]
		parts = append(parts, p)
	}
}

// leads reports whether a text begins with a word, as after a minus sign that leaves it out.
func leads(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimPrefix(text, "#"))
	return text != "" && classOf(first) != separator
}

// MaxOperators is the maximum number of operators of a query.
const MaxOperators = 32

// operated parses a query with operators. ok is false if it has none, too many or a malformed one.
func operated(parts []part) (q Query, ok bool) {
	var plain []string // of the words
	punctuation, n := false, 0
	or := false // OR precedes
	for i, p := range parts {
		last, name, terms := i == len(parts)-1 && !p.closed, p.name(), len(q.Terms)
		shown := Part{Text: p.written, Operator: true}
		if name != "" && !p.negative() {
			shown.Name, shown.Value = name, p.text
		}
		switch {
		case p.isOr():
			if or || i == 0 || !parts[i-1].isTerm() {
				return q, false
			}
			or, n = true, n+1
			continue
		case p.negative():
			if !q.leaveOut(p) {
				return q, false
			}
		case name != "":
			if strings.TrimSpace(p.text) == "" || !operators[name](&q, p, last) {
				return q, false
			}
		default:
			if t, ok := term(p.text, last, !p.quoted); ok {
				q.Terms = append(q.Terms, t)
			} else if p.text != "*" {
				punctuation = true
			}
			shown.Operator, shown.Word, shown.term = p.quoted && p.closed, p.word(), terms
			plain = append(plain, p.written)
		}
		if name != "" || p.negative() {
			n++
		}
		if or {
			if len(q.Terms) == terms {
				return q, false
			}
			before, whole := &q.Terms[terms-1], &q.Parts[len(q.Parts)-1]
			before.Or = append(before.Or, q.Terms[terms])
			q.Terms = q.Terms[:terms]
			*whole = Part{Text: whole.Text + " OR " + shown.Text, Operator: true}
			or = false
			continue
		}
		q.Parts = append(q.Parts, shown)
	}
	if or || n == 0 || n > MaxOperators {
		return q, false
	}
	if !q.Restricted() && !slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Title || len(t.Or) > 0 }) {
		q.Plain = strings.Join(plain, " ")
	}
	q.Everything = len(q.Terms) == 0 && !punctuation
	return q.settled(), true
}

// settled returns the query with marks as a term if it has no terms, because the index finds these.
func (q Query) settled() Query {
	if q.Everything && len(q.Marks) > 0 {
		q.Everything, q.Terms, q.Marks = false, []Term{anyOf(markTerms(q.Marks[0]))}, q.Marks[1:]
	}
	return q
}

func (p part) isOr() bool { return p.text == "OR" && p.before == "" && !p.quoted }

// isTerm reports whether a part is a term that OR may follow.
func (p part) isTerm() bool {
	return !p.negative() && (p.name() == "" || p.name() == "title") && len(runs(Fold(p.text))) > 0
}

// leaveOut adds a part to what results must not have.
func (q *Query) leaveOut(p part) (ok bool) {
	var t Term
	switch p.name() {
	case "":
		t, ok = term(p.text, false, !p.quoted)
	case "title":
		t, ok = titleTerm(p, false)
	case "site":
		return q.leaveOutMarks(siteMark(p.text))
	case "tag":
		return q.leaveOutMarks(tagMark(p.text))
	case "meta":
		c, isComparison := comparisonOf(p.text)
		switch {
		case isComparison && c.operator == "=":
			return q.leaveOutMarks(valueMark(c.key, c.value))
		case isComparison && c.operator == "":
			return q.leaveOutMarks(keyMarks + c.key)
		}
		return false
	case "color", "colour":
		return q.leaveOutMarks(coloured(p.text)...)
	case "is":
		return isDead(p) && q.leaveOutMarks(DeadMark)
	}
	q.Without = append(q.Without, t)
	return ok
}

// isDead reports whether the value of the operator `is` is the only one that it has.
func isDead(p part) bool { return strings.EqualFold(p.text, "dead") }

func titleTerm(p part, last bool) (Term, bool) {
	t, ok := term(p.text, last, !p.quoted)
	t.Title = true
	return t, ok
}

// set sets a value unless it is set already.
func set(to *string, value string) bool {
	given := *to != ""
	*to = strings.TrimSpace(value)
	return !given && *to != ""
}

// addKinds adds kinds that are separated by commas.
func (f *Filters) addKinds(text string) bool {
	for name := range strings.SplitSeq(strings.ToLower(text), ",") {
		if alias, ok := kindAliases[name]; ok {
			name = alias
		}
		if !slices.Contains(kinds, name) || slices.Contains(f.Kinds, name) {
			return false
		}
		f.Kinds = append(f.Kinds, name)
	}
	return true
}

// longestExtension is the maximum length of a file name extension.
const longestExtension = 10

// addExtensions adds file name extensions that are separated by commas.
func (f *Filters) addExtensions(text string) bool {
	for name := range strings.SplitSeq(strings.ToLower(text), ",") {
		name = strings.TrimPrefix(strings.TrimSpace(name), ".")
		if name == "" || len(name) > longestExtension || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || slices.Contains(f.Extensions, name) {
			return false
		}
		f.Extensions = append(f.Extensions, name)
	}
	return true
}

// setTime sets a time to the beginning of a year, month or day in UTC, or to its end.
func setTime(to *time.Time, text string, end bool) bool {
	for _, span := range []struct {
		layout              string
		years, months, days int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {time.DateOnly, 0, 0, 1}} {
		t, err := time.Parse(span.layout, text)
		if err != nil || t.Year() == 0 {
			continue
		}
		if end {
			t = t.AddDate(span.years, span.months, span.days)
		}
		given := !to.IsZero()
		*to = t
		return !given
	}
	return false
}

// maxSites is the maximum number of sites of a document.
const maxSites = 8

// Sites returns the marks of the sites to which a URL belongs: its host without `www.`, and the domains above.
func Sites(address string) (marks []string) {
	u, err := weburl.Parse(address)
	if err != nil {
		return nil
	}
	host := strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), "www.")
	whole := strings.TrimRight(host, "0123456789.") == "" // an IP address
	for len(marks) < maxSites {
		mark := hostMark(host)
		if mark == "" {
			return marks
		}
		marks = append(marks, mark)
		_, above, ok := strings.Cut(host, ".")
		if !ok || whole {
			return marks
		}
		host = above
	}
	return marks
}

// addSite adds the operator site, which can be given once.
func (q *Query) addSite(text string) bool {
	mark := siteMark(text)
	if mark == "" || slices.ContainsFunc(q.Marks, func(m []string) bool { return strings.HasPrefix(m[0], formMark+formMark) }) {
		return false
	}
	return q.addMarks([]string{mark})
}

// siteMark returns the mark of a site that a query names, or "".
func siteMark(text string) string {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := weburl.Parse(text)
	if err != nil || u.User != nil || u.Port() != "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return ""
	}
	if marks := Sites(text); len(marks) > 0 {
		return marks[0]
	}
	return ""
}

// hostMark encodes a host as one word that is no form of another word.
func hostMark(host string) string {
	if host == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(formMark + formMark)
	for _, r := range host {
		switch {
		case r == '.':
			b.WriteString("_")
		case r == '-':
			b.WriteString("__")
		case r == '_':
			b.WriteString("___")
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			return ""
		}
	}
	return b.String()
}
