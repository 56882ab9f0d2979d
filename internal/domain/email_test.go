package domain_test

import (
	"strings"
	"testing"

	"vitrine/internal/domain"
)

func TestCanonicalEmail(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"ada@example.org": "ada@example.org", "Ada+X.y@Example.ORG": "ada+x.y@example.org", "a@b": "a@b", "ada@[127.0.0.1]": "ada@[127.0.0.1]",
		"a@under_score.example": "a@under_score.example",

		"ada@bücher.example": "ada@bücher.example", "ada@BÜCHER.example": "ada@bücher.example", "ada@bu\u0308cher.example": "ada@bücher.example",
		"ada@xn--bcher-kva.example": "ada@bücher.example", "ada@XN--BCHER-KVA.example": "ada@bücher.example",
		"ada@例え。テスト": "ada@例え.テスト", "ada@straße.example": "ada@straße.example", "ada@strasse.example": "ada@strasse.example",
		"ada@xn--a.example": "ada@xn--a.example", "ada@xn--.example": "ada@xn--.example", // not Punycode

		"zoë@example.org": "zoë@example.org", "ZOË@example.org": "zoë@example.org", "zoe\u0308@example.org": "zoë@example.org",
		"用户@例え.テスト": "用户@例え.テスト", "дарья.ж@example.org": "дарья.ж@example.org", "ΟΔΟΣ@example.org": "οδοσ@example.org",
		"علي@example.org": "علي@example.org",

		"": "", "ada": "", "ada@": "", "@example.org": "", "a b@example.org": "", "ada@exa mple.org": "", "ada@example.org ": "",
		"<ada@example.org>": "", "Ada <ada@example.org>": "", "a@example.org,b@example.org": "", "\xff@example.org": "", "ada@-ü-.example": "",
		strings.Repeat("a", 65) + "@example.org": "", strings.Repeat("ë", 33) + "@example.org": "", "a@" + strings.Repeat("b.", 130) + "org": "",
		"a@" + strings.Repeat("例え.", 30) + "org": "", // too many bytes in Unicode

		"ａda@example.org": "", "ada＠evil@example.org": "", "💌@example.org": "", "zo\u200bë@example.org": "", "zoë\u202e@example.org": "",
		"zoë\u00a0x@example.org": "", "zoë\u0085@example.org": "", "zﬁë@example.org": "", "aعb@example.org": "",
	} {
		got, err := domain.CanonicalEmail(address)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q gives %q, %v, want %q", address, got, err, want)
		}
	}
}

func FuzzCanonicalEmail(f *testing.F) {
	for _, seed := range []string{"ada@example.org", "Zoë@BÜCHER.example", "a@xn--bcher-kva.example", "İ@ß.example", "ﬁ@例え。テスト", "Ⱥ@ᾳ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		email, err := domain.CanonicalEmail(address)
		if err != nil {
			return
		}
		for _, form := range []string{email, domain.EmailInASCII(email)} {
			if again, err := domain.CanonicalEmail(form); err != nil || again != email {
				t.Errorf("%q gives %q, and then %q gives %q, %v", address, email, form, again, err)
			}
		}
	})
}
