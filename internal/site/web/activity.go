package web

import (
	"fmt"
	"html/template"
	"strconv"
	"time"

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
	Notice bool // it is a notification: a single link, which marks it as read
	Unread bool

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

// Notices prepares notifications for the template "activities". They are not combined, since each
// is marked as read separately.
func (v *Visit) Notices(notices []domain.Notice) (all []Activity) {
	for i := range notices {
		one := v.activity(&notices[i].Story)
		one.Notice, one.Unread = true, !notices[i].Read
		one.Says = v.sentence(one)
		one.add(v, notices[i].Story)
		one.tag += fmt.Sprint(" ", one.Unread)
		all = append(all, one)
	}
	return all
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
		Age: ago(v.Lang, v.Now().Sub(s.CreatedAt)), Cells: Cells{ID: "none", visit: v}, kind: s.Kind, target: s.Activity.Target, done: []domain.Story{*s}}
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
