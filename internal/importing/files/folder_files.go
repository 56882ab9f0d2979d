package files

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
	"vitrine/internal/markup"
)

// written reads a text file, as Markdown unless it is plain, into the content of a Text block. It
// does not read a file that is longer than a text may be.
func written(it *source.Item, plainText bool, file io.ReadSeeker, size int64) (read bool, why string) {
	if size > domain.MaxMarkdown*utf8.UTFMax {
		return false, ""
	}
	decoded, err := source.TextOf(file)
	if err != nil {
		return false, unreadable(err)
	}
	content, err := io.ReadAll(io.LimitReader(decoded, domain.MaxMarkdown*utf8.UTFMax+1))
	if err != nil {
		return false, unreadable(err)
	}
	markdown := strings.TrimSpace(string(content))
	if plainText {
		markdown = markup.Escape(markdown)
	}
	if max(utf8.RuneCount(content), utf8.RuneCountInString(markdown)) > domain.MaxMarkdown || bytes.ContainsRune(content, utf8.RuneError) {
		return false, ""
	}
	if it.Content = markdown; it.Content == "" {
		return false, "it is empty"
	}
	it.Kind = source.Text
	if it.ID, err = sumOf(file); err != nil {
		return false, unreadable(err)
	}
	return true, ""
}

// maxShortcut is how many bytes of a shortcut are read.
const maxShortcut = 64 << 10

// shortcut creates a link from a file that contains an address.
func shortcut(it *source.Item, extension string, file io.Reader) (why string) {
	file = io.LimitReader(file, maxShortcut)
	var address string
	var err error
	if extension == ".url" {
		address, err = ofURL(file)
	} else {
		address, err = ofWebloc(file)
	}
	if err != nil {
		return unreadable(err)
	}
	it.Kind = source.Link
	it.Address, it.ID, why = source.LinkOf(address)
	it.FormerID = source.FormerID(address, it.ID)
	return why
}

// ofURL reads a Windows shortcut: URL=… below [InternetShortcut].
func ofURL(file io.Reader) (string, error) {
	in, err := source.TextOf(file)
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(in)
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if strings.EqualFold(strings.TrimSpace(name), "url") {
			return strings.TrimSpace(value), err
		}
	}
	return "", err
}

// ofWebloc reads a macOS shortcut: a property list in XML or binary.
func ofWebloc(file io.Reader) (string, error) {
	content, err := io.ReadAll(file)
	if err != nil {
		return "", err
	}
	if bytes.HasPrefix(content, []byte("bplist")) {
		return ofBinary(content), nil
	}
	decoder := xml.NewDecoder(bytes.NewReader(content))
	isURL, name := false, ""
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		if err != nil {
			return "", errors.New("it is no shortcut of macOS")
		}
		switch token := token.(type) {
		case xml.StartElement:
			name = token.Name.Local
		case xml.EndElement:
			name = ""
		case xml.CharData:
			if name == "key" {
				isURL = string(token) == "URL"
			} else if name == "string" && isURL {
				return string(token), nil
			}
		}
	}
}

// ofBinary finds the only address in a binary property list. An ASCII string follows a byte with 5
// in its high half and the length in its low half. If the low half is 15, the length follows as a
// number of one or two bytes.
func ofBinary(content []byte) string {
	i := bytes.Index(content, []byte("http"))
	length := 0
	switch {
	case i >= 3 && content[i-3] == 0x5F && content[i-2] == 0x10:
		length = int(content[i-1])
	case i >= 4 && content[i-4] == 0x5F && content[i-3] == 0x11:
		length = int(binary.BigEndian.Uint16(content[i-2:]))
	case i >= 1 && content[i-1]>>4 == 5:
		length = int(content[i-1] & 0xF)
	}
	if i < 0 || i+length > len(content) {
		return ""
	}
	return string(content[i : i+length])
}

// compareNatural compares names with numbers by value: "2" before "10", without regard to case.
func compareNatural(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for a != "" && b != "" {
		digitsA, digitsB := digits(a), digits(b)
		if digitsA == 0 || digitsB == 0 {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		numberA, numberB := strings.TrimLeft(a[:digitsA], "0"), strings.TrimLeft(b[:digitsB], "0")
		if len(numberA) != len(numberB) {
			return len(numberA) - len(numberB)
		}
		if c := strings.Compare(numberA, numberB); c != 0 {
			return c
		}
		a, b = a[digitsA:], b[digitsB:]
	}
	return len(a) - len(b)
}

// digits returns the number of digits at the beginning of a text.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
