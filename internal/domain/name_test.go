package domain

import (
	"strings"
	"testing"
)

// Names are refused only for characters that are invisible or change how the surrounding text reads.
func TestName(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{
		"Ada": true, "Ada Lovelace": true, "Ångström": true, "李小龍": true, "O'Brien (2)": true, "עדה": true, "عائشة": true,
		"می\u200cخواهم": true, // Persian, with a non-joiner
		"क्\u200dष":     true, // Hindi, with a joiner
		"👩\u200d💻 Ada":  true,
		"👩🏽\u200d🔬":     true,
		"❤️\u200d🔥":     true,
		"🙂\u200d↔️":     true,
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": true,
		"1️⃣":                           true,
		"葛\U000e0100":                   true,
		"":                              false,
		"a\x00":                         false,
		"a\x1b[31m":                     false,
		"a\x7f":                         false,
		"a\u0085b":                      false,
		"a\u009bb":                      false,
		"a\nb":                          false,
		"a\tb":                          false,
		"a\u2028b":                      false,
		"a\u2029b":                      false,
		"a\u202eb":                      false,
		"a\u2066b":                      false,
		"a\u200fb":                      false,
		"a\u200bb":                      false,
		"a\u200db":                      false,
		"a\u200cb":                      false,
		"عا\u200d":                      false,
		"💻\u200d":                       false,
		"a\u2060b":                      false,
		"a\ufeffb":                      false,
		"a\u00adb":                      false,
		"a\u034fb":                      false,
		"a\u3164b":                      false,
		"a\ufe0fb":                      false,
		"a\ufe01":                       false,
		"💻\ufe0f\ufe0f":                 false,
		"a\U000e0067":                   false,
		"🏴\U000e0067":                   false,
		"🏴\U000e0067b\U000e007f":        false,
		"a\ufffe":                       false,
		"a\xff":                         false,
		strings.Repeat("ä", MaxTitle):   true,
		strings.Repeat("ä", MaxTitle+1): false,
	} {
		var f Faults
		if f.Name("name", name); (f == nil) != good {
			t.Errorf("%+q: %v", name, f)
		}
		var made Faults
		if from := NameFrom(name); from != "" && len([]rune(from)) <= MaxTitle {
			if made.Name("name", from); made != nil {
				t.Errorf("%+q of %+q: %v", from, name, made)
			}
		} else if good {
			t.Errorf("NameFrom(%+q) is empty", name)
		}
	}
}

func TestCleanNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, clean, from string }{
		{" A\u030angstro\u0308m ", "Ångström", "Ångström"},
		{"two\nlines", "two\nlines", "two lines"},
		{"\u202egnp\u202c.exe", "\u202egnp\u202c.exe", "gnp.exe"},
		{"👩\u200d💻\u200d", "👩\u200d💻\u200d", "👩\u200d💻"},
	} {
		if clean, from := CleanName(c.text), NameFrom(c.text); clean != c.clean || from != c.from {
			t.Errorf("%+q: %+q and %+q", c.text, clean, from)
		}
	}
}
