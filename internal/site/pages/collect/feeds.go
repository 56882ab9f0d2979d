package collect

import (
	"cmp"
	"errors"
	"io"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/opml"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// feedsView is the page of the feeds to which a channel is subscribed.
type feedsView struct {
	Channel  present.Channel
	Feeds    []feedView
	Waits    bool // a feed was never checked
	Full     bool // no more feeds can be added
	Imported *importedFeeds

	Mailboxes  []mailboxView
	MailDomain string // "" if the site receives no mails
	MailFull   bool   // no more addresses can be created
}

// mailboxView is an address for mails.
type mailboxView struct {
	collections.ChannelMailbox
	By present.Principal
}

// feedView is a feed.
type feedView struct {
	domain.ChannelFeed
	By      present.Principal
	Problem string // translated
}

func newFeedView(v *web.Visit, f domain.ChannelFeed) feedView {
	shown := feedView{ChannelFeed: f}
	if f.Problem != nil {
		shown.Problem = v.Lang.Fault(*f.Problem)
	}
	return shown
}

// Name returns the title of the feed, or its address.
func (f feedView) Name() string { return cmp.Or(f.Title, f.Address) }

// importedFeeds is the result of reading a list of feeds.
type importedFeeds struct {
	Added   int
	Refused []collections.RefusedFeed
	More    int // feeds of the list that were not read
}

// feedsPage shows the feeds of a channel.
func feedsPage(v *web.Visit) error {
	c, moved, err := channelOf(v)
	if err != nil {
		return err
	}
	if moved != "" {
		return v.Redirect(moved)
	}
	return showFeeds(v, c, nil, nil)
}

func showFeeds(v *web.Visit, c present.Channel, f *web.Form, imported *importedFeeds) error {
	_, all, err := v.App().Collections.ChannelFeeds(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)})
	if err != nil {
		return err
	}
	shown := feedsView{Channel: c, Imported: imported, Full: len(all) >= domain.MaxChannelFeeds}
	for i := range all {
		one := newFeedView(v, all[i].ChannelFeed)
		one.By = v.Addresses().Principal(&all[i].By)
		shown.Waits = shown.Waits || one.CheckedAt == nil
		shown.Feeds = append(shown.Feeds, one)
	}
	if shown.MailDomain = v.App().Collections.MailDomain; shown.MailDomain != "" {
		boxes, err := v.App().Collections.Mailboxes(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)})
		if err != nil {
			return err
		}
		for i := range boxes {
			shown.Mailboxes = append(shown.Mailboxes, mailboxView{boxes[i], v.Addresses().Principal(&boxes[i].By)})
		}
		shown.MailFull = len(boxes) >= domain.MaxMailboxes
	}
	return v.Page("feeds", v.T("collect.feeds.of", c.Title), f, shown)
}

// changeFeeds adds feeds to a channel, or checks or removes one.
func changeFeeds(v *web.Visit) error {
	c, _, err := channelOf(v)
	if err != nil {
		return err
	}
	if v.HasParts() {
		return importFeeds(v, c)
	}
	f, ref, here, ctx := v.Form(), domain.Ref{ID: int64(c.ID)}, c.Path()+"/subscriptions", v.R.Context()
	note := ""
	switch {
	case f.Get("do") == "add":
		_, err = v.App().Collections.AddFeed(ctx, v.Actor(), ref, collections.FeedInput{Address: f.Trimmed("url")})
		note = "feed-added"
	case f.Get("check") != "":
		note, err = "feed-checked", feedByID(f.Get("check"), func(id domain.ChannelFeedID) error {
			return v.App().Collections.CheckFeedNow(ctx, v.Actor(), ref, id)
		})
	case f.Get("remove") != "":
		note, err = "feed-removed", feedByID(f.Get("remove"), func(id domain.ChannelFeedID) error {
			return v.App().Collections.RemoveFeed(ctx, v.Actor(), ref, id)
		})
	case f.Get("do") == "mailbox":
		_, err = v.App().Collections.AddMailbox(ctx, v.Actor(), ref)
		note = "mailbox-added"
	case f.Get("revoke") != "":
		var id int64
		if id, err = web.ID(f.Get("revoke")); err == nil {
			err = v.App().Collections.RemoveMailbox(ctx, v.Actor(), ref, domain.MailboxID(id))
		}
		note = "mailbox-removed"
	default:
		return web.UnknownButton()
	}
	switch {
	case domain.KindOf(err) == domain.Forbidden:
		return err
	case f.Refused(err, "url"):
		return showFeeds(v, c, f, nil)
	case err != nil:
		return err
	}
	return v.Done(here, note)
}

