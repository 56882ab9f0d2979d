package collections

import (
	"context"
	"fmt"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/words"
)

// After requests the part of a list that follows a cursor, or its beginning.
type After struct {
	Cursor string
	Limit  int64
	Desc   bool
}

// Validate checks the length of the part.
func (in After) Validate() error {
	var f domain.Faults
	f.Between("limit", in.Limit, 1, domain.MaxPerPage)
	return f.Err()
}

// Part is a part of a list, with the cursor after it, or "" at the end.
type Part[T any] struct {
	Items []T
	Next  string
}

// part reads a part of a list that is identified by name in cursors. read gets the place of the cursor, which is nil at
// the beginning, and returns that of the next part, which is nil at the end.
func part[P, T any](ctx context.Context, a *Finder, in After, name func(v *store.Snapshot) (string, error),
	read func(v *store.Snapshot, after *P) ([]T, *P, error)) (p Part[T], err error) {
	if err := in.Validate(); err != nil {
		return p, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		list, err := name(v)
		if err != nil {
			return err
		}
		list = fmt.Sprint(list, " ", in.Desc)
		secret, err := v.Changes().Secret(ctx)
		if err != nil {
			return err
		}
		var after *P
		if in.Cursor != "" {
			after = new(P)
			if err := core.OpenCursor(secret, list, in.Cursor, after); err != nil {
				return err
			}
		}
		items, next, err := read(v, after)
		p = Part[T]{Items: items}
		if next != nil {
			p.Next = core.SealCursor(secret, list, next)
		}
		return err
	})
	return p, err
}

// query returns the query of a list.
func (in After) query(actor domain.Actor, after *contents.Bookmark) contents.AfterQuery {
	return contents.AfterQuery{Viewer: actor.UserID, Desc: in.Desc, After: after, N: int(in.Limit)}
}

// ContentsAfter lists the contents of a channel, by position or by the time of connecting. What stays where it is
// is listed exactly once by all parts together (docs/design/cursors.md).
func (a *Finder) ContentsAfter(ctx context.Context, actor domain.Actor, ref domain.Ref, by domain.ContentKey, in After) (Part[Content], error) {
	var id domain.ChannelID
	return part(ctx, a, in, func(v *store.Snapshot) (string, error) {
		c, err := v.Channels().ChannelSize(ctx, actor.UserID, ref)
		id = c.ID
		return fmt.Sprint("contents ", id, " ", int(by)), err
	}, func(v *store.Snapshot, after *contents.Bookmark) ([]Content, *contents.Bookmark, error) {
		conns, next, err := v.Contents().ContentsAfter(ctx, id, by, in.query(actor, after))
		if err != nil {
			return nil, nil, err
		}
		items, err := Items(ctx, v.Queries, actor, conns)
		return items, next, err
	})
}

// ItemChannelsAfter lists the channels that contain a block or a channel, by the time of connecting.
func (a *Finder) ItemChannelsAfter(ctx context.Context, actor domain.Actor, kind domain.ItemType, ref domain.Ref, in After) (Part[domain.Entity], error) {
	var item domain.ItemRef
	return part(ctx, a, in, func(v *store.Snapshot) (string, error) {
		if kind == domain.ItemBlock {
			b, err := v.Blocks().Block(ctx, actor.UserID, domain.BlockID(ref.ID))
			item = domain.BlockRef(b.ID)
			return fmt.Sprint("block channels ", b.ID), err
		}
		c, err := v.Channels().ChannelSize(ctx, actor.UserID, ref)
		item = domain.ChannelRef(c.ID)
		return fmt.Sprint("channel channels ", c.ID), err
	}, func(v *store.Snapshot, after *contents.Bookmark) ([]domain.Entity, *contents.Bookmark, error) {
		ids, next, err := v.Contents().ItemChannelsAfter(ctx, item, in.query(actor, after))
		if err != nil {
			return nil, nil, err
		}
		byID, err := v.Channels().ChannelsByID(ctx, actor.UserID, ids)
		all := make([]domain.Entity, 0, len(ids))
		for _, id := range ids {
			if c, ok := byID[id]; ok {
				all = append(all, domain.Entity{Channel: &c})
			}
		}
		return all, next, err
	})
}

