package web

import (
	"html/template"
	"regexp"
	"strconv"

	"vitrine/internal/domain"
)

// headings are the tags of headings in what people wrote.
var headings = regexp.MustCompile(`(</?h)([1-6])>`)

// prose is what somebody wrote, as it stands on a page below a heading of a level: its own
// headings come below that, and those that it leaves out are left out here, so that no level is
// missing. The HTML was made safe when it was written (package markup).
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
