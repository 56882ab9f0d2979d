package exporting

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxName is how many bytes of a title a name has: with what is put before and behind it, it
// stays below the 255 of most file systems, and paths below the 260 characters of Windows.
const maxName = 80

// safeName makes a part of a file name of any text: letters, digits and hyphens alone, so that no
// file system takes it for a path, a device or something hidden. It may be empty; what is put
// before or behind it makes it unique.
func safeName(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFC.String(text) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			gap = b.Len() > 0
			continue
		}
		if b.Len()+len("-")+len(string(r)) > maxName {
			break
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// named is a file name of a title and an id, which makes it unique.
func named(title string, id int64, extension string) string {
	if name := safeName(title); name != "" {
		return fmt.Sprintf("%s-%d%s", name, id, extension)
	}
	return fmt.Sprintf("%d%s", id, extension)
}

// safeExtension is an extension with its dot, "" where it is none that is harmless.
func safeExtension(extension string) string {
	extension = strings.ToLower(strings.TrimPrefix(extension, "."))
	if extension == "" || len(extension) > 10 || strings.ContainsFunc(extension, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		return ""
	}
	return "." + extension
}

// numbered is the name of a file at a position of a channel: in the order of names they stand as
// they do there.
func numbered(position, of int64, title, extension string) string {
	width := len(fmt.Sprint(of))
	if name := safeName(title); name != "" {
		return fmt.Sprintf("%0*d-%s%s", width, position, name, extension)
	}
	return fmt.Sprintf("%0*d%s", width, position, extension)
}

// stem is a file's name without its extension.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// packed are the extensions of files that are compressed already.
var packed = map[string]bool{".jpg": true, ".jpeg": true, ".png": true, ".gif": true, ".webp": true, ".avif": true, ".heic": true,
	".mp3": true, ".mp4": true, ".m4a": true, ".mov": true, ".webm": true, ".ogg": true, ".oga": true, ".ogv": true, ".zip": true,
	".gz": true, ".epub": true, ".docx": true, ".pptx": true, ".xlsx": true, ".pdf": true, ".7z": true, ".zst": true, ".woff2": true}

// safeExtensionOf is the extension of a name with its dot.
func safeExtensionOf(name string) string { return safeExtension(path.Ext(name)) }
