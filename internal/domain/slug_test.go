package domain

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSlugify(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{"Arena Influences", "arena-influences"},
		{"  -- Spaces --  and_under_scores  ", "spaces-and-under-scores"},
		{"Müller & Söhne, Straße", "muller-and-sohne-strasse"},
		{"Cafe\u0301 Zoë", "cafe-zoe"},
		{"Привет, мир", "privet-mir"},
		{"北京", "bei-jing"},
		{"ひらがな", "hiragana"},
		{"مرحبا", "mrhb"},
		{"Łódź Ørsted Æther", "lodz-orsted-aether"},
		{"emoji 🌲 in the middle", "emoji-in-the-middle"},
		{"ＦＵＬＬ width", "full-width"},
		{"2024", "2024"},
		{"١٢٣", "123"},
		{"🌲🌊", ""},
		{"", ""},
		{"___", ""},
		{"\xff\xfe", ""},
		{"a\xffb", "ab"},
		{"null\x00byte", "null-byte"},
	}
	for _, test := range tests {
		if got := Slugify(test.name); got != test.want {
			t.Errorf("Slugify(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSlugifyCutsBetweenWords(t *testing.T) {
	t.Parallel()
	nine := strings.Repeat("x", 9)
	ten := strings.TrimSuffix(strings.Repeat(nine+" ", 10), " ") // 99 characters
	tests := []struct{ name, want string }{
		{ten + "y", strings.ReplaceAll(ten, " ", "-") + "y"},
		{ten + " z", strings.ReplaceAll(ten, " ", "-")},
		{ten + "yy", strings.ReplaceAll(ten[:89], " ", "-")},
		{strings.Repeat("w", 500), strings.Repeat("w", 100)},
		{"a " + strings.Repeat("w", 500), "a"},
		{strings.Repeat("é", 100_000), strings.Repeat("e", 100)},
	}
	for i, test := range tests {
		if got := Slugify(test.name); got != test.want {
			t.Errorf("%d: got %q, want %q", i, got, test.want)
		}
	}
}

func TestSlugCandidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind string
		taken      bool
		want       string
	}{
		{"Deep Time", "Channel", false, `deep-time`},
		{"Deep Time", "Channel", true, `deep-time-[0-9a-z]{11}`},
		{"2024", "Channel", false, `2024-[0-9a-z]{11}`},
		{"🌲", "Channel", false, `channel-[0-9a-z]{11}`},
		{"", "user", true, `user-[0-9a-z]{11}`},
		{strings.Repeat("w", 200), "group", false, `w{100}`},
		{strings.Repeat("w", 200), "group", true, `w{88}-[0-9a-z]{11}`},
	}
	for _, test := range tests {
		got := SlugCandidate(test.name, test.kind, test.taken)
		if !regexp.MustCompile("^"+test.want+"$").MatchString(got) || !ValidSlug(got) {
			t.Errorf("SlugCandidate(%q, %q, %v) = %q, want %s", test.name, test.kind, test.taken, got, test.want)
		}
	}
}

func TestRandomBase36IsEven(t *testing.T) {
	t.Parallel()
	const perCharacter = 20_000 // enough to detect a biased remainder
	counts := map[rune]int{}
	for _, r := range randomBase36(36 * perCharacter) {
		counts[r]++
	}
	if len(counts) != 36 {
		t.Errorf("%d different characters, want 36", len(counts))
	}
	for r, n := range counts { // 8 standard deviations, which does not happen by chance
		if n < perCharacter-1100 || n > perCharacter+1100 {
			t.Errorf("%q came %d times, want about %d", r, n, perCharacter)
		}
	}
}

func TestValidSlug(t *testing.T) {
	t.Parallel()
	valid := []string{"a", "charles-broskoski", "4chan", "2024-07", "a-1-b", strings.Repeat("a", 100)}
	invalid := []string{"", "-", "a-", "-a", "a--b", "A", "a_b", "é", "a b", "2024", "a\n", strings.Repeat("a", 101)}
	for _, s := range valid {
		if !ValidSlug(s) {
			t.Errorf("%q should be valid", s)
		}
	}
	for _, s := range invalid {
		if ValidSlug(s) {
			t.Errorf("%q should not be valid", s)
		}
	}
}

func TestIsID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		s          string
		id         int64
		digits, ok bool
	}{
		{"1", 1, true, true},
		{"007", 7, true, true},
		{"9223372036854775807", 1<<63 - 1, true, true},
		{"9223372036854775808", 0, true, false},
		{strings.Repeat("9", 400), 0, true, false},
		{"0", 0, true, false},
		{"000", 0, true, false},
		{"", 0, false, false},
		{"-1", 0, false, false},
		{"+1", 0, false, false},
		{"1_000", 0, false, false},
		{"0x1f", 0, false, false},
		{"١٢٣", 0, false, false},
		{"arena-influences", 0, false, false},
		{"2024-07", 0, false, false},
	}
	for _, test := range tests {
		id, digits, ok := IsID(test.s)
		if id != test.id || digits != test.digits || ok != test.ok {
			t.Errorf("IsID(%q) = %d, %v, %v", test.s, id, digits, ok)
		}
	}
}

func TestReservedSlug(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"api", "v3", "ext", "oauth", "settings", "login", "search", "admin", "vitrine"} {
		if !ReservedSlug(s) {
			t.Errorf("%q should be reserved", s)
		}
	}
	for _, s := range []string{"", "charles", "apis-of-the-world", "login-1"} {
		if ReservedSlug(s) {
			t.Errorf("%q should be free", s)
		}
	}
}

func TestInitials(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{"Charles Broskoski", "CB"},
		{"ada", "A"},
		{"  jean  luc   godard ", "JG"},
		{"élodie ønsk", "ÉØ"},
		{"(the) «office»", "TO"},
		{"me & you", "MY"},
		{"salt & pepper &", "SP"},
		{"李 小龙", "李小"},
		{"3 dots ...", "3D"},
		{"🌲 forest", "F"},
		{"🌲", ""},
		{"", ""},
		{" \t", ""},
		{"\xff", ""},
	}
	for _, test := range tests {
		if got := Initials(test.name); got != test.want {
			t.Errorf("Initials(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func FuzzSlugify(f *testing.F) {
	for _, name := range []string{"Deep Time", "2024", "北京", "🌲", "\xff", "a_-_b", strings.Repeat("ab ", 90)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := Slugify(name)
		if got != "" && !allDigits(got) && !ValidSlug(got) {
			t.Errorf("Slugify(%q) = %q is no slug", name, got)
		}
		if again := Slugify(got); again != got {
			t.Errorf("Slugify(%q) = %q, and of that %q", name, got, again)
		}
		if candidate := SlugCandidate(name, "channel", true); !ValidSlug(candidate) {
			t.Errorf("candidate %q for %q is no slug", candidate, name)
		}
		if initials := Initials(name); !utf8.ValidString(initials) || utf8.RuneCountInString(initials) > 2 {
			t.Errorf("Initials(%q) = %q", name, initials)
		}
	})
}
