package exporting

import "strings"

// An export is opened from disk, where browsers give pages no origin of their own and a double click
// runs programs. So entries that would be rendered with scripts or executed get an additional
// extension, which every system opens as text. The JSON of the export has their original names.
const inert = ".txt"

// unknown is the extension for a file of unknown type. Browsers sniff a file without an extension and
// may render it as HTML; they offer to save this one.
const unknown = ".bin"

// activeExtensions are the extensions of files that a browser renders with scripts, or that an
// operating system executes or follows.
var activeExtensions = words(`
	htm html xht xhtm xhtml shtm shtml mht mhtml eml hta htc svg svgz xml xsl xslt xsd dtd rss atom rdf owl kml gpx gml tcx amf xlf dae x3d xfdf mathml wsdl
	js mjs cjs wasm swf jar class jnlp crx xpi php
	url webloc website desktop lnk scf theme job contact application appref settings searchms
	exe com scr pif cpl dll sys msi msp mst msix appx bat cmd ps1 psm1 psd1 vb vbs vbe jse ws wsf wsh wsc sct reg inf chm hlp msc gadget iso img vhd
	sh bash zsh csh ksh fish command tool terminal workflow action scpt scptd applescript dmg pkg mpkg app macho dylib
	deb rpm apk elf so run appimage flatpakref snap py pyw pyc pl rb tcl lua`)

// activeTypes are the media types of active files, for files whose extension does not show it.
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

// entryExtension returns the extension of the entry for a file, with its dot. An SVG image keeps its
// own: scripts and links were removed when it was stored, and one that could not be cleaned has the
// type application/xml.
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
