package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A line is one line of text that people read.
type line struct {
	kind   string
	path   string // below the root, with slashes
	number int
	text   string
	doc    bool // the first line of a Go comment, which may begin with a name
}

// walk calls found for each line of the files below root that the project wrote.
func walk(root string, found func(line)) error {
	return filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		name := entry.Name()
		if entry.IsDir() {
			if skipped(rel, name) {
				return fs.SkipDir
			}
			return nil
		}
		read := readerOf(name)
		if read == nil || !entry.Type().IsRegular() {
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		read(rel, src, func(l line) {
			l.path = rel
			l.text = strings.TrimSpace(l.text)
			if strings.ContainsAny(strings.ToLower(l.text), "abcdefghijklmnopqrstuvwxyz") {
				found(l)
			}
		})
		return nil
	})
}

// skipped reports whether a folder contains no text of ours: other people's code, inputs of tests,
// build results, or the data of a server that was started in the repository.
func skipped(rel, name string) bool {
	return slices.Contains([]string{"node_modules", "testdata", "vendor"}, name) ||
		slices.Contains([]string{"bin", "dist", "data"}, rel) ||
		strings.HasPrefix(name, ".") && rel != "." && rel != ".ci"
}

type reader func(file string, src []byte, found func(line))

func readerOf(name string) reader {
	switch filepath.Ext(name) {
	case ".go":
		return readGo
	case ".md":
		return readMarkdown
	case ".js", ".mjs", ".css":
		return readSlashes
	case ".sql":
		return func(_ string, src []byte, found func(line)) { readMarked(src, "-- ", found) }
	case ".yaml", ".yml":
		return readYAML
	case ".sh":
		return readShell
	}
	if name == "Makefile" || name == "run" || name == "Dockerfile" {
		return readShell
	}
	return nil
}

func readShell(_ string, src []byte, found func(line)) { readMarked(src, "# ", found) }

// readGo finds comments, the messages of log lines, and what commands print: the help in
// struct tags and in fields such as Help, and the sentences in package cli.
func readGo(file string, src []byte, found func(line)) {
	if strings.Contains(string(src[:min(len(src), 2000)]), "Code generated") {
		return
	}
	kind := comments
	test := strings.HasSuffix(file, "_test.go")
	if test {
		kind = tests
	}
	files := token.NewFileSet()
	f := files.AddFile(file, -1, len(src))
	var s scanner.Scanner
	s.Init(f, src, func(token.Position, string) {}, scanner.ScanComments)
	var before [3]string // the last tokens: ".", a name, "("
	last := 0            // the line of the last comment
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return
		case token.COMMENT:
			first := f.Line(pos) != last+1
			readComment(lit, f.Line(pos), func(number int, text string) {
				found(line{kind: kind, number: number, text: text, doc: first})
				first, last = false, number
			})
			continue
		case token.STRING:
			text, err := strconv.Unquote(lit)
			if err != nil || test {
				break
			}
			number := f.Line(pos)
			switch {
			case strings.Contains(text, `help:"`):
				found(line{kind: help, number: number, text: reflect.StructTag(text).Get("help")})
			case before[2] == token.COLON.String() && strings.HasSuffix(before[1], "Help"):
				found(line{kind: help, number: number, text: text})
			case isLog(before):
				found(line{kind: logs, number: number, text: text})
			case strings.HasPrefix(file, "internal/cli/") && len(strings.Fields(text)) > 3:
				found(line{kind: help, number: number, text: text})
			}
		}
		switch {
		case tok == token.COMMA && isLog(before): // log.WarnContext(ctx, "…")
		case tok == token.IDENT && isLog(before) && (lit == "ctx" || lit == "c" || lit == "r"):
		default:
			before = [3]string{before[1], before[2], tok.String()}
			if tok == token.IDENT {
				before[2] = lit
			}
		}
	}
}

// isLog reports whether the tokens are the call of a logger.
func isLog(t [3]string) bool {
	return t[0] == "." && t[2] == "(" &&
		slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, strings.TrimSuffix(t[1], "Context"))
}

// readComment calls found for each line of a Go comment, without its slashes and stars.
// Directives such as //go:embed are skipped.
func readComment(lit string, number int, found func(number int, text string)) {
	if text, ok := strings.CutPrefix(lit, "//"); ok {
		if strings.HasPrefix(text, " ") {
			found(number, text)
		}
		return
	}
	for i, text := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(lit, "/*"), "*/"), "\n") {
		found(number+i, strings.Trim(text, " *\t"))
	}
}

// readSlashes finds the comments of scripts and styles.
func readSlashes(_ string, src []byte, found func(line)) {
	inside := false
	for i, text := range strings.Split(string(src), "\n") {
		rest := text
		for rest != "" {
			if inside {
				comment, after, ended := strings.Cut(rest, "*/")
				found(line{kind: comments, number: i + 1, text: strings.Trim(comment, " *\t")})
				inside, rest = !ended, after
				continue
			}
			block, slashes := strings.Index(rest, "/*"), commentAt(rest, "// ")
			if slashes >= 0 && (block < 0 || slashes < block) {
				found(line{kind: comments, number: i + 1, text: rest[slashes+3:]})
				break
			}
			if block < 0 {
				break
			}
			inside, rest = true, rest[block+2:]
		}
	}
}

// commentAt returns where a comment begins that a mark starts: at the beginning of the text
// or behind a space. It returns -1 if there is no comment.
func commentAt(text, mark string) int {
	if strings.HasPrefix(strings.TrimLeft(text, " \t"), mark) {
		return strings.Index(text, mark)
	}
	if i := strings.Index(text, " "+mark); i >= 0 {
		return i + 1
	}
	return -1
}

func readMarked(src []byte, mark string, found func(line)) {
	for i, text := range strings.Split(string(src), "\n") {
		if at := commentAt(text, mark); at >= 0 {
			found(line{kind: comments, number: i + 1, text: text[at+len(mark):]})
		}
	}
}

// readMarkdown finds the lines outside of blocks of code.
func readMarkdown(_ string, src []byte, found func(line)) {
	code := false
	for i, text := range strings.Split(string(src), "\n") {
		if strings.HasPrefix(strings.TrimSpace(text), "```") {
			code = !code
		} else if !code && !strings.HasPrefix(text, "    ") {
			found(line{kind: docs, number: i + 1, text: text})
		}
	}
}

// readYAML finds comments and, in the descriptions of the APIs, the values of summary and
// description.
func readYAML(file string, src []byte, found func(line)) {
	api := strings.HasPrefix(file, "api/")
	block := -1 // the indentation of the key whose value is being read, -1 outside
	for i, text := range strings.Split(string(src), "\n") {
		trimmed := strings.TrimLeft(text, " ")
		indent := len(text) - len(trimmed)
		if block >= 0 && (trimmed == "" || indent > block) {
			found(line{kind: descriptions, number: i + 1, text: trimmed})
			continue
		}
		block = -1
		if at := commentAt(text, "# "); at >= 0 {
			found(line{kind: comments, number: i + 1, text: text[at+2:]})
			continue
		}
		if !api {
			continue
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(trimmed, "- "), ":")
		if ok && (key == "description" || key == "summary") {
			block = indent
			if value = strings.TrimSpace(value); !strings.HasPrefix(value, "|") && !strings.HasPrefix(value, ">") {
				found(line{kind: descriptions, number: i + 1, text: value})
			}
		}
	}
}
