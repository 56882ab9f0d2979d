package exporting

import "strings"

// An export is opened from a disk, where a browser gives no page an origin of its own and a double
// click runs a program. So entries that would be rendered with scripts or run get one more
// extension, which every system opens as text. The JSON of the export has their own name.
const inert = ".txt"

// unknown is the extension of a file of no known type. Browsers look into a file without an
// extension and render what looks like HTML; this one they offer to save.
const unknown = ".bin"

// activeExtensions are those of files that a browser renders with scripts, or that an operating
// system runs or follows.
var activeExtensions = words(`
	htm html xht xhtm xhtml shtm shtml mht mhtml eml hta htc svg svgz xml xsl xslt xsd dtd rss atom rdf owl kml gpx gml tcx amf xlf dae x3d xfdf mathml wsdl
	js mjs cjs wasm swf jar class jnlp crx xpi php
	url webloc website desktop lnk scf theme job contact application appref settings searchms
	exe com scr pif cpl dll sys msi msp mst msix appx bat cmd ps1 psm1 psd1 vb vbs vbe jse ws wsf wsh wsc sct reg inf chm hlp msc gadget iso img vhd
	sh bash zsh csh ksh fish command tool terminal workflow action scpt scptd applescript dmg pkg mpkg app macho dylib
	deb rpm apk elf so run appimage flatpakref snap py pyw pyc pl rb tcl lua`)

// activeTypes are media types of the same, for files whose extension says nothing.
var activeTypes = words(`text/html application/xhtml+xml text/xml application/xml text/javascript application/javascript
	multipart/related message/rfc822 application/x-shockwave-flash application/vnd.microsoft.portable-executable
	application/x-executable application/x-elf application/x-sharedlib application/x-mach-binary application/x-ms-shortcut`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// entryExtension returns the extension, with its dot, of the entry for a file with an extension
// and a media type. An SVG image keeps its own: scripts and links were removed from it when it was
// stored, and one that could not be cleaned is application/xml.
func entryExtension(extension, contentType string) string {
	own := safeExtension(extension)
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	switch {
	case media == "image/svg+xml" && own == ".svg":
		return own
	case activeExtensions[strings.TrimPrefix(own, ".")], activeTypes[media], strings.HasSuffix(media, "+xml") && own != ".3mf" && own != ".vsdx":
		return own + inert
	case own == "":
		return unknown
	}
	return own
}
