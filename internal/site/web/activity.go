package web

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"time"

	"vitrine/internal/app/searches"
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// Activity is a sentence about what a user did, with the cells of the items involved. It combines
// consecutive activities of the same kind.
type Activity struct {
	ID     domain.ActivityID // of the newest
	Actor  present.Principal
	Says   template.HTML
	Quote  string // the beginning of a comment, "" for none
	Cells  Cells
	Path   string // of its subject's page
	When   time.Time
	Age    string
	Notice bool // it consists of notifications: a single link, which marks them as read
	Unread bool
	Read   string // for notifications: the ids of all, for the form that marks them as read

	Search bool // it is new results of a saved search, and has no actor

	actors []present.Principal // different ones, the newest first
	kind   domain.ActivityKind
	target domain.Subject
	tag    string
	done   []domain.Story
}

// Activities prepares stories for the template "activities", newest first.
func (v *Visit) Activities(stories []domain.Story) (all []Activity) {
	for i := range stories {
		s := &stories[i]
		if n := len(all); n > 0 && all[n-1].takes(s) {
			all[n-1].done = append(all[n-1].done, *s)
			continue
		}
		all = append(all, v.activity(s))
	}
	for i := range all {
		all[i].Says = v.sentence(all[i])
		for _, s := range all[i].done {
			all[i].add(v, s)
		}
	}
	return all
}

// Notices prepares notifications for the template "activities". It combines those of a day (UTC) that have the same
// subject, such as all comments on a block, at the place of the newest one.
func (v *Visit) Notices(notices []domain.Notice) (all []Activity) {
	at := map[noticeKey]int{}
	for i := range notices {
		s := &notices[i].Story
		key, groups := keyOf(s)
		n, found := at[key]
		if !groups || !found {
			n = len(all)
			all = append(all, v.activity(s))
			all[n].Notice, all[n].done = true, nil
			if groups {
				at[key] = n
			}
		}
		a := &all[n]
		a.done, a.Unread, a.Read = append(a.done, *s), a.Unread || !notices[i].Read, a.Read+","+strconv.FormatInt(int64(s.ID), 10)
		if !slices.ContainsFunc(a.actors, func(p present.Principal) bool { return p.PrincipalRef == s.Actor.PrincipalRef }) {
			a.actors = append(a.actors, v.Addresses().Principal(&s.Actor))
		}
	}
	for i := range all {
		a := &all[i]
		a.Read = a.Read[1:]
		a.add(v, a.done[0])
		if a.Says = v.sentence(*a); len(a.done) > 1 {
			a.Says, a.Path = v.noticeSentence(a), v.noticePath(a)
		}
	}
	return all
}

// Finds prepares entries with new results of saved searches, for the template "activities". If notice is set, they are
// notifications.
func (v *Visit) Finds(found []searches.Found, notice bool) (all []Activity) {
	for i := range found {
		f := &found[i]
		a := Activity{Path: searches.Path(f.Search), When: f.FoundAt, Age: v.Ago(f.FoundAt), Search: true, Notice: notice, Unread: notice && !f.Read,
			Read: FindPrefix + strconv.FormatInt(int64(f.ID), 10), Cells: v.Cells(f.Items)}
		a.Cells.ID, a.Cells.Acts = "none", v.Actor().MayWrite()
		name := "<bdi>" + template.HTMLEscapeString(f.Search.Name) + "</bdi>"
		if notice {
			name = "<strong>" + name + "</strong>"
		} else {
			name = `<a href="` + template.HTMLEscapeString(v.s.root+a.Path) + `">` + name + `</a>`
		}
		id := "people.found"
		if f.More {
			id = "people.found.more"
		}
		a.Says = markup(v.Lang, id, []any{f.Total, template.HTML(name)})
		a.tag = fmt.Sprint(a.Read, " ", f.FoundAt.UnixMicro(), " ", f.Total, f.More, " ", f.Search.Name)
		all = append(all, a)
	}
	return all
}

// FindPrefix is before the ids of notifications about saved searches.
const FindPrefix = "s"

// Merged merges two lists of activities by time, newest first.
func Merged(all, others []Activity) []Activity {
	all = append(all, others...)
	slices.SortStableFunc(all, func(a, b Activity) int { return b.When.Compare(a.When) })
	return all
}

