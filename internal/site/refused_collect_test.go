package site_test

import (
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/site/catalog"
)

// Forms for collecting show what is wrong at the field, keep what was typed, and change nothing.
func TestFormsForCollectingAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, apptest.New(t, people))
	const unclear = "The form does not say what to do"
	d.refuse([]refusal{
		{"ada", "/new", 422, "title", "must not be blank", form("title", " ", "description", "kept", "visibility", "private")},
		{"ada", "/new", 422, "title", "must be at most 255 characters long", form("title", long(domain.MaxTitle+1), "visibility", "public")},
		{"ada", "/new", 422, "description", "must be at most 20000 characters long", form("title", "New", "description", long(domain.MaxDescription+1))},
		{"ada", "/new", 422, "visibility", "must be one of public, private, closed", form("title", "New", "visibility", "secret")},
		{"ada", "/new", 422, "owner", "collect.channel.owner.none", form("title", "New", "owner", "me")},
		{"ada", "/new", 422, "owner", "collect.channel.owner.none", form("title", "New", "owner", "-1")},
		{"ada", "/new", 422, "owner", "collect.channel.owner.none", form("title", "New", "owner", "9223372036854775808")},
		{"eve", "/new", 422, "", "You may not give a channel to anyone but yourself or one of your groups", form("title", "New", "owner", "{guild}")},
		{"ada", "/new", 422, "", "You may not give a channel to anyone but yourself or one of your groups", form("title", "New", "owner", "999")},
		{"ada", "/save", 422, "value", "must not be blank", form("value", " \n", "title", "kept", "channel", "{moss}")},
		{"ada", "/save", 422, "title", "must be at most 255 characters long", form("value", "x", "title", long(domain.MaxTitle+1), "channel", "{moss}")},
		{"ada", "/save", 422, "description", "must be at most 20000 characters long", form("value", "x", "description", long(domain.MaxDescription+1), "channel", "{moss}")},
		{"ada", "/save", 422, "channel", "collect.save.nowhere", form("value", "x", "title", "kept", "description", "kept too")},
		{"ada", "/save", 422, "new", "must be at most 255 characters long", form("value", "x", "new", long(domain.MaxTitle+1), "visibility", "closed")},
		{"ada", "/save", 422, "", "visibility: must be one of public, private, closed", form("value", "x", "new", "Drawer", "visibility", "secret")},
		{"ada", "/save", 422, "", "You may not add to channel shed", form("value", "x", "channel", "{closed}")},
		{"ada", "/save", 404, "", "collect.gone", form("value", "typed", "channel", "{rust}")},
		{"ada", "/ada/moss/add", 422, "value", "collect.add.nothing", form("value", "", "title", "kept", "description", "kept too")},
		{"ada", "/ada/moss/add", 422, "title", "must be at most 255 characters long", form("value", "x", "title", long(domain.MaxTitle+1))},
		{"ada", "/ada/moss/add", 422, "description", "must be at most 20000 characters long", form("value", "x", "description", long(domain.MaxDescription+1))},
		{"ada", "/ada/moss/add", 422, "value", "must be at most 200000 characters long", form("value", strings.Repeat("x", domain.MaxMarkdown+1))},
		{"ada", "/ada/moss/add", 422, "file", "names no upload of yours", form("upload", apptest.Base+"/uploads/nothing")},
		{"ada", "/eve/shed/add", 403, "", "collect.add.not-yours", form("value", "x")},
		{"eve", "/ada/{fern}/add", 404, "", "collect.gone", form("value", "typed")},
		{"ada", "/ada/moss/edit", 422, "title", "must not be blank", form("title", "", "description", "kept", "visibility", "closed")},
		{"ada", "/ada/moss/edit", 422, "title", "must be at most 255 characters long", form("title", long(domain.MaxTitle+1))},
		{"ada", "/ada/moss/edit", 422, "visibility", "must be one of public, private, closed", form("title", "Moss", "visibility", "secret")},
		{"ada", "/ada/moss/edit", 422, "metadata", "has a value without a name: green", form("title", "Moss", "meta_key", "", "meta_value", "green", "meta_was", "")},
		{"ada", "/ada/moss/edit", 422, "metadata", "has the name a twice", form("title", "Moss", "meta_key", "a", "meta_value", "1", "meta_was", "", "meta_key", " a", "meta_value", "2", "meta_was", "")},
		{"ada", "/ada/moss/edit", 422, "metadata", "“not a key!”: a key must be 1 to 40 letters, digits or _", form("title", "Moss", "meta_key", "not a key!", "meta_value", "1", "meta_was", "")},
		{"ada", "/ada/moss/edit", 422, "metadata", "“a”: must be at most 2000 characters", form("title", "Moss", "meta_key", "a", "meta_value", long(domain.MaxMetadataValueLength+1), "meta_was", "")},
		{"bob", "/ada/moss/edit", 422, "", "You may not change the visibility or the owner of this channel", form("title", "Bob's", "visibility", "private")},
		{"eve", "/ada/moss/edit", 403, "", "collect.channel.not-yours", form("title", "Eve's")},
		{"eve", "/ada/{fern}/edit", 404, "", "collect.gone", form("title", "Eve's")},
		{"ada", "/ada/moss/arrange", 422, "connection", "collect.arrange.none", form("do", "remove")},
		{"ada", "/ada/moss/arrange", 422, "connection", "collect.arrange.none", form("do", "top", "connection", "x")},
		{"ada", "/ada/moss/arrange", 422, "to", "collect.arrange.to.none", form("do", "connect", "connection", "{connection}", "to", "")},
		{"ada", "/ada/moss/arrange", 422, "to", "collect.arrange.to.none", form("do", "connect", "connection", "{connection}", "to", "-2")},
		{"ada", "/ada/moss/arrange", 422, "at", "collect.arrange.at.wrong", form("do", "place", "connection", "{connection}", "at", "0")},
		{"ada", "/ada/moss/arrange", 422, "at", "collect.arrange.at.wrong", form("do", "place", "connection", "{connection}", "at", "1.5")},
		{"ada", "/ada/moss/arrange", 422, "place", "collect.arrange.place.wrong|first", form("do", "order", "item", "{connection}", "place{connection}", "first", "was{connection}", "2")},
		{"ada", "/ada/moss/arrange", 422, "place", "collect.arrange.place.wrong|-1", form("do", "order", "item", "{connection}", "place{connection}", "-1", "was{connection}", "2")},
		{"ada", "/ada/moss/arrange", 400, "", unclear, form("do", "shuffle", "connection", "{connection}")},
		{"eve", "/ada/{fern}/arrange", 404, "", "collect.gone", form("do", "order")},
		{"ada", "/channel/{moss}/connect", 422, "title", "must be at most 255 characters long", form("title", long(domain.MaxTitle+1), "visibility", "private", "next", "/ada/moss")},
		{"ada", "/channel/{moss}/connect", 422, "", "visibility: must be one of public, private, closed", form("title", "Drawer", "visibility", "secret")},
		{"ada", "/channel/{moss}/connect", 422, "channel", "collect.connect.some", form("channel", "{moss}")},
		{"ada", "/block/{block}/connect", 422, "channel", "collect.connect.some", form("channel", "{closed}")},
		{"ada", "/block/{block}/connect", 422, "channel", "collect.connect.some", form("channel", "{rust}", "channel", "{moss}", "shown", "{moss}")},
		{"ada", "/block/{secret}/connect", 404, "", "collect.gone", form("channel", "{moss}")},
		{"ada", "/channel/{rust}/connect", 404, "", "collect.gone", form("channel", "{moss}")},
		{"ada", "/channel/{moss}/delete", 400, "", unclear, form()},
		{"bob", "/channel/{moss}/delete", 403, "", "You may not delete this channel", form("sure", "yes")},
		{"eve", "/channel/{fern}/delete", 404, "", "collect.gone", form("sure", "yes")},
		{"ada", "/block/{block}/edit", 422, "title", "must be at most 255 characters long", form("title", long(domain.MaxTitle+1), "content", "kept")},
		{"ada", "/block/{block}/edit", 422, "content", "must not be blank", form("title", "kept", "content", " ", "description", "kept too")},
		{"ada", "/block/{block}/edit", 422, "content", "must be at most 200000 characters long", form("title", "kept", "content", strings.Repeat("x", domain.MaxMarkdown+1))},
		{"ada", "/block/{block}/edit", 422, "description", "must be at most 20000 characters long", form("title", "kept", "content", "kept", "description", long(domain.MaxDescription+1))},
		{"ada", "/block/{block}/edit", 422, "content", "must not be blank", form("title", "kept", "content", "\t", "do", "preview")},
		{"ada", "/block/{block}/edit", 422, "metadata", "has a value without a name: v", form("content", "kept", "meta_key", "", "meta_value", "v", "meta_was", "")},
		{"eve", "/block/{block}/edit", 403, "", "collect.block.not-yours", form("content", "Eve's")},
		{"bob", "/block/{block}/edit", 403, "", "collect.block.not-yours", form("content", "Bob's")},
		{"ada", "/block/{secret}/edit", 404, "", "collect.gone", form("content", "Ada's")},
		{"ada", "/block/{block}/delete", 400, "", unclear, form("sure", "perhaps")},
		{"bob", "/block/{block}/delete", 403, "", "You may not delete this block", form("sure", "yes")},
		{"eve", "/block/{block}/delete", 403, "", "You may not delete this block", form("sure", "yes")},
		{"ada", "/block/{secret}/delete", 404, "", "collect.gone", form("sure", "yes")},
		{"ada", "/connection/{connection}", 422, "place", "must be a number from 1", form("do", "move", "place", "")},
		{"ada", "/connection/{connection}", 422, "place", "must be a number from 1", form("do", "move", "place", "first", "next", "/ada")},
		{"ada", "/connection/{connection}", 422, "place", "must be a number from 1", form("do", "move", "position", "0")},
		{"ada", "/connection/{connection}", 422, "metadata", "has a value without a name: v", form("do", "edit", "meta_key", "", "meta_value", "v", "meta_was", "")},
		{"ada", "/connection/{connection}", 400, "", unclear, form("do", "copy")},
		{"eve", "/connection/{connection}", 403, "", "collect.connect.kept", form("do", "remove")},
		{"eve", "/connection/{connection}", 403, "", "collect.channel.not-yours", form("do", "move", "to", "top")},
		{"ada", "/connection/{theirs}", 404, "", "collect.gone", form("do", "remove")},
	})
}

