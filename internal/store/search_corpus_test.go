package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

// wordLimits returns limits with which searches start from the documents of a rare word: always,
// never, and in vain if more than two documents have it.
func wordLimits() []store.SearchLimits {
	without, vain := store.DefaultSearchLimits, store.DefaultSearchLimits
	without.Rare, vain.Rare = 0, 2
	return []store.SearchLimits{store.DefaultSearchLimits, without, vain}
}

// search returns what a viewer finds.
func search(t *testing.T, s *store.Store, viewer domain.UserID, q domain.Search) domain.List[domain.Subject] {
	t.Helper()
	if q.Page == (domain.Page{}) {
		q.Page = domain.Page{Number: 1, Per: 100}
	}
	var l domain.List[domain.Subject]
	err := s.InSnapshot(t.Context(), func(v *store.Snapshot) (err error) {
		l, err = v.Search(t.Context(), store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse(q.Query)})
		return err
	})
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return l
}

// corpus maps names to texts of blocks: title and content.
var corpus = map[string][2]string{
	"engine":  {"The Analytical Engine", "Weaves algebraic patterns, as the Jacquard loom weaves flowers."},
	"loom":    {"Loom", "A machine for weaving; not an engine. Well-known since 1801."},
	"french":  {"L'Été à la plage", "Un café crème, s'il vous plaît. Ça coûte 3,50 €."},
	"german":  {"Straße", "Die Grüße aus Österreich: Äpfel, Öl, Übermut."},
	"polish":  {"Łódź", "Zażółć gęślą jaźń"},
	"turkish": {"İstanbul", "Işık ve diğerleri"},
	"greek":   {"Οδυσσεύς", "Ὁ ἄνθρωπος καὶ ἡ θάλασσα"},
	"russian": {"Ёлка", "Война и мир, все ещё"},
	"hebrew":  {"שָׁלוֹם", "בְּרֵאשִׁית"},
	"arabic":  {"كِتَاب", "مُحَمَّد قرأ الكتاب"},
	"hindi":   {"हिन्दी", "किताब और दुनिया"},
	"chinese": {"東京都庁", "我喜歡吃蘋果和香蕉。"},
	"kana":    {"コンピューター", "ひらがなとカタカナ、ガラス"},
	"korean":  {"한국어", "서울에서 부산까지"},
	"thai":    {"ภาษาไทย", "กรุงเทพมหานครเป็นเมืองหลวง"},
	"khmer":   {"ភាសាខ្មែរ", "ភ្នំពេញ"},
	"emoji":   {"Garden 🌱", "grow 🌳 trees"},
	"code":    {"C++ and Go", "x := foo_bar(1) AND NOT (y OR z) NEAR"},
	"quote":   {`She said "hello"`, "title:engine * ^ - it's"},
	"long":    {"Long", "first " + longText() + " finally"},
}

func longText() string {
	words := make([]byte, 0, 8000)
	for range 2000 {
		words = append(words, "lorem "...)
	}
	return string(words)
}

