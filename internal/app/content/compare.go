package content

import "strings"

// Change is a line of a comparison of two texts.
type Change struct {
	Kind ChangeKind
	Text string
}

// ChangeKind is the text of a comparison that has a line: both, or only one.
type ChangeKind string

// The kinds of changes.
const (
	Kept    ChangeKind = "kept"
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
)

// maxCompared is the maximum number of differing lines of each text that are compared line by line. Comparing takes time
// and memory for each pair of lines.
const maxCompared = 1_500

// Compare returns the lines of two texts, and which of them only one has. If there are too many differences, it returns
// the differing part of the old text before that of the new one.
func Compare(before, after string) []Change {
	was, is := textLines(before), textLines(after)
	start := 0
	for start < min(len(was), len(is)) && was[start] == is[start] {
		start++
	}
	end := 0
	for end < min(len(was), len(is))-start && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	var all []Change
	add := func(kind ChangeKind, lines []string) {
		for _, line := range lines {
			all = append(all, Change{kind, line})
		}
	}
	add(Kept, was[:start])
	old, fresh := was[start:len(was)-end], is[start:len(is)-end]
	if len(old) > maxCompared || len(fresh) > maxCompared {
		add(Removed, old)
		add(Added, fresh)
	} else {
		all = append(all, differences(old, fresh)...)
	}
	add(Kept, was[len(was)-end:])
	return all
}

// textLines returns the lines of a text that are not blank.
func textLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// differences compares lines by their longest common subsequence.
func differences(was, is []string) (all []Change) {
	width := len(is) + 1
	common := make([]uint16, (len(was)+1)*width) // lengths for the rest of both, from each pair of lines on
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(is) - 1; j >= 0; j-- {
			if was[i] == is[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(was) || j < len(is) {
		switch {
		case i < len(was) && j < len(is) && was[i] == is[j]:
			all = append(all, Change{Kept, was[i]})
			i, j = i+1, j+1
		case j == len(is) || i < len(was) && common[(i+1)*width+j] >= common[i*width+j+1]:
			all = append(all, Change{Removed, was[i]})
			i++
		default:
			all = append(all, Change{Added, is[j]})
			j++
		}
	}
	return all
}
