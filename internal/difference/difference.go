// Package difference compares texts.
package difference

import (
	"slices"
	"strings"
	"unicode"
)

// Kind is the text of a comparison that contains a part: both, or only one.
type Kind string

// The kinds of parts.
const (
	Kept    Kind = "kept" // both texts
	Removed Kind = "removed"
	Added   Kind = "added"
)

// Part is a part of the comparison of two texts.
type Part struct {
	Kind Kind
	Text string
}

// Limits of the edits between two texts. The memory of a comparison grows with their square: 0.6 and 9 MB.
const (
	maxWordEdits = 400
	maxLineEdits = 1_500
)

// Words compares two texts by words, or by lines if they differ in more than maxWordEdits words. The parts that are not Added
// make up the old text, and those that are not Removed the new one.
func Words(was, is string) []Part {
	parts, ok := compare(byWord(was), byWord(is), maxWordEdits)
	if !ok {
		parts, _ = compare(strings.SplitAfter(was, "\n"), strings.SplitAfter(is, "\n"), maxWordEdits)
	}
	return joined(parts)
}

// Lines compares the lines of two texts that are not blank. Each is a part. If they differ in more than maxLineEdits lines, all
// old ones come before all new ones, except those that are equal at the beginning and the end.
func Lines(was, is string) []Part {
	parts, _ := compare(lines(was), lines(is), maxLineEdits)
	return parts
}

func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

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

// compare compares two lists. Where they differ, removed elements come before added ones. ok is false if they differ in more
// than limit elements; then everything between their equal beginnings and ends counts as different.
func compare(was, is []string, limit int) (parts []Part, ok bool) {
	start := 0
	for start < min(len(was), len(is)) && was[start] == is[start] {
		start++
	}
	end := 0
	for end < min(len(was), len(is))-start && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	a, b := was[start:len(was)-end], is[start:len(is)-end]
	numbers := map[string]int32{}
	rounds, ok := furthest(numbered(numbers, a), numbered(numbers, b), limit)
	parts = appendAll(nil, Kept, was[:start])
	if ok {
		parts = append(parts, path(rounds, a, b)...)
	} else {
		parts = appendAll(appendAll(parts, Removed, a), Added, b)
	}
	return appendAll(parts, Kept, was[len(was)-end:]), ok
}

func appendAll(parts []Part, kind Kind, texts []string) []Part {
	for _, text := range texts {
		parts = append(parts, Part{kind, text})
	}
	return parts
}

// numbered returns a number for each element, since numbers are quicker to compare.
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

// furthest returns, for each number of edits, how far into a each diagonal reaches (Myers, "An O(ND) Difference Algorithm and Its
// Variations"). The last round reaches the end. ok is false if that takes more than limit edits.
func furthest(a, b []int32, limit int) (rounds [][]int32, ok bool) {
	for d := 0; d <= limit; d++ {
		round := make([]int32, 2*d+1)
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				x = step(rounds[d-1], d, k)
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

// step returns how far the edit d reaches on the diagonal k, after the round before it.
func step(last []int32, d, k int) int {
	if fromAbove(last, d, k) {
		return reach(last, d-1, k+1)
	}
	return reach(last, d-1, k-1) + 1
}

// fromAbove reports whether the edit d reaches the diagonal k furthest by an addition.
func fromAbove(last []int32, d, k int) bool {
	return k == -d || k != d && reach(last, d-1, k-1) < reach(last, d-1, k+1)
}

// reach returns how far the diagonal k reached with d edits.
func reach(round []int32, d, k int) int { return int(round[k+d]) }

// path follows the edits back from the end.
func path(rounds [][]int32, a, b []string) (parts []Part) {
	x, y := len(a), len(b)
	for d := len(rounds) - 1; d >= 0; d-- {
		toX, toY := 0, 0
		if d > 0 {
			from := x - y - 1
			if fromAbove(rounds[d-1], d, x-y) {
				from = x - y + 1
			}
			toX = reach(rounds[d-1], d-1, from)
			toY = toX - from
		}
		for x > toX && y > toY {
			x, y = x-1, y-1
			parts = append(parts, Part{Kept, a[x]})
		}
		if x > toX {
			x--
			parts = append(parts, Part{Removed, a[x]})
		} else if y > toY {
			y--
			parts = append(parts, Part{Added, b[y]})
		}
	}
	slices.Reverse(parts)
	for start := 0; start < len(parts); {
		end := start
		for end < len(parts) && parts[end].Kind != Kept {
			end++
		}
		slices.SortStableFunc(parts[start:end], func(p, q Part) int { return order(p.Kind) - order(q.Kind) })
		start = end + 1
	}
	return parts
}

// order puts removals first.
func order(k Kind) int {
	if k == Removed {
		return 0
	}
	return 1
}

// joined joins consecutive parts of a kind.
func joined(parts []Part) (all []Part) {
	for start := 0; start < len(parts); {
		var text strings.Builder
		kind, end := parts[start].Kind, start
		for ; end < len(parts) && parts[end].Kind == kind; end++ {
			text.WriteString(parts[end].Text)
		}
		all = append(all, Part{kind, text.String()})
		start = end
	}
	return all
}
