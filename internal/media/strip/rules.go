package strip

import (
	"regexp"
	"slices"
	"strings"
)

func set(names string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}

// elements are the elements of SVG 2 and of Filter Effects that draw or describe. They do not
// include script, foreignObject, animations (which could set a link after our check), feImage, and
// elements that embed documents.
var elements = set(`
	svg g defs symbol use switch title desc
	path rect circle ellipse line polyline polygon image
	text tspan textPath
	linearGradient radialGradient stop pattern clipPath mask marker
	filter feBlend feColorMatrix feComponentTransfer feComposite
	feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
	feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur
	feMerge feMergeNode feMorphology feOffset fePointLight
	feSpecularLighting feSpotLight feTile feTurbulence`)

// attributes are the attributes of those elements, without href.
var attributes = set(`
	id class style lang role transform viewBox preserveAspectRatio version
	x y x1 x2 y1 y2 cx cy r rx ry fx fy fr width height d points pathLength
	dx dy rotate textLength lengthAdjust startOffset method spacing side
	offset gradientUnits gradientTransform spreadMethod
	patternUnits patternContentUnits patternTransform
	clipPathUnits maskUnits maskContentUnits
	markerUnits markerWidth markerHeight refX refY orient
	filterUnits primitiveUnits in in2 result mode type values tableValues
	slope intercept amplitude exponent operator k1 k2 k3 k4 order kernelMatrix
	divisor bias targetX targetY edgeMode preserveAlpha surfaceScale
	diffuseConstant specularConstant specularExponent kernelUnitLength scale
	xChannelSelector yChannelSelector azimuth elevation z pointsAtX pointsAtY
	pointsAtZ limitingConeAngle radius stdDeviation baseFrequency numOctaves
	seed stitchTiles systemLanguage requiredExtensions

	alignment-baseline baseline-shift clip-path clip-rule color
	color-interpolation color-interpolation-filters direction display
	dominant-baseline fill fill-opacity fill-rule filter flood-color
	flood-opacity font-family font-size font-size-adjust font-stretch
	font-style font-variant font-weight image-rendering isolation
	letter-spacing lighting-color marker-end marker-mid marker-start mask
	mask-type mix-blend-mode opacity overflow paint-order shape-rendering
	stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset
	stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity
	stroke-width text-anchor text-decoration text-rendering
	transform-origin unicode-bidi vector-effect visibility white-space
	word-spacing writing-mode`)

var (
	fragment  = regexp.MustCompile(`^#[^\s"'()\\<>]+$`)
	inlined   = regexp.MustCompile(`^data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$`)
	localURL  = regexp.MustCompile(`(?i)url\(\s*(?:"#[^\s"'()\\<>]+"|'#[^\s"'()\\<>]+'|#[^\s"'()\\<>]+)\s*\)`)
	forbidden = []string{"url(", "src(", "image(", "image-set", "@", "\\", "expression", "behavior", "binding", "javascript:", "<"}
)

// attributeAllowed reports whether an element may have the attribute.
func attributeAllowed(element, name, value string) bool {
	if name == "href" || name == "xlink:href" {
		return fragment.MatchString(value) || element == "image" && inlined.MatchString(value)
	}
	return attributes[name] && inertCSS(value)
}

// inertCSS reports whether a style sheet, a declaration or a value only refers to parts of the
// file. It rejects escapes, which can hide names, and at-rules. It treats comments and strings
// like everything else.
func inertCSS(css string) bool {
	rest := strings.ToLower(localURL.ReplaceAllString(css, " "))
	return !slices.ContainsFunc(forbidden, func(word string) bool { return strings.Contains(rest, word) })
}
