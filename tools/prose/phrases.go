package main

import (
	"regexp"
	"strings"
)

// A phrase is a symptom of translated English. Cure the sentence, not the word.
type phrase struct {
	name  string
	words string         // in lower case; a line must contain one of them
	match *regexp.Regexp // what the line must match as well; nil for any
	but   *regexp.Regexp // idiomatic uses, which are removed before matching
}

func re(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }

// code matches what a text quotes, such as the names of flags.
var code = regexp.MustCompile("`[^`]*`")

var phrases = []phrase{
	{name: "a clause as a noun", words: "whoever whatever whomever", but: re(`or whatever|whatever (?:\w+ )?(?:happens|the)`)},
	{
		name: "a clause as a noun", words: "what",
		match: re(`(?:^|[,;:(]|\b(?:of|to|for|with|and|or|than|by|that|from|as|in|at|on|but|only|all)) what (?:is|was|are|were|has|had|have|it|they|he|she|we|a|an|the|one|people|users?|somebody|others|nothing|makes?|stands?|comes?|goes|can|may|must|needs?|follows?|belongs?|cannot)\b`),
		but:   re(`what (?:is|are|was|were) (?:this|that|these|those)\b|\b(?:and|or) what (?:is|are) the\b`),
	},
	{name: "a relative clause turned round", words: "which", match: re(`\bof which\b`)},
	{name: "a relative clause turned round", words: "whom"},
	{name: "an unusual word for again", words: "anew"},
	{name: "an unusual word for next to, or besides", words: "beside"},
	{name: "an unusual word for in the meantime", words: "meanwhile"},
	{name: "an unusual verb", words: "mend mends mended reckon reckons reckoned heed heeds heeded begun lest thereof shall"},
	{name: "none for no", words: "none", match: re(`\b(?:is|are|was|were|be) none\b`), but: re(`there (?:is|are|was|were) none`)},
	{name: "alone for only", words: "alone", but: re(`\b(?:left|leave|leaves|leaving|let) (?:\w+ )?alone|let alone|stand[- ]?alone`)},
	{name: "code does not stand", words: "stands stood", but: re(`stands? (?:for|in for)|stood up`)},
	{name: "code does not tell", words: "tell tells told", but: re(`tells? (?:apart|the user|people|users)|told apart`)},
	{name: "a private word", words: "door doors taker takers witness witnesses crowd pilot"},
	{name: "a private word", words: "room rooms", but: re(`make room|there is room|room (?:for|left|to|in|on)\b`)},
	{name: "a pronoun from a textbook", words: "one's"},
	{name: "where for if", words: "where", match: re(`\bwhere (?:there (?:is|are|was|were)|nothing|nobody|somebody|none|no (?:one|such))\b`)},
	{name: "an unusual verb for compare", words: "held hold holds holding", match: re(`\b(?:held|holds?|holding) (?:\w+ ){0,3}against\b|\b(?:is|are|be|was|were) held to\b`)},
}

// verbs begin the doc comment of an idiomatic function rarely: returns, reports, creates,
// deletes, writes, reads, parses, checks, starts and waits say what happens.
var verbs = wordSet("gives tells says has sees goes takes knows asks brings notes wants looks stands hears minds learns")

var byWord = func() map[string][]*phrase {
	index := map[string][]*phrase{}
	for i := range phrases {
		for w := range wordSet(phrases[i].words) {
			index[w] = append(index[w], &phrases[i])
		}
	}
	return index
}()

var verbPhrase = &phrase{name: "an unusual verb of a doc comment"}

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// mark returns the first phrase that a line contains, nil if it contains none. The first line of
// a comment may begin with a name.
func mark(text string, first bool) *phrase {
	lower := code.ReplaceAllString(strings.ToLower(text), "`")
	place := 0
	for w := range strings.FieldsFuncSeq(lower, notInWord) {
		place++
		if first && place == 2 && verbs[w] && startsWithName(text) {
			return verbPhrase
		}
		for _, p := range byWord[w] {
			if p.in(lower) {
				return p
			}
		}
	}
	return nil
}

func notInWord(r rune) bool {
	return !('a' <= r && r <= 'z' || r == '\'' || r == '_' || '0' <= r && r <= '9')
}

// startsWithName reports whether a comment starts with an identifier and a space, as doc
// comments do. Articles and pronouns are no identifiers.
func startsWithName(text string) bool {
	name, _, _ := strings.Cut(text, " ")
	return !strings.ContainsAny(name, ".,;:()`\"") && !articles[strings.ToLower(name)]
}

var articles = wordSet("it this that he she who which what nothing nobody somebody everybody everyone each one sqlite postgresql river and or the a an")

// in reports whether a line in lower case contains the phrase other than in an idiomatic use.
func (p *phrase) in(lower string) bool {
	rest := lower
	if p.but != nil {
		if rest = p.but.ReplaceAllString(lower, ""); rest != lower && !containsWord(rest, p.words) {
			return false
		}
	}
	return p.match == nil || p.match.MatchString(rest)
}

func containsWord(lower, words string) bool {
	set := wordSet(words)
	for w := range strings.FieldsFuncSeq(lower, notInWord) {
		if set[w] {
			return true
		}
	}
	return false
}
