package collect

import (
	"strings"
	"unicode"
)

// diffPart is a part of the difference between two texts.
type diffPart struct {
	Text  string
	Gone  bool // only in the old text
	Added bool // only in the new text
}

// maxEdits limits the work of a comparison, whose memory grows with its square.
const maxEdits = 400

// differenceOf compares two texts by words, or by lines if they differ much. Texts that have little in common are one part
// each. The parts that are not Added make up the old text, and those that are not Gone the new one.
func differenceOf(was, is string) []diffPart {
	for _, split := range []func(string) []string{byWord, byLine} {
		if parts, ok := difference(split(was), split(is)); ok {
			return parts
		}
	}
	return appendTexts(nil, []string{was}, []string{is})
}

// byLine splits a text after each line.
func byLine(text string) []string { return strings.SplitAfter(text, "\n") }

// byWord splits a text into words and the characters between them. Characters of scripts without spaces are words.
func byWord(text string) (all []string) {
	start, within := 0, false
	for i, r := range text {
		letter := (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
		if i > start && !(within && letter) {
			all = append(all, text[start:i])
			start = i
		}
		within = letter
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

// difference compares two lists with the algorithm of Myers, "An O(ND) Difference Algorithm and Its Variations". ok is
// false if they differ in more than maxEdits elements.
func difference(was, is []string) (parts []diffPart, ok bool) {
	before := 0
	for before < len(was) && before < len(is) && was[before] == is[before] {
		before++
	}
	after := 0
	for after < len(was)-before && after < len(is)-before && was[len(was)-1-after] == is[len(is)-1-after] {
		after++
	}
	a, b := was[before:len(was)-after], is[before:len(is)-after]
	numbers := map[string]int32{}
	rounds, ok := furthest(numbered(numbers, a), numbered(numbers, b))
	if !ok {
		return nil, false
	}
	// Follow the path back from the end, and collect its steps in reverse.
	var steps []diffPart
	x, y := len(a), len(b)
	for d := len(rounds) - 1; d >= 0; d-- {
		k := x - y
		toX, toY := 0, 0
		if d > 0 {
			last := rounds[d-1]
			from := k - 1
			if k == -d || k != d && reach(last, d-1, k-1) < reach(last, d-1, k+1) {
				from = k + 1
			}
			toX = reach(last, d-1, from)
			toY = toX - from
		}
		for x > toX && y > toY {
			x, y = x-1, y-1
			steps = append(steps, diffPart{Text: a[x]})
		}
		if x > toX {
			x--
			steps = append(steps, diffPart{Text: a[x], Gone: true})
		} else if y > toY {
			y--
			steps = append(steps, diffPart{Text: b[y], Added: true})
		}
	}
	parts = appendTexts(parts, was[:before], is[:before])
	for i := len(steps) - 1; i >= 0; {
		var gone, added []string
		for ; i >= 0 && (steps[i].Gone || steps[i].Added); i-- {
			if steps[i].Gone {
				gone = append(gone, steps[i].Text)
			} else {
				added = append(added, steps[i].Text)
			}
		}
		parts = appendTexts(parts, gone, added)
		for ; i >= 0 && !steps[i].Gone && !steps[i].Added; i-- {
			parts = appendTexts(parts, []string{steps[i].Text}, []string{steps[i].Text})
		}
	}
	return appendTexts(parts, was[len(was)-after:], is[len(is)-after:]), true
}

// numbered returns a number for each element, which are quicker to compare.
func numbered(numbers map[string]int32, all []string) []int32 {
	out := make([]int32, len(all))
	for i, one := range all {
		n, known := numbers[one]
		if !known {
			n = int32(len(numbers))
			numbers[one] = n
		}
		out[i] = n
	}
	return out
}

// furthest returns, for each number of edits, how far into a each diagonal reaches. The last one reaches the end.
func furthest(a, b []int32) (rounds [][]int32, ok bool) {
	for d := 0; d <= maxEdits; d++ {
		round := make([]int32, 2*d+1)
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				last := rounds[d-1]
				if k == -d || k != d && reach(last, d-1, k-1) < reach(last, d-1, k+1) {
					x = reach(last, d-1, k+1)
				} else {
					x = reach(last, d-1, k-1) + 1
				}
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			round[k+d] = int32(x)
			if x >= len(a) && x-k >= len(b) {
				return append(rounds, round), true
			}
		}
		rounds = append(rounds, round)
	}
	return nil, false
}

// reach returns how far the diagonal k reached with d edits.
func reach(round []int32, d, k int) int { return int(round[k+d]) }

// appendTexts adds texts to parts. Equal texts are one part that has not changed.
func appendTexts(parts []diffPart, gone, added []string) []diffPart {
	was, is := strings.Join(gone, ""), strings.Join(added, "")
	next := []diffPart{{Text: was, Gone: true}, {Text: is, Added: true}}
	if was == is {
		next = []diffPart{{Text: was}}
	}
	for _, p := range next {
		last := len(parts) - 1
		switch {
		case p.Text == "":
		case last >= 0 && parts[last].Gone == p.Gone && parts[last].Added == p.Added:
			parts[last].Text += p.Text
		default:
			parts = append(parts, p)
		}
	}
	return parts
}
