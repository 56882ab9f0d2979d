package description_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	description "vitrine/api"
	"vitrine/internal/describe"
)

// TestRecorded compares the responses in v2.yaml with the recorded ones, in both
// directions.
func TestRecorded(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(recordedDigest)
	if err != nil {
		t.Fatal(err)
	}
	recorded, ours := parseFacts(string(text)), answerFacts(writtenV2(t))
	found, left := compareRecorded(ours, recorded)
	for _, difference := range found {
		t.Error(difference)
	}
	for _, leaves := range []map[string]string{unrecorded, addedKeys, otherTypes} {
		for what := range leaves {
			if !left[what] {
				t.Errorf("%s: nothing differs there any more", what)
			}
		}
	}
}

// unrecorded are the kinds of objects without a recorded response, by the section of version
// 2's contract that lists the fields that clients read.
var unrecorded = map[string]string{
	"Account": "2.3", "Me": "2.3", "Self": "2.3, 4.4", "FollowedIDs": "2.3", "UserList": "2.3", "FollowingList": "2.3",
	"Group": "4.6", "CommentList": "2.2", "Entity": "4.3", "Contents": "2.1", "Notification": "2.5", "Notifications": "2.5",
	"UnreadCount": "2.5", "ConnectedChannel": "4.2; recorded together with blocks",
}

// addedKeys are keys of our responses that are in no recording.
var addedKeys = map[string]string{
	`SingleChannel class`:                                         "the documentation promises it",
	`CollaboratorList collaborators`:                              "a library reads it",
	`.*\+.*Channel (owner_type|owner_id|owner_slug|nsfw\?|group)`: "since 2023, and recorded of channels not among blocks",
}

// otherTypes are types that values have here and in no recording, or vice versa.
var otherTypes = map[string]string{
	`User profile_id null`:         "there are no profile channels (7)",
	`Search users \$User`:          "recorded only as an index had them, in 2018",
	`Comment deleted bool`:         "libraries read it (4.3)",
	`Comment entities \$Entity`:    "the first client reads them (4.3)",
	`Embed author_(name|url) null`: "as the others of an embed (4)",
	`Provider (name|url) null`:     "libraries expect it (4)",
	`Source provider null`:         "libraries expect it (4)",
	`FeedItem (item|target) (null|\$User|\$Comment|\$EmbeddedGroup)`: "of actions that were not recorded (2.5)",
	`FeedItem item_(id|type) null`:                                   "of a mention (2.5)",
}

// comparison contains the differences that are not allowed, and the allowed ones that occurred.
type comparison struct {
	found []string
	left  map[string]bool
}

// compareRecorded lists the differences between our responses and the recorded ones that are
// not allowed, and those that are.
func compareRecorded(ours, recorded facts) (found []string, left map[string]bool) {
	c := &comparison{left: map[string]bool{}}
	for kind := range ours {
		if recorded[kind] == nil {
			c.differs(unrecorded, kind, kind+": was never recorded")
		}
	}
	for both, keys := range recorded {
		c.kinds(both, keys, ours, recorded)
	}
	slices.Sort(c.found)
	return slices.Compact(c.found), c.left
}

// kinds compares the keys of a kind, or of two that were recorded together.
func (c *comparison) kinds(both string, keys map[string]string, ours, recorded facts) {
	kinds := strings.Split(both, "+")
	if !slices.ContainsFunc(kinds, func(kind string) bool { return ours[kind] != nil }) {
		c.found = append(c.found, both+": was recorded, and is not in v2.yaml")
		return
	}
	for key := range keys {
		if !slices.ContainsFunc(kinds, func(kind string) bool { return ours[kind][key] != "" }) {
			c.found = append(c.found, fmt.Sprintf("%s %s: was recorded, and is not in v2.yaml", both, key))
		}
	}
	for _, kind := range kinds {
		for key, types := range ours[kind] {
			if keys[key] == "" {
				c.differs(addedKeys, both+" "+key, fmt.Sprintf("%s %s: was never recorded", both, key))
			} else {
				c.types(kind+" "+key, types, everRecorded(recorded, kind, key))
			}
		}
	}
}

// types compares the types that a value has here with those that it has in recordings,
// where null is no loss.
func (c *comparison) types(place, ours, recorded string) {
	here, there := typesOf(ours), typesOf(recorded)
	for name := range here {
		if !there[name] {
			c.differs(otherTypes, place+" "+name, fmt.Sprintf("%s: %s was never recorded, only %s", place, name, recorded))
		}
	}
	for name := range there {
		if !here[name] && name != "null" {
			c.differs(otherTypes, place+" "+name, fmt.Sprintf("%s: %s was recorded, v2.yaml has only %s", place, name, ours))
		}
	}
}

