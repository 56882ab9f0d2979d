package syncing

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Names in a folder that are not content.
const (
	ownFolder = ".vitrine"  // state, lock, unfinished files and trash
	indexFile = "_index.md" // about a channel: its title and order
	noteExt   = ".md"
	untitled  = "Untitled"

	maxStem   = 100 // bytes of a file name without its extension
	maxDepth  = 8   // folders below each other
	maxSuffix = 10_000
)

// devices are names that Windows reserves, with any extension.
var devices = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)`)

// conflicts matches the names of copies that a conflict left, which are not sent to the server.
var conflicts = regexp.MustCompile(`\(conflict \d{4}-\d\d-\d\d [^()]*\)(\.|$)`)

// safeStem converts a title to a file name without an extension that Windows, macOS and Linux accept, and that a link of
// Obsidian can contain.
func safeStem(title string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToValidUTF8(title, "")) {
		switch {
		case unicode.IsControl(r), strings.ContainsRune(`<>:"/\|?*#^[]`, r):
			r = ' '
		case unicode.IsDigit(r) && strings.HasSuffix(b.String(), "~"): // short names of Windows, such as VITRIN~1
			b.WriteByte('-')
		case unicode.Is(unicode.Cf, r) && r != '\u200d', r == unicode.ReplacementChar:
			continue
		}
		b.WriteRune(r)
	}
	stem := strings.Join(strings.Fields(b.String()), " ")
	stem = strings.ReplaceAll(stem, "(conflict ", "(Conflict ")
	stem = strings.Trim(cutStem(stem), ".~ \u200d")
	if device := devices.FindStringSubmatch(stem); device != nil {
		stem = device[1] + "_" + stem[len(device[1]):]
	}
	index := key(strings.ReplaceAll(stem, "\u200d", "")) // HFS+ ignores joiners
	if stem == "" || index == indexFile || index+noteExt == indexFile {
		return untitled
	}
	if ignored(stem) { // the folder of a channel with this title
		stem += "_"
	}
	return stem
}

// cutStem returns as much of a name as a file name may have.
func cutStem(stem string) string {
	if len(stem) <= maxStem {
		return stem
	}
	end := maxStem
	for end > 0 && !utf8.RuneStart(stem[end]) {
		end--
	}
	return stem[:end]
}

// stemOf returns the name of a file without folder and extension.
func stemOf(name string) string {
	base := path.Base(name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// isSpelling reports whether two paths are the same except for case and normal form.
func isSpelling(a, b string) bool { return a != b && key(a) == key(b) }

// key returns the form of a path in which two names are equal if any file system treats them as the same.
func key(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// ignored reports whether a file or folder is not synchronized: hidden and temporary files, and copies of conflicts.
func ignored(base string) bool {
	lower := strings.ToLower(base)
	switch {
	case strings.HasPrefix(base, "."), strings.HasPrefix(base, "~"), strings.HasSuffix(base, "~"), strings.HasPrefix(base, "#") && strings.HasSuffix(base, "#"):
		return true
	case lower == "desktop.ini", lower == "thumbs.db", conflicts.MatchString(base):
		return true
	}
	switch path.Ext(lower) {
	case ".tmp", ".temp", ".swp", ".swx", ".part", ".partial", ".crdownload", ".unfinished", ".bak":
		return true
	}
	return false
}

// free returns the first of the names "stem", "stem 2" and so on for which taken is false.
func free(stem string, taken func(stem string) bool) (string, error) {
	name := stem
	for i := 2; taken(name); i++ {
		if i > maxSuffix {
			return "", errOne{fmt.Errorf("%q: too many files with this name", stem)}
		}
		name = fmt.Sprintf("%s %d", stem, i)
	}
	return name, nil
}

// conflictStem returns the name of a copy of a file.
func conflictStem(stem, day, host string) string {
	host = strings.NewReplacer("(", "", ")", "").Replace(safeStem(host))
	return fmt.Sprintf("%s (conflict %s %s)", cutStem(stem), day, host)
}
