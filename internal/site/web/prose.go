package web

import (
	"html/template"
	"regexp"
	"strconv"

	"vitrine/internal/domain"
)

// headings matches the tags of headings in user texts.
var headings = regexp.MustCompile(`(</?h)([1-6])>`)

// prose returns a user's text for a page below a heading of a level. It shifts the text's headings
// below that level and closes gaps between their levels. The HTML was sanitized when it was stored
// (package markup).
func prose(t *domain.Text, level int) template.HTML {
	if t == nil {
		return ""
	}
	var used [7]bool
	for _, tag := range headings.FindAllStringSubmatch(t.HTML, -1) {
		n, _ := strconv.Atoi(tag[2]) // a digit
		used[n] = true
	}
	var shown [7]int
	for n := 1; n <= 6; n++ {
		if used[n] {
			level = min(level+1, 6)
			shown[n] = level
		}
	}
	return template.HTML(headings.ReplaceAllStringFunc(t.HTML, func(tag string) string {
		at := len(tag) - 2
		n, _ := strconv.Atoi(tag[at : at+1])
		return tag[:at] + strconv.Itoa(shown[n]) + ">"
	}))
}