// CommentsAfter lists the comments on a block by time.
func (a *Finder) CommentsAfter(ctx context.Context, actor domain.Actor, block domain.BlockID, in After) (Part[domain.Comment], error) {
	return part(ctx, a, in, func(v *store.Snapshot) (string, error) {
		b, err := v.Blocks().Block(ctx, actor.UserID, block)
		return fmt.Sprint("comments ", b.ID), err
	}, func(v *store.Snapshot, after *contents.Bookmark) ([]domain.Comment, *contents.Bookmark, error) {
		return v.Comments().CommentsAfter(ctx, block, in.query(actor, after))
	})
}

// FollowersAfter lists the followers of a user, channel or group by the time of following.
func (a *Finder) FollowersAfter(ctx context.Context, actor domain.Actor, kind domain.SubjectType, ref domain.Ref, in After) (Part[domain.Entity], error) {
	what := domain.Subject{Type: kind}
	return part(ctx, a, in, func(v *store.Snapshot) (name string, err error) {
		what.ID, err = idOf(ctx, v, actor, kind, ref)
		return fmt.Sprint("followers ", what.Type, " ", what.ID), err
	}, func(v *store.Snapshot, after *contents.Bookmark) ([]domain.Entity, *contents.Bookmark, error) {
		users, next, err := v.Users().FollowersAfter(ctx, what, in.query(actor, after))
		all := make([]domain.Entity, len(users))
		for i := range users {
			all[i].User = &users[i]
		}
		return all, next, err
	})
}

// FollowingAfter lists what a user follows and the actor may see, by the time of following. Type "" means all types.
func (a *Finder) FollowingAfter(ctx context.Context, actor domain.Actor, ref domain.Ref, kind domain.SubjectType, in After) (p Part[domain.Entity], err error) {
	var f domain.Faults
	if kind != "" && kind != domain.SubjectUser && kind != domain.SubjectChannel && kind != domain.SubjectGroup {
		f.Add("type", domain.FieldUnknown, "must be User, Channel or Group")
		return p, f.Err()
	}
	var user domain.UserID
	return part(ctx, a, in, func(v *store.Snapshot) (string, error) {
		u, err := v.Users().User(ctx, ref)
		user = u.ID
		return fmt.Sprint("following ", user, " ", kind), err
	}, func(v *store.Snapshot, after *contents.Bookmark) ([]domain.Entity, *contents.Bookmark, error) {
		found, next, err := v.Activity().FollowingAfter(ctx, user, kind, in.query(actor, after))
		if err != nil {
			return nil, nil, err
		}
		all, err := core.ReadEntities(ctx, v, actor, found)
		return all, next, err
	})
}

// UserGroupsAfter lists the groups that a user owns or has joined, by their creation.
func (a *Finder) UserGroupsAfter(ctx context.Context, actor domain.Actor, ref domain.Ref, in After) (Part[domain.Entity], error) {
	var user domain.UserID
	return part(ctx, a, in, func(v *store.Snapshot) (string, error) {
		u, err := v.Users().User(ctx, ref)
		user = u.ID
		return fmt.Sprint("groups of ", user), err
	}, func(v *store.Snapshot, after *contents.Bookmark) ([]domain.Entity, *contents.Bookmark, error) {
		ids, next, err := v.Membership().GroupsAfter(ctx, user, in.query(actor, after))
		if err != nil {
			return nil, nil, err
		}
		all, err := core.ReadEntities(ctx, v, actor, subjects(domain.SubjectGroup, ids))
		return all, next, err
	})
}

// MembersAfter lists the members of a group by the time of joining, and returns its owner.
func (a *Finder) MembersAfter(ctx context.Context, actor domain.Actor, ref domain.Ref, in After) (p Part[domain.Entity], owner domain.UserID, err error) {
	var group domain.Group
	p, err = part(ctx, a, in, func(v *store.Snapshot) (string, error) {
		group, err = v.Groups().Group(ctx, actor.UserID, ref)
		return fmt.Sprint("members ", group.ID), err
	}, func(v *store.Snapshot, after *contents.Bookmark) ([]domain.Entity, *contents.Bookmark, error) {
		ids, next, err := v.Membership().MembersAfter(ctx, group.ID, in.query(actor, after))
		if err != nil {
			return nil, nil, err
		}
		all, err := core.ReadEntities(ctx, v, actor, subjects(domain.SubjectUser, ids))
		return all, next, err
	})
	return p, domain.UserID(group.Owner.ID), err
}

