package words

import "testing"

func TestWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		language string
		right    bool
	}{
		"":    {},
		"123": {},
		"Moss is one of the oldest plants of the forest, and it grows on stone.":          {"en", false},
		"Das Moos ist eine der ältesten Pflanzen und wächst auf dem Stein im Wald.":       {"de", false},
		"La mousse est une des plus anciennes plantes de la forêt et pousse sur le bois.": {"fr", false},
		"כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם":                             {"he", true},
		"يولد جميع الناس أحرارا متساوين في الكرامة والحقوق":                               {"", true},
		"すべての人間は、生まれながらにして自由であり":                                                          {"ja", false},
		"人人生而自由,在尊严和权利上一律平等":                                                              {"zh", false},
		"Όλοι οι άνθρωποι γεννιούνται ελεύθεροι":                                          {"el", false},
		"Qwfp zxcv arstd": {},
		"\xff\xfe moss":   {},
	} {
		if language, right := Written(text); language != want.language || right != want.right {
			t.Errorf("%q: %q %v, want %q %v", text, language, right, want.language, want.right)
		}
	}
}
