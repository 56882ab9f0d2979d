package words

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/domain"
)

// Marks are words of a document that no text contains. They say where a document is from (Sites), what its
// metadata are, and which colours its image has (Colours). No word or form of a word contains markSign.
const (
	markSign = "·"
	tagMarks = formMark + markSign + "t"
	keyMarks = formMark + markSign + "k"
	valMarks = formMark + markSign + "v"
	numMarks = formMark + markSign + "n"

	colourMarks = formMark + markSign + "c"

	// DeadMark is the mark of a Link whose page is gone.
	DeadMark = formMark + markSign + "d"
)

// Limits of the marks of a document and of a query.
const (
	MaxTags  = 100 // of a document
	MaxTag   = 64  // significant characters of a tag
	maxLists = 8   // of alternatives in a query: ranges and colours
)

// Tags splits the value of the metadata key for tags. Tags that are equal without regard to case, diacritics and
// hyphens occur once.
func Tags(value string) (tags []string) {
	var seen []string
	for tag := range strings.SplitSeq(value, ",") {
		tag = strings.Join(strings.Fields(strings.TrimLeft(strings.TrimSpace(tag), "#")), " ")
		mark := tagMark(tag)
		if mark == "" || slices.Contains(seen, mark) {
			continue
		}
		if tags, seen = append(tags, tag), append(seen, mark); len(tags) == MaxTags {
			break
		}
	}
	return tags
}

// StartsTag reports whether a tag starts with a text.
func StartsTag(start, tag string) bool { return strings.HasPrefix(tagMark(tag), tagPrefix(start)) }

// TagQuery returns the query for documents with a tag that starts with a text, or with any tag.
func TagQuery(start string) Query {
	if mark := tagMark(start); mark != "" {
		return Query{Terms: []Term{{Words: []string{mark}, Prefix: true}}}
	}
	return Query{Terms: []Term{{Words: []string{keyMarks + domain.TagsKey}}}}
}

// MetadataMarks returns the marks of metadata: of each tag, each key, each value and each number.
func MetadataMarks(values map[string]string) (marks []string) {
	add := func(mark string) {
		if !slices.Contains(marks, mark) {
			marks = append(marks, mark)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value, folded := values[key], strings.ToLower(key)
		if key == domain.TagsKey {
			for _, tag := range Tags(value) {
				add(tagMark(tag))
			}
		}
		add(keyMarks + folded)
		add(valueMark(folded, value))
		if n, ok := Number(value); ok {
			digits := sortable(n)
			for i := range len(digits) {
				add(numberMark(folded, digits[:i+1]))
			}
			add(numberMark(folded, digits+formMark))
		}
	}
	return marks
}

// tagMark returns the mark of a tag, or "" if the text has no character that counts.
func tagMark(tag string) string {
	encoded := tagPrefix(strings.TrimLeft(strings.TrimSpace(tag), "#"))
	if strings.Trim(encoded[len(tagMarks):], formMark) == "" {
		return ""
	}
	return encoded
}

func tagPrefix(tag string) string {
	var b strings.Builder
	n := 0
	for _, r := range Fold(tag) {
		if n++; n > MaxTag {
			break
		}
		switch {
		case r == '"': // queries cannot contain it
		case r == '-' || r == '_' || unicode.IsSpace(r):
			b.WriteString(formMark)
		case classOf(r) != separator:
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteString(markSign + strconv.FormatInt(int64(r), 36) + markSign)
		}
	}
	return tagMarks + b.String()
}

func valueMark(key, value string) string {
	if n, ok := Number(value); ok {
		value = strconv.FormatFloat(n, 'g', -1, 64)
	}
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(Fold(value)), " ")))
	return valMarks + key + markSign + hex.EncodeToString(sum[:8])
}

func numberMark(key, digits string) string { return numMarks + key + markSign + digits }

// Number parses a value of the metadata that is a number.
func Number(value string) (n float64, ok bool) {
	value = strings.TrimSpace(value)
	if value == "" || strings.Trim(value, "0123456789+-.eE") != "" { // no hexadecimal number, infinity or NaN
		return 0, false
	}
	n, err := strconv.ParseFloat(value, 64)
	return n + 0, err == nil // without a negative zero
}

