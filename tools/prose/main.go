// Command prose measures how much of the repository's text reads as translated English.
//
//	go -C tools run ./prose            print the rate of each kind; fail above its limit
//	go -C tools run ./prose -lines     print the marked lines too, with the reason
//	go -C tools run ./prose -update    lower the limits to what was measured
//	git diff | go -C tools run ./prose -diff    print the marked lines that a diff adds
//
// The phrases are in phrases.go, the limits in tools/prose.txt.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The kinds of text, in the order of the report.
const (
	comments     = "comments"     // of the program, its scripts, styles, SQL and CI
	tests        = "tests"        // comments of tests
	docs         = "docs"         // Markdown
	help         = "help"         // what commands print
	logs         = "logs"         // messages of log lines
	descriptions = "descriptions" // of the APIs
)

var kinds = []string{comments, tests, docs, help, logs, descriptions}

// target is the highest acceptable rate per 100 lines.
const target = 1.0

func main() {
	root := flag.String("root", "..", "folder of the repository")
	lines := flag.Bool("lines", false, "print marked lines")
	only := flag.String("only", "", "print marked lines of files whose path begins with this")
	update := flag.Bool("update", false, "lower the limits to what was measured; limits never rise")
	diff := flag.Bool("diff", false, "read a diff from standard input and print the marked lines that it adds")
	flag.Parse()

	ok, err := true, error(nil)
	if *diff {
		ok, err = checkDiff(os.Stdin, os.Stdout)
	} else {
		ok, err = check(os.Stdout, *root, *lines || *only != "", *only, *update)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// check measures the files below root and reports whether all kinds are within their limits.
func check(w io.Writer, root string, list bool, only string, update bool) (bool, error) {
	limitsFile := filepath.Join(root, "tools", "prose.txt")
	limits, err := readLimits(limitsFile)
	if err != nil {
		return false, err
	}
	total, marked := map[string]int{}, map[string]int{}
	err = walk(root, func(l line) {
		total[l.kind]++
		m := mark(l.text, l.doc)
		if m == nil {
			return
		}
		marked[l.kind]++
		if list && strings.HasPrefix(l.path, only) {
			fmt.Fprintf(w, "%s:%d: %s: %s: %s\n", l.path, l.number, l.kind, m.name, l.text)
		}
	})
	if err != nil {
		return false, err
	}
	ok := true
	for _, kind := range kinds {
		rate := rate(marked[kind], total[kind])
		fmt.Fprintf(w, "%-13s %5d of %6d lines, %4.1f of 100 (limit %.1f, target %.1f)\n", kind, marked[kind], total[kind], rate, limits[kind], target)
		if rate > limits[kind] {
			ok = false
			fmt.Fprintf(w, "prose: %s: above the limit: see the lines by `go -C tools run ./prose -lines`, and CONTRIBUTING.md, Style\n", kind)
		}
		limits[kind] = min(limits[kind], max(target, math.Ceil(rate*10)/10))
	}
	if update {
		return ok, writeLimits(limitsFile, limits)
	}
	return ok, nil
}

// rate returns the marked lines per 100.
func rate(marked, total int) float64 {
	if total == 0 {
		return 0
	}
	return 100 * float64(marked) / float64(total)
}

// checkDiff prints the added lines of a unified diff that are marked. It does not know what is
// a comment, so it also prints marked lines of code.
func checkDiff(r io.Reader, w io.Writer) (ok bool, err error) {
	ok = true
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		text, added := strings.CutPrefix(in.Text(), "+")
		if !added || strings.HasPrefix(text, "++") {
			continue
		}
		text = strings.TrimSpace(text)
		comment, isComment := strings.CutPrefix(text, "// ")
		if m := mark(comment, isComment); m != nil {
			ok = false
			fmt.Fprintf(w, "%s: %s\n", m.name, text)
		}
	}
	return ok, in.Err()
}

const limitsHead = `# Marked lines per 100 that each kind of text may have. Limits only fall: after rewriting,
# run "go -C tools run ./prose -update". The target for each is 1.0.
`

func readLimits(file string) (map[string]float64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	limits := map[string]float64{}
	for _, text := range strings.Split(string(data), "\n") {
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		kind, value, _ := strings.Cut(text, " ")
		limit, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: want a kind and a number", file, text)
		}
		limits[kind] = limit
	}
	for _, kind := range kinds {
		if _, ok := limits[kind]; !ok {
			return nil, fmt.Errorf("%s: no limit for %s", file, kind)
		}
	}
	return limits, nil
}

func writeLimits(file string, limits map[string]float64) error {
	var b strings.Builder
	b.WriteString(limitsHead)
	for _, kind := range kinds {
		fmt.Fprintf(&b, "%-13s %.1f\n", kind, limits[kind])
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}