// corpusCases are queries with their results, which are the same on both databases.
var corpusCases = []struct {
	query string
	want  []string
}{
	{"engine", []string{"engine", "loom", "quote"}},
	{"ENGINE", []string{"engine", "loom", "quote"}},
	{"eng", []string{"engine", "loom", "quote"}},
	{"eng loom", []string{}}, // only the last word may be a prefix
	{"loom eng", []string{"engine", "loom"}},
	{"engine loom", []string{"engine", "loom"}},
	{`"analytical engine"`, []string{"engine"}},
	{`"engine analytical"`, nil},
	{`"engine weaves"`, nil}, // title and content do not form one phrase
	{`"jacquard loom" weaves`, []string{"engine"}},
	{`"jacquard loo"`, nil},
	{`"jacquard loo`, []string{"engine"}},
	{"well-known", []string{"loom"}},
	{"known-well", nil},
	{"1801", []string{"loom"}},
	{"18", []string{"loom"}},
	{"ete", []string{"french"}},
	{"été", []string{"french"}},
	{"CAFE\u0301", []string{"french"}},
	{"cafe creme", []string{"french"}},
	{"3,50", []string{"french"}},
	{"strasse", []string{"german"}},
	{"STRASSE", []string{"german"}},
	{"grusse", []string{"german"}},
	{"ubermut ol", []string{"german"}},
	{"lodz", []string{"polish"}},
	{"zazolc", []string{"polish"}},
	{"istanbul", []string{"turkish"}},
	{"isik", []string{"turkish"}},
	{"οδυσσευς", []string{"greek"}},
	{"ΑΝΘΡΩΠΟΣ", []string{"greek"}},
	{"елка", []string{"russian"}},
	{"ВОЙНА", []string{"russian"}},
	{"вой", []string{"russian"}},
	{"ανθρ", []string{"greek"}},
	{"еще", []string{"russian"}},
	{"שלום", []string{"hebrew"}},
	{"محمد", []string{"arabic"}},
	{"كتاب", []string{"arabic"}},
	{"किताब", []string{"hindi"}},
	{"東京", []string{"chinese"}},
	{"京都", []string{"chinese"}},
	{"都庁", []string{"chinese"}},
	{"庁", []string{"chinese"}},
	{"果", []string{"chinese"}},
	{"都東", nil},
	{"蘋果和香", []string{"chinese"}},
	{"東京 蘋果", []string{"chinese"}},
	{"ピュー", []string{"kana"}},
	{"ｶﾞﾗｽ", []string{"kana"}},
	{"カラス", nil},
	{"らがな", []string{"kana"}},
	{"서울", []string{"korean"}},
	{"한국", []string{"korean"}},
	{"มหานคร", []string{"thai"}},
	{"ไทย", []string{"thai"}},
	{"ពេញ", []string{"khmer"}},
	{"🌱", []string{"emoji"}},
	{"grow 🌳", []string{"emoji"}},
	{"c++", []string{"code"}},
	{"foo_bar", []string{"code"}},
	{"AND NOT", []string{"code"}},
	{"NEAR", []string{"code"}},
	{"title:engine", []string{"engine"}},
	{`"title:engine"`, []string{"quote"}},
	{"title:engine weaves", []string{"engine"}},
	{"title:eng", []string{"engine"}},
	{`title:"analytical engine"`, []string{"engine"}},
	{"title:jacquard", nil},
	{"title:c++", []string{"code"}},
	{"engine -loom", []string{"quote"}},
	{"engine -jacquard", []string{"loom", "quote"}}, // which is not in the title
	{"engine -looms", []string{"quote"}},            // another form of the word
	{`engine -"looms"`, []string{"engine", "loom", "quote"}},
	{"engine -loo", []string{"engine", "loom", "quote"}}, // not the beginning of a word
	{"engine -title:loom", []string{"engine", "quote"}},
	{"engine -title:engine", []string{"loom", "quote"}},
	{`engine -"analytical engine"`, []string{"loom", "quote"}},
	{"engine -loom -hello", nil},
	{"engine -nothing", []string{"engine", "loom", "quote"}},
	{"東京 -蘋果", nil},
	{"東京 -香", nil}, // begins a pair of characters
	{"東京 -歡香", []string{"chinese"}},
	{"hello OR strasse", []string{"german", "quote"}},
	{"strassen OR hello", []string{"german", "quote"}}, // in another form
	{"loom hello OR analytical", []string{"engine"}},
	{`"analytical engine" OR "jacquard loo`, []string{"engine"}},
	{"title:straße OR title:lodz OR kitab OR hell", []string{"german", "polish", "quote"}},
	{"loom OR garden -jacquard", []string{"emoji", "loom"}},
	{"loom hello" + strings.Repeat(" OR nothing", 30), nil},
	{"loom nothing" + strings.Repeat(" OR nothings", 24) + " OR jacquard -hello" + strings.Repeat(" -missing", 5), []string{"engine"}},
	{"loom OR", nil}, // malformed: words
	{"engine type:cat", nil},
	{`said "hello"`, []string{"quote"}},
	{"it's", []string{"quote"}},
	{"first finally", []string{"long"}},
	{`"lorem finally"`, nil}, // of a very frequent word only the first places are indexed
	{"lore", []string{"long"}},
	{`"`, nil}, {`""""`, nil}, {`"*^:()-`, nil}, {"' ; -- \\", nil}, {"!!!", nil},
	{"nothing", nil},
}