// The reasons why single channels were not changed are in the visitor's language too.
func TestChannelsAreRefusedOneByOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t, apptest.New(t, people))
	for _, c := range []struct{ path, channel, name, why string }{
		{"/channel/{moss}/connect", "{moss}", "Moss", "A channel cannot be connected to itself"},
		{"/block/{block}/connect", "{closed}", "Shed", "You may not add to channel shed"},
		{"/block/{block}/connect", "{rust}", "", "collect.gone.short"},
		{"/block/{block}/connect", "999", "", "collect.gone.short"},
	} {
		for _, lang := range catalog.New().Languages {
			b := d.browsers["ada"]
			b.header.Set("Accept-Language", lang.Code)
			want := reason(t, lang, c.why)
			if c.name != "" {
				want = c.name + ": " + want
			}
			b.post(d.at(c.path), "channel", d.at(c.channel)).want(422)
			if said := bare(b.post(d.at(c.path), "channel", d.at(c.channel)).body); !strings.Contains(said, want) {
				t.Errorf("%s to %s in %s: %q lacks %q", c.path, c.channel, lang.Code, said, want)
			}
		}
	}
}

// Forms for people show what is wrong at the field, keep what was typed, and change nothing.
func TestFormsForPeopleAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, apptest.New(t, people))
	const nothing, unclear = "web.error.nothing", "The form does not say what to do"
	d.refuse([]refusal{
		{"eve", "/block/{block}/highlights", 422, "", "The text of the block does not contain this passage", form("exact", "fern")},
		{"eve", "/block/{block}/highlights", 422, "exact", "must not be blank", form("exact", " ")},
		{"eve", "/block/{block}/highlights", 422, "note", "must be at most 5000 characters long", form("exact", "text", "note", long(domain.MaxNote+1))},
		{"eve", "/settings/highlights/1", 404, "", "web.error.nothing", form("do", "delete")},
		{"eve", "/settings/highlights/1", 400, "", "The form does not say what to do", form()},
		{"ada", "/follow", 400, "", unclear, form("type", "tag", "id", "1", "do", "follow")},
		{"ada", "/follow", 400, "", unclear, form("type", "user", "id", "{eve}", "do", "poke")},
		{"ada", "/follow", 404, "", nothing, form("type", "user", "id", "eve", "do", "follow")},
		{"ada", "/follow", 404, "", nothing, form("type", "channel", "id", "{rust}", "do", "follow")},
		{"ada", "/follow", 422, "-", "You cannot follow yourself", form("type", "user", "id", "{ada}", "do", "follow")},
		{"ada", "/notifications", 400, "", unclear, form("do", "forget")},
		{"eve", "/block/{block}/comments", 422, "comment", "must not be blank", form("body", "")},
		{"eve", "/block/{block}/comments", 422, "comment", "must not be blank", form("body", " \n ")},
		{"eve", "/block/{block}/comments", 422, "comment", "must be at most 10000 characters long", form("body", long(domain.MaxComment+1))},
		{"eve", "/block/999/comments", 404, "", nothing, form("body", "x")},
		{"ada", "/block/{secret}/comments", 404, "", nothing, form("body", "x")},
		{"ada", "/comments/{comment}", 422, "comment", "must not be blank", form("do", "save", "body", " ")},
		{"ada", "/comments/{comment}", 422, "comment", "must be at most 10000 characters long", form("do", "save", "body", long(domain.MaxComment+1))},
		{"ada", "/comments/{comment}", 400, "", unclear, form("do", "shout", "body", "x")},
		{"eve", "/comments/{comment}", 403, "", "people.comment.author-only", form("do", "save", "body", "Eve's")},
		{"bob", "/comments/{comment}", 403, "", "people.comment.author-only", form("do", "delete")},
		{"eve", "/groups/new", 422, "name", "must not be blank", form("name", " ", "description", "kept")},
		{"eve", "/groups/new", 422, "name", "must be at most 255 characters long", form("name", long(domain.MaxTitle+1))},
		{"eve", "/groups/new", 422, "description", "must be at most 20000 characters long", form("name", "Kept", "description", long(domain.MaxDescription+1))},
		{"eve", "/groups/new", 422, "avatar_url", "must be an absolute http or https URL", form("name", "Kept", "avatar_url", "nowhere")},
		{"ada", "/group/guild/edit", 422, "name", "must not be blank", form("name", "", "description", "kept")},
		{"ada", "/group/guild/edit", 422, "avatar_url", "must be an absolute http or https URL", form("name", "Guild", "avatar_url", "data:text/html,x")},
		{"bob", "/group/guild/edit", 403, "", "people.group.owner-only", form("name", "Bob's")},
		{"ada", "/group/guild/delete", 400, "", unclear, form("do", "perhaps")},
		{"bob", "/group/guild/delete", 403, "", "You may not delete this group", form("do", "delete")},
		{"ada", "/group/guild/members", 422, "who", "people.members.whom", form("do", "invite", "who", " ")},
		{"ada", "/group/guild/members", 422, "who", "people.nobody", form("do", "invite", "who", "nobody")},
		{"ada", "/group/guild/members", 422, "who", "people.members.no-address", form("do", "invite", "who", "x@")},
		{"ada", "/group/guild/members", 403, "", "You may not remove the owner of a group", form("remove", "{ada}")},
		{"ada", "/group/guild/members", 404, "", nothing, form("revoke", "1")},
		{"ada", "/group/guild/members", 403, "", "You may not leave a group that you own; delete it instead", form("do", "leave")},
		{"ada", "/group/guild/members", 400, "", unclear, form("do", "promote")},
		{"bob", "/group/guild/members", 403, "", "You may not remove members of this group", form("remove", "{ada}")},
		{"eve", "/group/guild/members", 403, "", "You may not make an invite to this group", form("do", "link")},
		{"eve", "/group/guild/members", 403, "", "You may not invite to this group", form("do", "invite", "who", "eve")},
		{"ada", "/ada/moss/collaborators", 422, "who", "people.nobody", form("do", "add", "who", "")},
		{"ada", "/ada/moss/collaborators", 422, "who", "people.nobody", form("do", "add", "who", "@nobody")},
		{"ada", "/ada/moss/collaborators", 422, "who", "people.nobody", form("do", "add", "who", "group/none")},
		{"ada", "/ada/moss/collaborators", 422, "", "The owner of a channel cannot be its collaborator", form("do", "add", "who", "ada")},
		{"ada", "/ada/moss/collaborators", 404, "", nothing, form("remove", "Thing:1")},
		{"ada", "/ada/moss/collaborators", 404, "", nothing, form("remove", "User:0")},
		{"ada", "/ada/moss/collaborators", 400, "", unclear, form("do", "lend")},
		{"bob", "/ada/moss/collaborators", 403, "", "You may not manage the collaborators of this channel", form("do", "add", "who", "eve")},
		{"eve", "/ada/moss/collaborators", 403, "", "You may not manage the collaborators of this channel", form("remove", "User:{bob}")},
		{"eve", "/ada/{fern}/collaborators", 404, "", nothing, form("do", "add", "who", "eve")},
		{"ada", "/channel/{rust}/pin", 404, "", nothing, form("do", "pin")},
		{"eve", "/channel/{moss}/pin", 400, "", unclear, form("do", "nail")},
		{"ada", "/report/block/{bobs}", 422, "reason", "must be one of spam, harassment, hate, violence, sexual, privacy, copyright, illegal, other", form("text", "kept")},
		{"ada", "/report/block/{bobs}", 422, "reason", "must be one of spam, harassment, hate, violence, sexual, privacy, copyright, illegal, other", form("reason", "boring", "text", "kept")},
		{"ada", "/report/block/{bobs}", 422, "text", "must not be blank", form("reason", "other", "text", " ")},
		{"ada", "/report/block/{bobs}", 422, "text", "must be at most 2000 characters long", form("reason", "spam", "text", long(domain.MaxReportText+1))},
		{"bob", "/report/block/{block}", 422, "", "You have reported this already, and it is being looked at", form("reason", "spam")},
		{"ada", "/report/block/{block}", 422, "", "You answer for this yourself: change or delete it", form("reason", "spam")},
		{"ada", "/report/block/{secret}", 404, "", nothing, form("reason", "spam")},
	})
}
