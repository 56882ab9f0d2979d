// Command entered counts the source files that a request enters: those with at least one executed
// statement, without generated code.
//
//	go -C tools run ./entered            print the number of files for each request; fail above its limit
//	go -C tools run ./entered -files     print the files too, by package
//
// It builds the program for coverage, with a hook that clears and returns the counters, starts it on an
// empty SQLite database and repeats each request until caches are warm. A file counts if every measured
// repetition entered it, and the server runs no jobs, so that work in the background does not count.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
)

// measured is how often a request is measured, and warm how often it is sent before that.
const (
	measured = 5
	warm     = 3
)

func main() {
	root := flag.String("root", "..", "folder of the repository")
	files := flag.Bool("files", false, "print the files, by package")
	flag.Parse()
	ok, err := run(*root, *files)
	if err != nil {
		fmt.Fprintln(os.Stderr, "entered:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run measures every request and reports whether all are within their limits.
func run(root string, list bool) (ok bool, err error) {
	s, err := start(root)
	if err != nil {
		return false, err
	}
	defer s.stop()
	requests, err := s.requests()
	if err != nil {
		return false, err
	}
	ok = true
	for _, r := range requests {
		entered, err := s.measure(r)
		if err != nil {
			return false, fmt.Errorf("%s: %w", r.name, err)
		}
		verdict := ""
		if len(entered) > r.limit {
			verdict, ok = ": too many", false
		}
		fmt.Printf("%4d files, at most %3d  %s%s\n", len(entered), r.limit, r.name, verdict)
		if list {
			printByPackage(entered)
		}
	}
	return ok, nil
}

func printByPackage(files []string) {
	byPackage := map[string][]string{}
	for _, f := range files {
		byPackage[path.Dir(f)] = append(byPackage[path.Dir(f)], path.Base(f))
	}
	names := slices.SortedFunc(maps.Keys(byPackage), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(byPackage[b]), len(byPackage[a])), cmp.Compare(a, b))
	})
	for _, name := range names {
		fmt.Printf("        %3d  %s: %v\n", len(byPackage[name]), name, byPackage[name])
	}
}