func TestSearchCorpus(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Zoë")
		names := map[int64]string{}
		for name, texts := range corpus {
			storetest.In(t, s, func(tx *store.Tx) error {
				title := texts[0]
				id, err := tx.Blocks().CreateBlock(t.Context(), domain.Block{Type: domain.TextBlock, State: domain.Available, Title: &title,
					Author:  domain.Principal{PrincipalRef: domain.UserRef(ada)},
					Content: &domain.Text{Markdown: texts[1], HTML: "<p></p>", Plain: texts[1]}}, storetest.Now)
				names[int64(id)] = name
				return err
			})
		}
		for _, c := range corpusCases {
			for key := domain.SearchByScore; key <= domain.SearchByChance; key++ {
				for _, limits := range wordLimits() {
					l := search(t, s.WithSearchLimits(limits), ada, domain.Search{Query: c.query, Sort: domain.SearchSort{Key: key, Desc: true}})
					var got []string
					for _, found := range l.Items {
						got = append(got, names[found.ID])
					}
					slices.Sort(got)
					if !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 || l.Total != int64(len(c.want)) {
						t.Errorf("%q finds %v (%d), want %v, sorted by %d, few are %d", c.query, got, l.Total, c.want, key, limits.Rare)
					}
				}
			}
		}
	})
}

// The order by score is: exact names, then names that contain the words, then the others, each
// newest first. It is the same on every page.
func TestSearchByScore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		block := func(title, content string) int64 {
			var id domain.BlockID
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				id, err = tx.Blocks().CreateBlock(t.Context(), domain.Block{Type: domain.TextBlock, State: domain.Available, Title: &title,
					Author:  domain.Principal{PrincipalRef: domain.UserRef(ada)},
					Content: &domain.Text{Markdown: content, HTML: content, Plain: content}}, storetest.Now)
				return err
			})
			return int64(id)
		}
		exact := block("Moss", "x")
		inTitle := block("On moss and stones", "x")
		inText := block("Stones", "moss")
		newer := block("Stones", "with moss, and moss, and moss")
		exactToo := block("MOSS!", "moss")
		want := []int64{exactToo, exact, inTitle, newer, inText}
		for i := range want {
			for _, limits := range wordLimits() {
				l := search(t, s.WithSearchLimits(limits), ada, domain.Search{Query: "moss", Page: domain.Page{Number: int64(i + 1), Per: 1}})
				if len(l.Items) != 1 || l.Items[0].ID != want[i] || l.Total != 5 {
					t.Errorf("page %d: %+v, want %d, few are %d", i+1, l, want[i], limits.Rare)
				}
			}
		}
	})
}

// A query that is an address first finds the items from that address.
func TestSearchByAddress(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		link := func(value, source string) int64 {
			var id domain.BlockID
			storetest.In(t, s, func(tx *store.Tx) (err error) {
				id, err = tx.Blocks().CreateBlock(t.Context(), domain.Block{Type: domain.LinkBlock, State: domain.Available,
					Author: domain.Principal{PrincipalRef: domain.UserRef(ada)}, ValueURL: &value, SourceURL: &source}, storetest.Now)
				return err
			})
			return int64(id)
		}
		from := link("https://www.example.org/page/?utm_source=x", "https://www.example.org/page/")
		moved := link("http://example.org/page", "https://elsewhere.example/new")
		storetest.Block(t, s, ada, "see https://example.org/page and more") // only mentions it
		mentions := search(t, s, ada, domain.Search{Query: "https://example.org/page#x", Sort: domain.SearchSort{Desc: true}})
		if len(mentions.Items) < 2 || mentions.Items[0].ID != moved || mentions.Items[1].ID != from {
			t.Errorf("%+v", mentions)
		}
		if l := search(t, s, ada, domain.Search{Query: "https://example.org/page"}); l.Total != 3 {
			t.Errorf("%+v", l)
		}
		if l := search(t, s, ada, domain.Search{Query: "https://example.org/other"}); l.Total != 0 {
			t.Errorf("%+v", l)
		}
	})
}

