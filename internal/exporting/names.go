package exporting

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxName limits the bytes of a title in a file name. With its prefix and suffix, a name stays
// below the 255 bytes of most file systems, and a path below the 260 characters of Windows.
const maxName = 80

// safeName converts a text to a part of a file name with only letters, digits and hyphens, so that
// no file system treats it as a path, device or hidden file. It may be empty; callers add an ID or
// number to make it unique.
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

// named returns a file name of a title and an ID, which makes it unique.
func named(title string, id int64, extension string) string {
	if name := safeName(title); name != "" {
		return fmt.Sprintf("%s-%d%s", name, id, extension)
	}
	return fmt.Sprintf("%d%s", id, extension)
}

// safeExtension returns a harmless extension with its dot, or "".
func safeExtension(extension string) string {
	extension = strings.ToLower(strings.TrimPrefix(extension, "."))
	if extension == "" || len(extension) > 10 || strings.ContainsFunc(extension, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		return ""
	}
	return "." + extension
}

// numbered returns the name of a file at a position of a channel. Sorting by name gives the
// channel's order.
func numbered(position, of int64, title, extension string) string {
	width := len(fmt.Sprint(of))
	if name := safeName(title); name != "" {
		return fmt.Sprintf("%0*d-%s%s", width, position, name, extension)
	}
	return fmt.Sprintf("%0*d%s", width, position, extension)
}

// stem returns a file's name without its extension.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// packed are the extensions of compressed file formats.
var packed = map[string]bool{".jpg": true, ".jpeg": true, ".png": true, ".gif": true, ".webp": true, ".avif": true, ".heic": true,
	".mp3": true, ".mp4": true, ".m4a": true, ".mov": true, ".webm": true, ".ogg": true, ".oga": true, ".ogv": true, ".zip": true,
	".gz": true, ".epub": true, ".docx": true, ".pptx": true, ".xlsx": true, ".pdf": true, ".7z": true, ".zst": true, ".woff2": true}

// safeExtensionOf returns the safe extension of a name.
func safeExtensionOf(name string) string { return safeExtension(path.Ext(name)) }
