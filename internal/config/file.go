package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	toml "github.com/pelletier/go-toml/v2/unstable"
)

// maxConfigFile is the maximum size in bytes of a configuration file, and of a file that it names.
const maxConfigFile = 1 << 20

// maxFileProblems is the number of problems after which the rest of the file is not checked.
const maxFileProblems = 20

// configFile is a configuration file: flat TOML with the flags as keys.
type configFile struct {
	path          string
	values        layers
	secret        bool // it contains a secret
	readableByAll bool
	broken        bool // no value could be used
}

// readConfigFile reads a configuration file. An empty path means no file. Problems do not
// contain values, which may be secrets.
func readConfigFile(path string) (file configFile, found problems) {
	if path == "" {
		return configFile{}, nil
	}
	file = configFile{path: path, values: layers{}}
	data, err := file.read()
	if err == nil && !utf8.Valid(data) {
		err = fmt.Errorf("the file %s is not valid UTF-8", path)
	}
	if err != nil {
		file.broken = true
		found.addErr(configFlag, err)
		return file, found
	}
	declared := map[string]Declaration{}
	for _, d := range Declarations() {
		if d.Flag != configFlag {
			declared[d.Flag] = d
		}
	}
	var p toml.Parser
	p.Reset(data)
	for p.NextExpression() {
		if err := file.add(&p, p.Expression(), declared); err != nil {
			found = append(found, err)
		}
		if len(found) == maxFileProblems {
			return file, append(found, fmt.Errorf("%s: the rest of the file was not checked because of these errors", path))
		}
	}
	if err := p.Error(); err != nil {
		file.broken = true
		return file, append(found, file.syntaxError(&p, err))
	}
	return file, found
}

func (f *configFile) read() ([]byte, error) {
	in, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	data, err := readAll(in)
	if info, statErr := in.Stat(); statErr == nil && runtime.GOOS != "windows" { // whose files have no such permissions
		f.readableByAll = info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), err // some editors write a byte order mark
}

// readAll reads a file of at most maxConfigFile bytes.
func readAll(in *os.File) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxConfigFile+1))
	if err == nil && len(data) > maxConfigFile {
		err = fmt.Errorf("the file %s is larger than 1 MiB", in.Name())
	}
	return data, err
}

// readFile reads a file that a setting names.
func readFile(path string) ([]byte, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return readAll(in)
}

// syntaxError returns the error of the parser with its line. The message contains at most one
// character of the file.
func (f *configFile) syntaxError(p *toml.Parser, err error) error {
	line, message := 1+bytes.Count(p.Data(), []byte("\n")), err.Error()
	if at, ok := errors.AsType[*toml.ParserError](err); ok {
		line, message = p.Shape(p.Range(at.Highlight)).Start.Line, at.Message
	}
	return fmt.Errorf("%s:%d: not valid TOML: %s", f.path, line, message)
}

// add adds one line of the file.
func (f *configFile) add(p *toml.Parser, e *toml.Node, declared map[string]Declaration) error {
	if e.Kind != toml.KeyValue && e.Kind != toml.Table && e.Kind != toml.ArrayTable {
		return nil
	}
	var names []string
	from := origin{source: fromFile, name: f.path}
	for key := e.Key(); key.Next(); {
		names = append(names, string(key.Node().Data))
		if from.line == 0 {
			from.line = p.Shape(key.Node().Raw).Start.Line
		}
	}
	key := shownKey(strings.Join(names, "."))
	problem := func(format string, args ...any) error {
		return Problem{Flag: key, Place: from.place(), Message: fmt.Sprintf(format, args...)}
	}
	if e.Kind != toml.KeyValue {
		return problem("tables are not supported: write all settings without a [heading]")
	}
	d, ok := declared[key]
	if !ok || len(names) > 1 {
		if similar := closestFlag(key); similar != "" {
			return problem("no such setting, did you mean %s?", similar)
		}
		return problem("no such setting")
	}
	if earlier, again := f.values[key]; again {
		return problem("also set in line %d", earlier.origin.line)
	}
	text, err := d.tomlText(e.Value())
	if err != nil {
		return problem("%v", err)
	}
	f.values.set(key, text, from)
	f.secret = f.secret || d.hide != nil && d.hide(text) != text
	return nil
}

// shownKey returns a key as it is in messages: short and on one line.
func shownKey(key string) string {
	if key == "" || len(key) > 100 {
		return fmt.Sprintf("%.100q", key)
	}
	return shownPath(key)
}

// shownPath returns a path as it is in messages: on one line.
func shownPath(path string) string {
	if strings.ContainsFunc(path, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return strconv.Quote(path)
	}
	return path
}

// closestFlag returns the most similar setting, or "" if none is similar.
func closestFlag(key string) string {
	var names []string
	for _, d := range Declarations() {
		if d.Flag != configFlag {
			names = append(names, d.Env())
		}
	}
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(closest(envName(key), names), "VITRINE_"), "_", "-"))
}

// literal reports whether values are numbers or booleans in the configuration file, which have no
// quotes.
func (d Declaration) literal() bool {
	return d.Placeholder == "BOOL" || d.Placeholder == "N" || d.Placeholder == "RATIO"
}

// list reports whether a value has several items, which may be an array in the configuration file.
func (d Declaration) list() bool { return strings.HasSuffix(d.Placeholder, ",…") }

// tomlText returns the text of a value in the configuration file.
func (d Declaration) tomlText(value *toml.Node) (string, error) {
	switch {
	case value.Kind == toml.String && !d.literal():
		text := string(value.Data)
		if strings.Contains(text, "\x00") {
			return "", errors.New("must not contain NUL")
		}
		return text, nil
	case value.Kind == toml.Bool && d.Placeholder == "BOOL":
		return string(value.Data), nil
	case value.Kind == toml.Integer && (d.Placeholder == "N" || d.Placeholder == "RATIO" || d.Placeholder == "SIZE"):
		n, err := strconv.ParseInt(string(value.Data), 0, 64)
		if err != nil {
			return "", errors.New("the number is too large")
		}
		return strconv.FormatInt(n, 10), nil
	case value.Kind == toml.Float && d.Placeholder == "RATIO":
		return strings.ReplaceAll(string(value.Data), "_", ""), nil
	case value.Kind == toml.Array && d.list():
		return d.arrayText(value)
	}
	switch {
	case d.Placeholder == "BOOL":
		return "", errors.New("want true or false, without quotes")
	case d.Placeholder == "N":
		return "", errors.New("want a whole number, without quotes")
	case d.literal():
		return "", errors.New("want a number, without quotes")
	case d.Placeholder == "SIZE":
		return "", errors.New(`want a size in quotes, such as "1MiB", or a whole number of bytes`)
	case d.list():
		return "", errors.New("want a text in quotes, or a list of texts in brackets")
	}
	return "", errors.New("want a text in quotes")
}

// arrayText joins the items of an array with commas.
func (d Declaration) arrayText(array *toml.Node) (string, error) {
	var items []string
	for item := array.Children(); item.Next(); {
		if item.Node().Kind == toml.Comment {
			continue
		}
		text := string(item.Node().Data)
		if item.Node().Kind != toml.String {
			return "", errors.New("want a list of texts in quotes")
		}
		if strings.Contains(strings.ReplaceAll(text, `\,`, ""), ",") {
			return "", errors.New(`an item of the list must not contain a comma: write it as \, if it is part of a name, or write two items`)
		}
		if strings.ContainsAny(text, "\x00") {
			return "", errors.New("must not contain NUL")
		}
		items = append(items, text)
	}
	return joinTexts(items), nil
}
