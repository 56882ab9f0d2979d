package collect

import (
	"cmp"
	"strconv"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// channelForm is the data of a channel's form.
type channelForm struct {
	Channel      *present.Channel // nil for a new one
	Visibilities []domain.Visibility
	Layouts      []domain.Layout
	Copying      []domain.SnapshotPolicy
	Owners       []owner
	Rows         []row
	Can          domain.ChannelAbilities

	Stored   storedTexts
	Replaced []typed // stored texts that differ from those that the user saw
}

// owner is a possible owner of a new channel.
type owner struct{ Value, Name string }

var visibilities = []domain.Visibility{domain.Closed, domain.Public, domain.Private}

// maxGroups is how many of the user's groups a form offers.
const maxGroups = 100

// newChannelPage shows the form of a new channel.
func newChannelPage(v *web.Visit) error {
	return showNewChannel(v, web.Given("title", v.Query("title"), "visibility", string(domain.Closed), "owner", v.Query("owner")))
}

func showNewChannel(v *web.Visit, f *web.Form) error {
	groups, err := v.App().People.UserGroups(v.R.Context(), v.Actor(), domain.Ref{ID: int64(v.Account.ID)},
		domain.GroupSort{}, domain.Page{Number: 1, Per: maxGroups})
	if err != nil {
		return err
	}
	form := channelForm{Visibilities: visibilities, Owners: []owner{{"", v.T("collect.channel.owner.me", v.Account.Name)}}}
	for _, g := range groups.Items {
		form.Owners = append(form.Owners, owner{strconv.FormatInt(int64(g.ID), 10), g.Name})
	}
	return v.Page("new", v.T("collect.new"), f, form)
}

func newChannel(v *web.Visit) error {
	f := v.Form()
	in := collections.CreateChannelInput{Title: f.Get("title"), Description: optional(f.Get("description")),
		Visibility: domain.Visibility(f.Get("visibility")),
		Once:       v.OnceKey("channel", f.Get("title"), f.Get("description"), f.Get("visibility"), f.Get("owner"))}
	if group := f.Get("owner"); group != "" {
		id, err := strconv.ParseInt(group, 10, 64)
		if err != nil || id < 1 {
			f.Wrong("owner", v.T("collect.channel.owner.none"))
			return showNewChannel(v, f)
		}
		to := domain.GroupRef(domain.GroupID(id))
		in.Owner = &to
	}
	c, err := v.App().Collections.CreateChannel(v.R.Context(), v.Actor(), in)
	switch {
	case missing(err): // the form was sent twice, and the channel was deleted in between
		return gone(v, channelTexts...)
	case f.Refused(err, "title", "description", "visibility", "owner"):
		return showNewChannel(v, f)
	case err != nil:
		return err
	}
	return v.Done(v.Addresses().Channel(&c.Channel).Path(), "channel-made")
}

// editChannelPage shows the form of an existing channel.
func editChannelPage(v *web.Visit) error {
	c, moved, err := channelOf(v)
	if err != nil {
		return err
	}
	if moved != "" {
		return v.Redirect(moved)
	}
	return showEditChannel(v, c, web.Filled(), false, nil)
}

// channelTexts are the text fields of a channel and their labels.
var channelTexts = []string{"title", "collect.title", "description", "collect.description"}

// channelStored returns the stored texts of a channel.
func channelStored(c present.Channel) storedTexts {
	s := storedTexts{"title": c.Title, "description": "", "tags": strings.Join(collections.TagsOf(c.Metadata), ", ")}
	if c.Description != nil {
		s["description"] = c.Description.Markdown
	}
	return s
}

func showEditChannel(v *web.Visit, c present.Channel, f *web.Form, posted bool, replaced []typed) error {
	can := c.Can(v.Actor())
	if !can.Update {
		return forbidden(v, "collect.channel.not-yours")
	}
	form := channelForm{Channel: &c, Visibilities: visibilities, Layouts: domain.Layouts(), Copying: domain.SnapshotPolicies(), Can: can, Stored: channelStored(c), Replaced: replaced}
	form.Stored.fill(f)
	f.Default("visibility", string(c.Visibility))
	f.Default("layout", string(cmp.Or(c.Layout, domain.GridLayout)))
	f.Default("snapshots", string(c.Snapshots.Shown()))
	if posted {
		form.Rows = rows(f, c.Metadata, true)
	} else {
		form.Rows = rows(nil, c.Metadata, true)
	}
	return v.Page("edit-channel", v.T("collect.channel.edit", c.Title), f, form)
}

func editChannel(v *web.Visit) error {
	f := v.Form()
	c, _, err := channelOf(v)
	if missing(err) {
		return gone(v, channelTexts...)
	}
	if err != nil {
		return err
	}
	in := collections.UpdateChannelInput{Title: given(f, "title"), Seen: seen(f, channelTexts)}
	if text := given(f, "description"); text != nil {
		in.Description = core.Patch{Set: true, Value: optional(*text)}
	}
	if visibility := domain.Visibility(f.Get("visibility")); visibility != "" {
		in.Visibility = &visibility
	}
	if layout := domain.Layout(f.Get("layout")); layout != "" {
		in.Layout = &layout
	}
	if policy := domain.SnapshotPolicy(f.Get("snapshots")); policy != "" {
		in.Snapshots = &policy
	}
	in.Metadata, err = metadataPatch(f, c.Metadata)
	if err = domain.JoinFaults(in.Validate(), err); err == nil {
		var full collections.FullChannel
		if full, err = v.App().Collections.UpdateChannel(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, in); err == nil {
			return v.Done(v.Addresses().Channel(&full.Channel).Path(), "channel-saved")
		}
	}
	switch err = underMetadata(v, err); {
	case missing(err):
		return gone(v, channelTexts...)
	case f.Refused(err, "title", "description", "visibility", "layout", "snapshots", "tags", "metadata"):
		var replaced []typed
		if conflicting(err) {
			var again error
			if c, _, again = channelOf(v); again != nil {
				return again
			}
			replaced = channelStored(c).replaced(v, err, channelTexts)
		}
		return showEditChannel(v, c, f, true, replaced)
	}
	return err
}

// deleteChannelPage explains what deleting a channel does, and asks for confirmation.
func deleteChannelPage(v *web.Visit) error {
	c, err := channelByID(v)
	if err != nil {
		return err
	}
	if !c.Can(v.Actor()).Destroy {
		return forbidden(v, "collect.channel.not-yours")
	}
	return v.Page("delete-channel", v.T("collect.channel.delete", c.Title), nil, struct {
		present.Channel
		Days int
	}{c, trashDays(v)})
}

func deleteChannel(v *web.Visit) error {
	c, err := channelByID(v)
	if missing(err) {
		return gone(v)
	}
	if err != nil {
		return err
	}
	if v.Form().Get("sure") != "yes" {
		return web.UnknownButton()
	}
	err = v.App().Collections.DeleteChannel(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)})
	if missing(err) {
		return gone(v)
	}
	if err != nil {
		return err
	}
	return v.Deleted(without(v.Next(), c.Path(), c.Owner().Path()), "channel-deleted", domain.TrashedChannel, int64(c.ID))
}

// trashDays returns how many days deleted things stay in Trash.
func trashDays(v *web.Visit) int { return int(v.App().Collections.TrashKept().Hours() / 24) }

// without returns next, unless it is the deleted path or below it; then it returns instead.
func without(next, path, instead string) string {
	at, _, _ := strings.Cut(next, "?")
	if next == "" || at == path || strings.HasPrefix(at, path+"/") {
		return instead
	}
	return next
}
