package source

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"vitrine/internal/domain"
)

const (
	utf8Name    = "utf-8"
	defaultName = "windows-1252"
)

// encodingNamed returns the encoding of a name from domain.EncodingNamed; nil for none or UTF-8, which
// needs no decoder.
func encodingNamed(name string) encoding.Encoding {
	if name == "" || name == utf8Name {
		return nil
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return e
}

var declaration = regexp.MustCompile(`(?i)(?:<meta[^>]{0,200}?charset\s*=\s*["']?|<\?xml[^>]{0,100}?encoding\s*=\s*["'])\s*([a-z0-9_:.-]{1,40})`)

// declared returns the encoding that HTML or XML declares, or "".
func declared(start []byte) string {
	found := declaration.FindSubmatch(start)
	if found == nil {
		return ""
	}
	name, _ := domain.EncodingNamed(string(found[1]))
	if strings.HasPrefix(name, "utf-16") { // what can be read of the declaration is ASCII
		return ""
	}
	return name
}

// candidates are the encodings that are detected without a declaration. Of several that fit equally
// well, the first is chosen.
var candidates = []string{defaultName, "windows-1251", "koi8-r", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "windows-1250", "windows-1253"}

// trust is the score that a declared encoding has in advance: a declaration is right more often than
// not, but some programs write the same one into every file.
const trust = 0.5

// detectEncoding returns the name of the encoding that a sample is probably in. The sample begins at most a few
// bytes before the first byte that is not ASCII. A declaration breaks ties.
func detectEncoding(sample []byte, declared string) string {
	if declared == "iso-2022-jp" && bytes.IndexByte(sample, escape) >= 0 {
		return declared
	}
	valid, invalid := countUTF8(sample)
	if valid >= 10*invalid {
		return utf8Name
	}
	best, name := 0.0, defaultName
	if valid > 0 {
		text, _, _ := transform.Bytes(lenient{}, bytes.ReplaceAll(sample, []byte{0}, []byte{' '}))
		best, name = fit(sample, string(text), defaultName), utf8Name
	}
	for _, candidate := range candidates {
		score := fit(sample, decoded(sample, candidate), candidate)
		if candidate == declared {
			score += trust
			declared = ""
		}
		if score > best {
			best, name = score, candidate
		}
	}
	if declared != "" && declared != utf8Name && fit(sample, decoded(sample, declared), declared)+trust > best {
		name = declared
	}
	return name
}

// countUTF8 counts the characters of UTF-8 outside ASCII, and the bytes that belong to none.
func countUTF8(sample []byte) (valid, invalid int) {
	for len(sample) > 0 {
		r, size := utf8.DecodeRune(sample)
		switch {
		case size > 1:
			valid++
		case r == utf8.RuneError && (valid == 0 || utf8.FullRune(sample)): // else the sample ends within a character
			invalid++
		}
		sample = sample[size:]
	}
	return valid, invalid
}

// decoded decodes a sample. Invalid bytes become U+FFFD.
func decoded(sample []byte, name string) string {
	e := encodingNamed(name)
	if e == nil {
		return "\uFFFD"
	}
	text, _ := e.NewDecoder().Bytes(sample)
	return string(text)
}

// fit returns how well a reading of a sample looks, for each byte outside ASCII: from 1, if they are all
// frequent letters, down to −8.
func fit(sample []byte, text, name string) float64 {
	high := 0
	for _, b := range sample {
		if b >= utf8.RuneSelf {
			high++
		}
	}
	sum := 0.0
	before, r := ' ', ' '
	for _, after := range strings.TrimSuffix(text, "\uFFFD") + " " { // the sample may end within a character
		sum += weight(before, r, after, name)
		before, r = r, after
	}
	return sum / float64(max(high, 1))
}

// weight rates a character by its neighbours. Characters of two bytes weigh twice as much.
func weight(before, r, after rune, name string) float64 {
	switch {
	case r < utf8.RuneSelf:
		return 0
	case r == utf8.RuneError, unicode.Is(unicode.Co, r), unicode.IsControl(r):
		return -8
	case r >= 0x3040 && r < 0x3100: // kana
		if name == "shift_jis" || name == "euc-jp" {
			return 2
		}
		return 0
	case r >= 0xFF61 && r < 0xFFA0: // half-width kana: in Shift_JIS, one byte that other encodings use for letters
		return -0.3
	case r >= 0x3000 && r < 0x3040, r >= 0xFF00:
		return 1
	case unicode.Is(unicode.Han, r), unicode.Is(unicode.Hangul, r):
		return eastern(r, name)
	case unicode.IsLetter(r):
		if strings.HasPrefix(name, "windows-") || strings.HasPrefix(name, "koi8") || strings.HasPrefix(name, "iso-8859") || strings.HasPrefix(name, "ibm") {
			return western(before, r, after, name)
		}
		return 0 // Greek and Cyrillic letters are rare in the encodings of East Asia
	case strings.ContainsRune("¿¡", r) && !unicode.IsLetter(before) && unicode.IsLetter(after):
		return 1
	case unicode.IsLetter(before) && unicode.IsLetter(after) && r != '’' && r != '·':
		return -1
	case strings.ContainsRune("„“”‘’‚»«–—…€·°§©®™№\u00A0", r):
		return 0.3
	}
	return -0.3
}

func eastern(r rune, name string) float64 {
	if strings.ContainsRune(frequent[name], r) {
		return 2
	}
	if unicode.Is(unicode.Hangul, r) {
		return 0.5
	}
	return -0.3
}

func western(before, r, after rune, name string) float64 {
	for _, next := range []rune{before, after} {
		if unicode.IsLetter(next) && script(next) != script(r) {
			return -2
		}
	}
	upper := unicode.IsUpper(r)
	switch {
	case upper && unicode.IsLower(before):
		return -2
	case script(r) == unicode.Latin && before >= utf8.RuneSelf && after >= utf8.RuneSelf && unicode.IsLetter(before) && unicode.IsLetter(after):
		if name == defaultName {
			return -0.5
		}
		return 0.3
	case script(r) == unicode.Latin && !unicode.IsLetter(before) && !unicode.IsLetter(after):
		return 0.3
	case script(r) == unicode.Latin && upper:
		return 0.6
	case script(r) == unicode.Latin:
		return 1
	case strings.ContainsRune("оеаинтсрвл"+"αοιετσνηυρ", r):
		return 1
	case upper && strings.ContainsRune("оеаинтсрвл"+"αοιετσνηυρ", unicode.ToLower(r)):
		return 0.6
	case upper:
		return 0.1
	case strings.ContainsRune("ђѓѕјљњћќўџґѐѝ", r):
		return -0.5
	}
	return 0.2
}

func script(r rune) *unicode.RangeTable {
	for _, s := range []*unicode.RangeTable{unicode.Cyrillic, unicode.Greek} {
		if unicode.Is(s, r) {
			return s
		}
	}
	return unicode.Latin
}

// frequent are characters that are common in titles in the languages of an encoding.
var frequent = map[string]string{
	"shift_jis": japanese, "euc-jp": japanese, "gb18030": simplified, "gbk": simplified, "big5": traditional, "euc-kr": korean,
}

const (
	shared      = "的一是在不有和人中大上我以要他生到作地於于出就分成可主年同工也能下子而方多定行法所民得十三之等部度家力如水化高自二理起小物加量都制使本去把性好合因由其些然前外天政四日那社事平形相全表各重新內内正心反你明看原又利比或但第向道命此只解意建月公系很情者最立代想已通提直程五果料位入常文次品式活及管特件求老基流路少山接知手角期根指九放西被做必先回任取最近站首百科文章世界使用者方法"
	simplified  = shared + "了这个为国时来们会发动说产种后学经过进着对电里实现两体机当点从业应开它还义间样与关线数么质气变条没结问无军题党展象员革总设长头资边级图统较将组见计别她论运农几区强决干战则据处网页搜索新闻下载音乐视频游戏软件技术编程博客论坛百度中文收藏夹书签学习开发工具"
	traditional = shared + "了這個為國時來們會發動說產種後學經過進著對電裡實現兩體機當點從業應開它還義間樣與關線數麼質氣變條沒結問無軍題黨展象員革總設長頭資邊級圖統較將組見計別她論運農幾區強決幹戰則據處網頁搜尋新聞下載音樂影片遊戲軟體技術程式部落格論壇台灣香港中文我的最愛書籤學習開發工具"
	japanese    = "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住真有口少町料工建空急止送切転研足究楽起着店病質待試族銀早映親験英医仕去味写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢検索情報技術記事関連最新無料登録入門設定環境開発公式辞書地図写真音楽動画料理株式予報対応"
	korean      = "이다는에의가을하고한를지로은서사기도어나자시리대인정아니라일그있해수보전과들만제주구상여스원부성장으면안것게동신국유오트음악검색뉴블네버글문학교세계방송영화소개발페즐겨찾북마크용관공식모바업데습홈개인터넷무료위키백과사전게임지도날씨"
)