// feedByID calls do with the id of a feed.
func feedByID(text string, do func(domain.ChannelFeedID) error) error {
	id, err := web.ID(text)
	if err != nil {
		return err
	}
	return do(domain.ChannelFeedID(id))
}

// importFeeds adds the feeds of a list to a channel, and shows which ones were not added.
func importFeeds(v *web.Visit, c present.Channel) error {
	if !c.Can(v.Actor()).Update {
		return forbidden(v, "collect.channel.not-yours")
	}
	var file []byte
	err := v.Parts(func(p web.Part) (err error) {
		if p.Field == "file" && file == nil {
			file, err = io.ReadAll(io.LimitReader(p.Body, opml.MaxBytes+1))
		}
		return err
	})
	f := v.Form()
	wrong := func(id string) error {
		f.Wrong("file", v.T(id))
		return showFeeds(v, c, f, nil)
	}
	if errors.Is(err, web.ErrEnded) {
		return wrong("web.file.ended")
	}
	if err != nil {
		return err
	}
	if len(file) > opml.MaxBytes {
		return wrong("collect.feeds.file.large")
	}
	feeds, more, err := opml.Read(file)
	if err != nil || len(feeds) == 0 {
		return wrong("collect.feeds.file.none")
	}
	in := make([]collections.FeedInput, len(feeds))
	for i, one := range feeds {
		in[i] = collections.FeedInput{Address: one.Address, Title: one.Title}
	}
	done := importedFeeds{More: more}
	done.Added, done.Refused, err = v.App().Collections.AddFeeds(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)}, in)
	if err != nil {
		return err
	}
	for i := range done.Refused {
		done.Refused[i].Reason = v.Lang.Fault(done.Refused[i].Reason)
	}
	return showFeeds(v, c, nil, &done)
}

// downloadFeeds answers with the feeds of a channel as OPML.
func downloadFeeds(v *web.Visit) error {
	c, moved, err := channelOf(v)
	if err != nil {
		return err
	}
	if moved != "" {
		return v.Redirect(moved)
	}
	_, all, err := v.App().Collections.ChannelFeeds(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)})
	if err != nil {
		return err
	}
	folder := opml.Folder{Title: c.Title}
	for _, f := range all {
		folder.Feeds = append(folder.Feeds, opml.Feed{Title: f.Title, Address: f.Address})
	}
	return sendFeeds(v, c.Slug+".opml", c.Title, []opml.Folder{folder})
}

func sendFeeds(v *web.Visit, name, title string, folders []opml.Folder) error {
	return v.Download(func(begin func(filename, contentType string) io.Writer) error {
		return opml.Write(begin(name, opml.ContentType), title, folders)
	})
}

// ownFeeds are the reader's feeds in one channel.
type ownFeeds struct {
	Channel *present.Channel // nil if the reader may no longer see it
	Feeds   []feedView
}

// ownFeedsOf returns the reader's feeds by channel.
func ownFeedsOf(v *web.Visit) (all []ownFeeds, err error) {
	feeds, err := v.App().Collections.OwnFeeds(v.R.Context(), v.Actor())
	for i := range feeds {
		f := &feeds[i]
		if i == 0 || f.Channel != feeds[i-1].Channel {
			all = append(all, ownFeeds{})
			if f.In.ID != 0 {
				all[len(all)-1].Channel = new(v.Addresses().Channel(&f.In))
			}
		}
		last := &all[len(all)-1]
		last.Feeds = append(last.Feeds, newFeedView(v, f.ChannelFeed))
	}
	return all, err
}

// ownFeedsPage shows the reader's feeds in all channels.
func ownFeedsPage(v *web.Visit) error {
	all, err := ownFeedsOf(v)
	if err != nil {
		return err
	}
	return v.Page("own-feeds", v.T("collect.feeds.own"), nil, all)
}

// downloadOwnFeeds answers with the reader's feeds as OPML, with a folder for each channel.
func downloadOwnFeeds(v *web.Visit) error {
	all, err := ownFeedsOf(v)
	if err != nil {
		return err
	}
	var folders []opml.Folder
	for _, in := range all {
		folder := opml.Folder{Title: v.T("collect.feeds.lost")}
		if in.Channel != nil {
			folder.Title = in.Channel.Title
		}
		for _, f := range in.Feeds {
			folder.Feeds = append(folder.Feeds, opml.Feed{Title: f.Title, Address: f.Address})
		}
		folders = append(folders, folder)
	}
	return sendFeeds(v, v.Account.Slug+".opml", v.T("collect.feeds.own"), folders)
}