// differs records a difference, unless it is allowed.
func (c *comparison) differs(leaves map[string]string, what, difference string) {
	for pattern := range leaves {
		if regexp.MustCompile("^(" + pattern + ")$").MatchString(what) {
			c.left[pattern] = true
			return
		}
	}
	c.found = append(c.found, difference)
}

// typesOf splits types. For a list it returns those of its entries, and "[]" for the list.
func typesOf(written string) map[string]bool {
	found := map[string]bool{}
	for name := range strings.SplitSeq(strings.NewReplacer("[", "[]|", "]", "").Replace(written), "|") {
		if name != "" {
			found[name] = true
		}
	}
	return found
}

// forms are kinds that are forms of the same resource: values that were recorded in one form
// apply to all.
var forms = [][]string{
	{"Block", "SingleBlock", "ConnectedBlock"},
	{"Channel", "SingleChannel", "ConnectedChannel", "BriefChannel", "SharingChannel"},
}

func everRecorded(recorded facts, kind, key string) string {
	var all []string
	for both, keys := range recorded {
		for one := range strings.SplitSeq(both, "+") {
			same := slices.ContainsFunc(forms, func(f []string) bool { return slices.Contains(f, kind) && slices.Contains(f, one) })
			if (same || one == kind) && keys[key] != "" {
				all = append(all, keys[key])
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "|")
}

// answerFacts returns the keys of the objects in the responses of a description, by the names
// of their schemas, and the types of their values.
func answerFacts(doc object) facts {
	a := answers{doc: doc, found: facts{}}
	for _, item := range as(doc["paths"]) {
		for method, op := range as(item) {
			if method == "parameters" {
				continue
			}
			for _, response := range as(as(op)["responses"]) {
				a.types(as(as(as(resolve(doc, response)["content"])["application/json"])["schema"]))
			}
		}
	}
	return a.found
}

type answers struct {
	doc   object
	found facts
}

// types returns the types of a schema's values, and adds the objects in it.
func (a answers) types(s object) []string {
	if ref := s["$ref"]; ref != nil {
		target := resolve(a.doc, s)
		if target["properties"] == nil && target["allOf"] == nil {
			return a.types(target)
		}
		name := reference(ref)[1:]
		if a.found[name] == nil {
			a.found[name] = map[string]string{}
			a.keys(name, target)
		}
		return []string{"$" + name}
	}
	var all []string
	for _, one := range list(s["oneOf"]) {
		all = append(all, a.types(as(one))...)
	}
	for _, name := range append(list(s["type"]), s["type"]) {
		switch name {
		case "integer":
			all = append(all, "int")
		case "boolean":
			all = append(all, "bool")
		case "object":
			all = append(all, "$Anything")
		case "array":
			all = append(all, "["+strings.Join(a.types(as(s["items"])), "|")+"]")
		case "string", "null":
			all = append(all, name.(string))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// keys adds the keys of a schema to those of a kind. A part that only requires a list to be
// present removes null.
func (a answers) keys(kind string, s object) {
	for _, part := range list(s["allOf"]) {
		a.keys(kind, resolve(a.doc, part))
	}
	for key, value := range as(s["properties"]) {
		types := strings.Join(a.types(as(value)), "|")
		if types == "[]" && a.found[kind][key] != "" {
			types = strings.TrimSuffix(a.found[kind][key], "|null")
		}
		a.found.set(kind, key, types)
	}
}

// TestAnswersAreWhole checks that all keys of a response are required: clients of version 2
// read them without checking whether they exist.
func TestAnswersAreWhole(t *testing.T) {
	t.Parallel()
	doc := writtenV2(t)
	for name := range answerFacts(doc) {
		var look func(s object)
		look = func(s object) {
			for _, part := range list(s["allOf"]) {
				if as(part)["$ref"] == nil {
					look(as(part))
				}
			}
			for _, key := range slices.Sorted(maps.Keys(as(s["properties"]))) {
				if !slices.Contains(list(s["required"]), any(key)) {
					t.Errorf("%s: %s may be missing", name, key)
				}
			}
		}
		look(as(as(as(doc["components"])["schemas"])[name]))
	}
}

// writtenV2 returns v2.yaml as a new tree.
func writtenV2(t *testing.T) object {
	t.Helper()
	text, err := describe.Complete(description.V2)
	if err != nil {
		t.Fatal(err)
	}
	var doc object
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}