// sortable returns hexadecimal digits whose order as texts is that of the numbers. Zeros at the end are left out.
func sortable(n float64) string {
	bits := math.Float64bits(n)
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	var sum [8]byte
	binary.BigEndian.PutUint64(sum[:], bits)
	return strings.TrimRight(hex.EncodeToString(sum[:]), "0")
}

const hexDigits = "0123456789abcdef"

// beyond returns the marks of all numbers above or below the one with these digits: the beginnings of digits that differ
// from it in the last place.
func beyond(key, digits string, above bool) (marks []string) {
	for i := range len(digits) {
		if !above && i > 0 { // the number that has no more digits
			marks = append(marks, numberMark(key, digits[:i]+formMark))
		}
		for _, d := range hexDigits {
			if byte(d) != digits[i] && byte(d) > digits[i] == above {
				marks = append(marks, numberMark(key, digits[:i]+string(d)))
			}
		}
	}
	if above { // numbers with more digits
		for _, d := range hexDigits {
			marks = append(marks, numberMark(key, digits+string(d)))
		}
	}
	return marks
}

// addTag adds the operator tag.
func (q *Query) addTag(text string) bool {
	mark := tagMark(text)
	if mark == "" || slices.ContainsFunc(q.Marks, func(m []string) bool { return m[0] == mark }) {
		return false
	}
	return q.addMarks([]string{mark})
}

// addMarks adds a list of marks to the query; results have at least one of them. It returns false if the list is empty, or
// the query has too many lists.
func (q *Query) addMarks(alternatives []string) bool {
	q.Marks = append(q.Marks, alternatives)
	lists := 0
	for _, m := range q.Marks {
		if len(m) > 1 {
			lists++
		}
	}
	return len(alternatives) > 0 && lists <= maxLists
}

// leaveOutMarks leaves out results that have any of these marks. It returns false without a mark.
func (q *Query) leaveOutMarks(marks ...string) bool {
	q.Without = append(q.Without, markTerms(marks)...)
	return len(marks) > 0 && marks[0] != ""
}

func markTerms(marks []string) (all []Term) {
	for _, mark := range marks {
		all = append(all, Term{Words: []string{mark}})
	}
	return all
}

// comparison is a condition on a value of the metadata. Without an operator, the metadata have the key.
type comparison struct {
	key, operator, value string
}

// comparisonOf parses a condition such as year>=1970, or the name of a key.
func comparisonOf(text string) (c comparison, ok bool) {
	at := strings.IndexAny(text, "=<>!")
	if at < 0 {
		at = len(text)
	}
	c.key, text = strings.ToLower(text[:at]), text[at:]
	for _, c.operator = range []string{"!=", "<=", ">=", "=", "<", ">"} {
		if value, found := strings.CutPrefix(text, c.operator); found {
			c.value = strings.TrimSpace(value)
			break
		}
	}
	if c.key == "" || strings.Trim(c.key, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return c, false
	}
	if text == "" {
		c.operator = ""
		return c, true
	}
	return c, c.value != "" && utf8.ValidString(c.value)
}

// Where restricts a query to results whose metadata meet a condition such as year>=1970, or have a key, as the operator meta does. It
// returns false if the condition is malformed, or there are too many.
func (q Query) Where(condition string) (Query, bool) {
	q.Marks, q.Without, q.Plain = slices.Clone(q.Marks), slices.Clone(q.Without), ""
	ok := q.addComparison(condition)
	return q.settled().finished(), ok
}

// MetadataKey returns the metadata key that the query's first condition is about, or "".
func (q Query) MetadataKey() string {
	for _, p := range q.Parts {
		if c, ok := comparisonOf(p.Value); ok && p.Name == "meta" {
			return c.key
		}
	}
	return ""
}

// addComparison adds a condition on metadata. Documents without the key do not fulfil any.
func (q *Query) addComparison(text string) bool {
	c, ok := comparisonOf(text)
	if !ok {
		return false
	}
	key, value := []string{keyMarks + c.key}, valueMark(c.key, c.value)
	switch c.operator {
	case "":
		return q.addMarks(key)
	case "=":
		return q.addMarks([]string{value})
	case "!=":
		return q.addMarks(key) && q.leaveOutMarks(value)
	}
	n, ok := Number(c.value)
	marks := beyond(c.key, sortable(n), c.operator[0] == '>')
	if len(c.operator) == 2 {
		marks = append(marks, value)
	}
	return ok && q.addMarks(key) && q.addMarks(marks) // the key first, because it is a single word
}
