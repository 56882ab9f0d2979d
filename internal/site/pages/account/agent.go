package account

import (
	"strings"
	"unicode/utf8"

	"vitrine/internal/site/web"
)

// browser describes a User-Agent in a few words, so that people recognize their browsers.
func browser(v *web.Visit, agent string) string {
	name := firstNamed(agent, "Edg/:Edge", "OPR/:Opera", "Firefox/:Firefox", "FxiOS/:Firefox", "Chromium/:Chromium",
		"Chrome/:Chrome", "CriOS/:Chrome", "Safari/:Safari")
	system := firstNamed(agent, "iPhone:iPhone", "iPad:iPad", "Android:Android", "Windows:Windows", "Mac OS X:macOS",
		"CrOS:ChromeOS", "Linux:Linux", "BSD:BSD")
	switch {
	case name != "" && system != "":
		return v.T("account.sessions.browser", name, system)
	case name+system != "":
		return name + system
	case agent == "":
		return v.T("account.sessions.unknown")
	}
	return shorten(agent, 60)
}

// firstNamed returns the word of the first "mark:word" whose mark the text contains.
func firstNamed(text string, marks ...string) string {
	for _, m := range marks {
		if mark, word, _ := strings.Cut(m, ":"); strings.Contains(text, mark) {
			return word
		}
	}
	return ""
}

// shorten truncates a text to a number of characters.
func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
