package web

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The contrast of text is at least 4.5 to 1, and that of the edge of a field 3 to 1 (WCAG 2.2,
// 1.4.3 and 1.4.11), in both colour schemes.
func TestContrast(t *testing.T) {
	t.Parallel()
	light, dark, found := strings.Cut(string(sheet(assetFiles)), "prefers-color-scheme: dark")
	if !found {
		t.Fatal("there is no dark scheme")
	}
	for scheme, css := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`).FindAllStringSubmatch(css, -1) {
			if colours[m[1]] == "" {
				colours[m[1]] = m[2]
			}
		}
		for _, pair := range []struct {
			front, back string
			least       float64
		}{
			{"ink", "paper", 7}, {"ink", "card", 7}, {"quiet", "paper", 4.5}, {"quiet", "card", 4.5}, {"accent", "paper", 4.5}, {"accent", "card", 4.5},
			{"on-accent", "accent", 4.5}, {"wrong", "paper", 4.5}, {"wrong", "card", 4.5}, {"good-ink", "good", 4.5}, {"edge", "paper", 3}, {"edge", "card", 3},
			{"open", "paper", 4.5}, {"open", "card", 4.5}, {"closed", "paper", 4.5}, {"closed", "card", 4.5}, {"private", "paper", 4.5}, {"private", "card", 4.5}, {"quiet", "ground", 4.5},
		} {
			a, b := luminance(t, colours[pair.front]), luminance(t, colours[pair.back])
			if ratio := (math.Max(a, b) + .05) / (math.Min(a, b) + .05); ratio < pair.least {
				t.Errorf("%s: %s on %s is at %.2f to 1, want %v", scheme, pair.front, pair.back, ratio, pair.least)
			}
		}
	}
}

// luminance is the relative luminance of a colour in hexadecimal digits.
func luminance(t *testing.T, colour string) (l float64) {
	t.Helper()
	if len(colour) != 6 {
		t.Fatalf("no colour: %q", colour)
	}
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, err := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= .04045 {
			l += weight * c / 12.92
		} else {
			l += weight * math.Pow((c+.055)/1.055, 2.4)
		}
	}
	return l
}