// Oldest returns the time of the oldest activity that it combines.
func (a Activity) Oldest() time.Time {
	if n := len(a.done); n > 0 {
		return a.done[n-1].CreatedAt
	}
	return a.When
}

// Anchor returns the end of the activity's id on the page.
func (a Activity) Anchor() string {
	if a.Search {
		return a.Read
	}
	return strconv.FormatInt(int64(a.ID), 10)
}

// noticeKey identifies a group of notifications.
type noticeKey struct {
	kind    domain.ActivityKind
	subject domain.Subject
	day     string
}

// keyOf returns the group of a notification. It returns false if those of its kind are not combined.
func keyOf(s *domain.Story) (k noticeKey, groups bool) {
	k = noticeKey{s.Kind, s.Activity.Target, s.Day()}
	switch s.Kind {
	case domain.FollowedUser, domain.FollowedChannel, domain.FollowedGroup:
		k.subject = s.Activity.Item
	case domain.Mentioned:
		k.subject = domain.Subject{Type: domain.SubjectBlock, ID: int64(s.Item.Comment.BlockID)}
	case domain.AddedBlock, domain.AddedChannel, domain.Commented:
	case domain.AddedToGroup:
		return k, s.Item.Principal != nil && s.Item.Principal.PrincipalRef == s.Actor.PrincipalRef // joined by a link
	default:
		return k, false
	}
	return k, true
}

// Faces returns the users whose pictures an activity shows.
func (a Activity) Faces() []present.Principal {
	if len(a.actors) > 1 {
		return a.actors[:min(len(a.actors), maxFaces)]
	}
	return []present.Principal{a.Actor}
}

// maxFaces is how many pictures a group of notifications shows.
const maxFaces = 3

// noticeSentence returns the text of several notifications, by one user or by several.
func (v *Visit) noticeSentence(a *Activity) template.HTML {
	s := a.done[0]
	item, target := s.Item, s.Target
	if s.Kind == domain.Mentioned {
		target = s.Parent
	}
	id, n := "people.notice."+string(s.Kind), len(a.actors)
	if n == 1 {
		switch s.Kind {
		case domain.Commented, domain.Mentioned, domain.AddedBlock, domain.AddedChannel:
			id, n = "people.notice.one."+string(s.Kind), len(a.done)
		default:
			return a.Says // they unfollowed in between
		}
	}
	return markup(v.Lang, id, []any{n, v.noticeActors(a), v.named(true, item), v.named(true, target)})
}

// noticeActors names one or two users, or the newest and the number of the others.
func (v *Visit) noticeActors(a *Activity) template.HTML {
	name := func(p present.Principal) template.HTML { return v.named(true, domain.Entity{Principal: p.Principal}) }
	switch n := len(a.actors); n {
	case 1:
		return name(a.actors[0])
	case 2:
		return markup(v.Lang, "people.notice.two", []any{name(a.actors[0]), name(a.actors[1])})
	default:
		return markup(v.Lang, "people.notice.others", []any{n - 1, name(a.actors[0])})
	}
}

// noticePath returns the path of the page that shows what several notifications are about.
func (v *Visit) noticePath(a *Activity) string {
	s := a.done[0]
	switch s.Kind {
	case domain.FollowedUser, domain.FollowedGroup:
		if len(a.actors) > 1 {
			return v.Addresses().Entity(s.Item).Path() + "?view=followers"
		}
	case domain.FollowedChannel:
		if len(a.actors) > 1 {
			return v.Addresses().Entity(s.Item).Path()
		}
	case domain.AddedBlock, domain.AddedChannel:
		return v.Addresses().Entity(s.Target).Path()
	}
	return a.Path
}

// ActivityTags returns what the ETag of activities depends on. It is called after Cover.
func ActivityTags(all []Activity) (tags []string) {
	for _, a := range all {
		tags = append(tags, a.tag+" "+a.Age, a.Cells.Tag())
	}
	return tags
}

// ActivityCells returns the lists of the items involved, for Cover.
func ActivityCells(all []Activity) (lists []*Cells) {
	for i := range all {
		lists = append(lists, &all[i].Cells)
	}
	return lists
}

func (v *Visit) activity(s *domain.Story) Activity {
	return Activity{ID: s.ID, Actor: v.Addresses().Principal(&s.Actor), Path: v.storyPath(s), When: s.CreatedAt,
		Age: ago(v.Lang, v.Now().Sub(s.CreatedAt)), Cells: Cells{ID: "none", Acts: v.Actor().MayWrite(), visit: v}, kind: s.Kind, target: s.Activity.Target, done: []domain.Story{*s}}
}