func subjects[ID ~int64](kind domain.SubjectType, ids []ID) []domain.Subject {
	all := make([]domain.Subject, len(ids))
	for i, id := range ids {
		all[i] = domain.Subject{Type: kind, ID: int64(id)}
	}
	return all
}

// idOf returns the id of a user, channel or group that the actor sees.
func idOf(ctx context.Context, v *store.Snapshot, actor domain.Actor, kind domain.SubjectType, ref domain.Ref) (int64, error) {
	switch kind {
	case domain.SubjectChannel:
		c, err := v.Channels().ChannelSize(ctx, actor.UserID, ref)
		return int64(c.ID), err
	case domain.SubjectGroup:
		g, err := v.Groups().Group(ctx, actor.UserID, ref)
		return int64(g.ID), err
	}
	u, err := v.Users().User(ctx, ref)
	return int64(u.ID), err
}

// MadeAfter lists the blocks and channels that a user created, or those in the channels of a group, by their creation.
func (a *Finder) MadeAfter(ctx context.Context, actor domain.Actor, kind domain.SubjectType, ref domain.Ref, types []string, in After) (Part[domain.Entity], error) {
	var f domain.Faults
	if checkItemTypes(&f, types); f != nil {
		return Part[domain.Entity]{}, f.Err()
	}
	if len(types) == 0 {
		types = append([]string{string(domain.ItemChannel)}, domain.BlockTypes...)
	}
	search := domain.Search{Types: types}
	return a.searchAfter(ctx, actor, search, in, func(v *store.Snapshot, s *domain.Search) error {
		id, err := idOf(ctx, v, actor, kind, ref)
		if kind == domain.SubjectGroup {
			s.Group = domain.GroupID(id)
		} else {
			s.Author = domain.UserID(id)
		}
		return err
	})
}

// SearchAfter lists the results of a search by their creation.
func (a *Finder) SearchAfter(ctx context.Context, actor domain.Actor, search domain.Search, in After) (Part[domain.Entity], error) {
	return a.searchAfter(ctx, actor, search, in, func(*store.Snapshot, *domain.Search) error { return nil })
}

// searchAfter is SearchAfter for a search that prepare completes.
func (a *Finder) searchAfter(ctx context.Context, actor domain.Actor, search domain.Search, in After,
	prepare func(v *store.Snapshot, s *domain.Search) error) (p Part[domain.Entity], err error) {
	if err := in.Validate(); err != nil {
		return p, err
	}
	search.Sort = domain.SearchSort{Key: domain.SearchByCreated, Desc: in.Desc}
	search.Page = domain.Page{Number: 1, Per: in.Limit}
	var query words.Query
	if query, err = parsed(search); err != nil {
		return p, err
	}
	return part(ctx, a, in, func(v *store.Snapshot) (string, error) {
		err := prepare(v, &search)
		list := search
		list.Page = domain.Page{}
		return fmt.Sprintf("search %+v", list), err
	}, func(v *store.Snapshot, after *store.SearchPlace) ([]domain.Entity, *store.SearchPlace, error) {
		q, some, err := searchQuery(ctx, v, actor, search, query)
		if !some || err != nil {
			return nil, nil, err
		}
		q.Beyond, q.Page.Per = after, in.Limit+1
		found, err := v.Search(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		var next *store.SearchPlace
		if n := int(in.Limit); len(found.Items) > n {
			found.Items = found.Items[:n]
			last, err := v.PlaceOf(ctx, found.Items[n-1])
			if err != nil {
				return nil, nil, err
			}
			next = &last
		}
		items, err := a.read(ctx, v, actor, found.Items)
		return items, next, err
	})
}