// The operator site finds what is from a host, or from one below it, and does not change the order by score.
func TestSearchBySite(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		names := map[int64]string{}
		link := func(name, title, source string) {
			storetest.In(t, s, func(tx *store.Tx) error {
				id, err := tx.Blocks().CreateBlock(t.Context(), domain.Block{Type: domain.LinkBlock, State: domain.Available, Title: &title,
					Author: domain.Principal{PrincipalRef: domain.UserRef(ada)}, ValueURL: &source, SourceURL: &source}, storetest.Now)
				names[int64(id)] = name
				return err
			})
		}
		link("titled", "On moss", "https://www.example.org/a")
		link("below", "Stones", "HTTP://Blog.EXAMPLE.org:8080/moss?x=1")
		link("other", "Moss", "https://my-example.org/moss")
		link("similar", "Moss at example.org", "https://example.com/example.org/moss")
		for query, want := range map[string][]string{
			"moss site:example.org":       {"titled", "below"},
			"site:example.org":            {"below", "titled"},
			"site:blog.example.org":       {"below"},
			"site:org -site:example.org":  {"other"},
			"moss -site:org":              {"similar"},
			"mosses site:my-example.org":  {"other"},
			"moss site:example.org -blog": {"titled"},
			"stones OR lichen site:org":   {"below"},
			"site:example":                nil,
			"site:le.org":                 nil,
			"moss site:192.0.2.1":         nil,
			"title:moss site:example.org": {"titled"},
			"-moss site:example.org":      nil,
		} {
			for _, limits := range append(wordLimits(), known) {
				var got []string
				l := search(t, s.WithSearchLimits(limits), ada, domain.Search{Query: query})
				for _, found := range l.Items {
					got = append(got, names[found.ID])
				}
				if !slices.Equal(got, want) || l.Total != int64(len(want)) {
					t.Errorf("%q finds %v of %d, want %v, few are %d", query, got, l.Total, want, limits.Rare)
				}
			}
		}
	})
}

// Blocks that were written without the store's own functions are found by their words once the job
// has indexed them.
func TestSearchOfPending(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ada")
		storetest.In(t, s, func(tx *store.Tx) error {
			_, err := tx.Bulk().LoadBlocks(t.Context(), []domain.Block{{Type: domain.TextBlock, State: domain.Available,
				Author: domain.Principal{PrincipalRef: domain.UserRef(ada)}, CreatedAt: storetest.Now, UpdatedAt: storetest.Now.Add(time.Second),
				Content: &domain.Text{Markdown: "moss", HTML: "moss", Plain: "moss"}}})
			return errors.Join(err, tx.Documents().AddDocuments(t.Context()))
		})
		if l := search(t, s, ada, domain.Search{Types: domain.BlockTypes}); l.Total != 1 {
			t.Errorf("before: %+v", l)
		}
		for i, want := range []int{1, 0} {
			storetest.In(t, s, func(tx *store.Tx) error {
				n, err := tx.Documents().IndexPending(t.Context(), 10)
				if n != want {
					t.Errorf("call %d found %d", i, n)
				}
				return err
			})
		}
		if l := search(t, s, ada, domain.Search{Query: "moss"}); l.Total != 1 {
			t.Errorf("after: %+v", l)
		}
	})
}