// takes reports whether a story can be combined with the activity before it.
func (a Activity) takes(s *domain.Story) bool {
	switch s.Kind {
	case domain.AddedBlock, domain.AddedChannel, domain.CreatedChannel, domain.FollowedUser, domain.FollowedChannel, domain.FollowedGroup:
		return a.kind == s.Kind && a.Actor.PrincipalRef == s.Actor.PrincipalRef && a.target == s.Activity.Target
	}
	return false
}

// add adds the items and quotes of a story.
func (a *Activity) add(v *Visit, s domain.Story) {
	shown := s.Item
	if s.Item.Comment != nil {
		a.Quote = present.Excerpt(s.Item.Comment.Body.Plain, faceLength)
		a.tag += fmt.Sprint(" ", s.Item.Comment.ID, s.Item.Comment.Version)
		if shown = s.Target; s.Kind == domain.Mentioned {
			shown = s.Parent
		}
	}
	item, target := v.item(shown), v.item(s.Target)
	if shown.Block != nil && s.Target.Channel != nil {
		item.in = s.Target.Channel.ID
	}
	tag := v.appendTag(nil, &target)
	if len(a.Cells.Items) < maxStoryItems && !v.isReader(shown) { // "Ada follows you" shows Ada
		a.Cells.Items = append(a.Cells.Items, item)
	} else {
		tag = v.appendTag(tag, &item)
	}
	a.tag += fmt.Sprint(" ", s.ID, " ", s.Actor.Version, " ", string(tag))
}

// maxStoryItems is how many items an activity shows, however many it combines.
const maxStoryItems = 8

// isReader reports whether an item is the reader.
func (v *Visit) isReader(t domain.Entity) bool {
	return t.Principal != nil && t.Principal.PrincipalRef == domain.UserRef(v.Actor().UserID)
}

// sentence returns the text of an activity.
func (v *Visit) sentence(a Activity) template.HTML {
	s := a.done[0]
	id, item, target := "people.activity."+string(s.Kind), s.Item, s.Target
	switch s.Kind {
	case domain.FollowedUser, domain.CollaboratingUser:
		if v.isReader(item) {
			id += "-you"
		}
	case domain.Mentioned:
		item = s.Parent
		if v.isReader(s.Target) {
			id += "-you"
		}
	case domain.AddedToGroup:
		switch {
		case item.Principal != nil && item.Principal.PrincipalRef == s.Actor.PrincipalRef:
			id += "-joined"
		case v.isReader(item):
			id += "-you"
		}
	}
	return markup(v.Lang, id, []any{len(a.done), v.named(a.Notice, domain.Entity{Principal: &s.Actor}), v.named(a.Notice, item), v.named(a.Notice, target)})
}

// named returns the name of an item, linked unless the whole sentence is a link.
func (v *Visit) named(bare bool, t domain.Entity) template.HTML {
	shown := v.Addresses().Entity(t)
	name := shown.Heading()
	switch {
	case name != "":
	case t.Block != nil:
		name = v.T("people.activity.untitled")
	default:
		return ""
	}
	name = "<bdi>" + template.HTMLEscapeString(name) + "</bdi>"
	if bare || shown.Path() == "" {
		return template.HTML("<strong>" + name + "</strong>")
	}
	return template.HTML(`<a href="` + template.HTMLEscapeString(v.s.root+shown.Path()) + `">` + name + `</a>`)
}

// storyPath returns the path of a story's subject.
func (v *Visit) storyPath(s *domain.Story) string {
	path := func(t domain.Entity) string { return v.Addresses().Entity(t).Path() }
	switch s.Kind {
	case domain.AddedBlock:
		return path(s.Item) + "?in=" + strconv.FormatInt(s.Activity.Target.ID, 10)
	case domain.AddedChannel, domain.CollaboratingUser, domain.CollaboratingGroup, domain.AddedToGroup:
		return path(s.Target)
	case domain.CreatedChannel:
		return path(s.Item)
	case domain.Commented, domain.Mentioned:
		if s.Item.Comment != nil {
			return path(s.Item) + "/comments/" + strconv.FormatInt(int64(s.Item.Comment.ID), 10)
		}
	}
	return path(domain.Entity{Principal: &s.Actor})
}
