package description_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recordedDigest is the file with the shapes of the recorded responses of version 2: for each
// kind of object its keys, each with the types of its values. A type is a JSON type, another
// kind ("$User"), or a list of either ("[$User]").
const recordedDigest = "v2-shapes.digest"

// TestRecordedDigest compares the digest with the recordings if they are available.
//
// It is not parallel: with -update it writes what TestRecorded reads.
func TestRecordedDigest(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(shapesPath(t)), "v2-shapes.json"))
	if errors.Is(err, fs.ErrNotExist) && !*update {
		t.Skip("no recordings here")
	}
	if err != nil {
		t.Fatal(err)
	}
	var recordings object
	if err := json.Unmarshal(text, &recordings); err != nil {
		t.Fatal(err)
	}
	made := recordedFacts(recordings).text()
	if *update {
		if err := os.WriteFile(recordedDigest, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(recordedDigest)
	if err != nil {
		t.Fatal(err)
	}
	if made != string(kept) {
		t.Errorf("%s is not what the recordings say; run go test ./api -update", recordedDigest)
	}
	if parseFacts(made).text() != made {
		t.Error("the digest loses facts")
	}
}

// shape is the recorded shape of a value: its types, and the shapes of an object's keys and a
// list's entries.
type shape struct {
	types  map[string]bool
	fields map[string]*shape
	items  *shape
}

func (s *shape) field(name string) *shape {
	if s.fields == nil {
		s.fields = map[string]*shape{}
	}
	if s.fields[name] == nil {
		s.fields[name] = &shape{types: map[string]bool{}}
	}
	return s.fields[name]
}

// add adds a recorded shape: types, an object of keys, or a list of entries, with "either",
// "sometimes" and "or" for values that differed between responses.
func (s *shape) add(recorded any) {
	switch recorded := recorded.(type) {
	case string:
		for name := range strings.SplitSeq(recorded, "|") {
			s.types[name] = true
		}
	case []any:
		s.types["list"] = true
		if s.items == nil {
			s.items = &shape{types: map[string]bool{}}
		}
		for _, item := range recorded {
			s.items.add(item)
		}
	case object:
		for key, value := range recorded {
			switch key {
			case "either":
				s.addOneOf(value)
			case "sometimes", "or":
				s.add(value)
			default:
				s.field(key).add(value)
			}
		}
	}
}

// addOneOf adds a list of alternatives.
func (s *shape) addOneOf(recorded any) {
	if some := as(recorded); some != nil {
		recorded = some["sometimes"]
	}
	for _, one := range list(recorded) {
		s.add(one)
	}
}

// kinds identifies the kind of an object by keys that no other kind has; the first match
// counts. If a recording does not distinguish the entries of a list, the kind is both.
var kinds = []struct {
	name string
	keys []string
}{
	{"", []string{"AWSAccessKeyId"}}, // the manifest, a form for uploads, which is skipped
	{"", []string{"_score"}},         // of a search index, which later responses do not show
	{"", []string{"access_token"}},   // of the OAuth address
	{"Anything", []string{"automated_nsfw"}},
	{"SingleChannel", []string{"class_name"}},
	{"Comment", []string{"commentable_id"}},
	{"FeedItem", []string{"bulletin_id"}},
	{"User+Channel", []string{"username", "title"}},
	{"User", []string{"username"}},
	{"ConnectedBlock+ConnectedChannel", []string{"generated_title", "collaborator_count", "connection_id"}},
	{"Block+Channel", []string{"generated_title", "collaborator_count"}},
	{"ConnectedBlock", []string{"generated_title", "connection_id"}},
	{"SingleBlock", []string{"generated_title", "connections"}},
	{"Block", []string{"generated_title"}},
	{"ConnectedChannel", []string{"collaborator_count", "connection_id"}},
	{"Channel", []string{"collaborator_count"}},
	{"SharingChannel", []string{"contents_updated_at"}},
	{"BriefChannel", []string{"share_link"}},
	{"EmbeddedGroup", []string{"name", "visibility"}},
	{"Attachment", []string{"file_name"}},
	{"Embed", []string{"author_name"}},
	{"Image", []string{"filename"}},
	{"OriginalImage", []string{"url", "file_size"}},
	{"Source", []string{"provider"}},
	{"Provider", []string{"name", "url"}},
	{"ImageVersion", []string{"url"}},
	{"AvatarImage", []string{"thumb", "display"}},
	{"Error", []string{"code", "message"}},
	{"Search", []string{"term"}},
	{"Feed", []string{"range_start"}},
	{"Sharing", []string{"count"}},
	{"CollaboratorList", []string{"total_pages", "users"}},
	{"ChannelList", []string{"total_pages", "class"}},
	{"SharingList", []string{"total_pages"}},
	{"Metadata", []string{"description"}},
}

// kind returns the kind of the shape's object.
func (s *shape) kind() string {
	for _, k := range kinds {
		if !slices.ContainsFunc(k.keys, func(key string) bool { return s.fields[key] == nil }) {
			return k.name
		}
	}
	panic("a recorded object of no known kind: " + strings.Join(slices.Sorted(maps.Keys(s.fields)), ", "))
}

// written returns the types of a value.
func (s *shape) written() []string {
	types := map[string]bool{}
	for name := range s.types {
		if name != "absent" && name != "list" {
			types[name] = true
		}
	}
	if s.fields != nil {
		for kind := range strings.SplitSeq(s.kind(), "+") {
			if kind != "" {
				types["$"+kind] = true
			}
		}
	}
	if s.types["list"] {
		types["["+strings.Join(s.items.written(), "|")+"]"] = true
	}
	return slices.Sorted(maps.Keys(types))
}

var year = regexp.MustCompile(`_(20\d\d)$`)

// recordedFacts returns the keys of each kind of object from the recordings since 2022, or from
// earlier ones if these do not have the kind, with all types that their values ever had.
func recordedFacts(recordings object) facts {
	recent, ever := kindsOf{}, kindsOf{}
	for name, recording := range recordings {
		bodies := object{name: recording}
		if as(recording)["body"] == nil {
			bodies = as(recording)
		}
		for _, body := range bodies {
			whole := &shape{types: map[string]bool{}}
			whole.add(as(body)["body"])
			ever.collect(whole)
			if m := year.FindStringSubmatch(name); m == nil || m[1] >= "2022" {
				recent.collect(whole)
			}
		}
	}
	found := facts{}
	for kind, keys := range ever {
		for key, types := range keys {
			if recent[kind] == nil || recent[kind][key] != nil {
				found.set(kind, key, strings.Join(slices.Sorted(maps.Keys(types)), "|"))
			}
		}
	}
	return found
}

// kindsOf maps kinds and keys to the types of their values.
type kindsOf map[string]map[string]map[string]bool

// collect adds each object of a recording to its kind.
func (k kindsOf) collect(s *shape) {
	if s.items != nil {
		k.collect(s.items)
	}
	if s.fields == nil {
		return
	}
	kind := s.kind()
	for key, value := range s.fields {
		k.collect(value)
		if kind == "" || kind == "Anything" || key == "manifest" {
			continue
		}
		if k[kind] == nil {
			k[kind] = map[string]map[string]bool{}
		}
		if k[kind][key] == nil {
			k[kind][key] = map[string]bool{}
		}
		for _, name := range value.written() {
			k[kind][key][name] = true
		}
	}
}
