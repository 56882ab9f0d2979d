package dataset

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine/internal/backup"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// pages is the memory for SQLite's page cache, for look-ups with each row. The largest of these use an index of all
// connections.
const pages = 1 << 30

// table is a table to load, with its rows in the order of its key.
type table struct {
	name, columns string
	rows          iter.Seq[[]any]
}

// load writes all tables, and the indexes after the rows.
func (f *filler) load(ctx context.Context, s *store.Store) (err error) {
	all := f.tables()
	names := []string{"group_items", "content_counts", "feed_sources", "follower_ranks"}
	for _, t := range all {
		names = append(names, t.name)
	}
	loader, err := s.NewLoader(ctx, names...)
	if err != nil {
		return err
	}
	if err := loader.Cache(ctx, pages); err != nil {
		return cmp.Or(loader.Close(), err)
	}
	last := map[string]int64{}
	for _, t := range all {
		columns := strings.Fields(strings.ReplaceAll(t.columns, ",", " "))
		into := database.Table{Name: t.name}
		for _, c := range columns {
			into.Columns = append(into.Columns, database.Column{Name: c})
		}
		err := loader.Load(ctx, into, func(yield func([]any, error) bool) {
			for row := range t.rows {
				if columns[0] == "id" || columns[0] == "seq" {
					last[t.name] = row[0].(int64)
				}
				if !yield(row, nil) {
					return
				}
			}
		})
		if err != nil {
			return cmp.Or(loader.Close(), err)
		}
	}
	if err := loader.Finish(ctx, last); err != nil {
		return err
	}
	if err := s.Analyze(ctx); err != nil {
		return err
	}
	for _, finish := range []func(tx *store.Tx) error{
		func(tx *store.Tx) error { return tx.Documents().FinishDocuments(ctx) },
		func(tx *store.Tx) error { return tx.Activity().FinishFollows(ctx) },
		func(tx *store.Tx) error { return tx.Counters().FinishTexts(ctx) },
	} {
		if err := s.InTx(ctx, finish); err != nil {
			return err
		}
	}
	if err := backup.LoadWords(ctx, s, func(int64) {}); err != nil {
		return fmt.Errorf("dataset: words: %w", err)
	}
	return s.Analyze(ctx)
}

// tables returns the tables whose rows are generated; the rest is derived by statements.
func (f *filler) tables() []table {
	placed := f.placed()
	return []table{
		{"users", "id, slug, name, email, password_hash, tier, open_channels, private_channels, created_at, updated_at", f.userRows},
		{"groups", "id, slug, name, name_key, owner_id, open_channels, private_channels, users_count, created_at, updated_at", f.groupRows},
		{"group_members", "group_id, user_id, created_at", f.memberRows},
		{"slugs", "kind, slug, target_id, created_at", f.slugRows},
		{"channels", `id, slug, title, description_markdown, description_html, description_plain, visibility, owner_type, owner_id, user_id,
			blocks_count, channels_count, private_count, collaborators_count, last_connected_at, created_at, updated_at`, f.channelRows(placed)},
		{"collaborators", "channel_id, member_type, member_id, created_at", f.collaboratorRows},
		{"blocks", `id, user_id, type, state, title, description_markdown, description_html, description_plain, content_markdown, content_html,
			content_plain, value_url, source_url, open_count, private_count, created_at, updated_at`, f.blockRows},
		{"connections", "id, channel_id, item_type, item_id, item_private, item_updated_at, user_id, position_key, created_at, updated_at", f.connectionRows},
		{"order_nodes", "channel_id, sort, level, first_key, n, n_private", f.orderRows(placed)},
		{"adder_counts", "channel_id, user_id, n", f.adderRows(placed)},
		{"updated_counts", "channel_id, shift, bucket, n", f.updatedRows(placed)},
		{"search_documents", search.DocumentColumns, f.documentRows(placed)},
		{"activities", "id, kind, actor_id, item_type, item_id, target_type, target_id, channel_id, created_at", f.activityRows},
		{"follows", "id, follower_id, followed_type, followed_id, created_at", f.followRows},
	}
}

// placed returns the connections of each channel, from the bottom to the top.
func (f *filler) placed() [][]int32 {
	all := make([]int32, 0, len(f.conns))
	by := make([][]int32, len(f.channels))
	for i, r := range f.channels {
		n := len(all)
		all = all[:n+r.items]
		by[i] = all[n : n : n+r.items]
	}
	for i, c := range f.conns {
		by[c.room] = append(by[c.room], int32(i))
	}
	return by
}

func (f *filler) userRows(yield func([]any) bool) {
	tiers := []domain.Tier{domain.TierSupporter, domain.TierFree, domain.TierFree, domain.TierPremium}
	now := sqlx.Micros(at(0))
	for i, u := range f.users {
		if !yield([]any{int64(i + 1), slugOf(u.name), u.name, email(i), "", string(tiers[i%4]), u.open, u.private, now, now}) {
			return
		}
	}
}

func (f *filler) groupRows(yield func([]any) bool) {
	now := sqlx.Micros(at(0))
	for i, g := range f.groups {
		if !yield([]any{int64(i + 1), slugOf(g.name), g.name, domain.NameKey(g.name), int64(g.members[0]), g.open, g.private,
			int64(len(g.members)), now, now}) {
			return
		}
	}
}

func (f *filler) memberRows(yield func([]any) bool) {
	for i, g := range f.groups {
		for _, m := range slices.Sorted(slices.Values(g.members)) {
			if !yield([]any{int64(i + 1), int64(m), sqlx.Micros(at(0))}) {
				return
			}
		}
	}
}

func (f *filler) slugRows(yield func([]any) bool) {
	for i, r := range f.channels {
		if !yield([]any{string(store.ChannelSlug), r.slug, int64(i + 1), sqlx.Micros(r.made)}) {
			return
		}
	}
	for i, g := range f.groups {
		if !yield([]any{string(store.GroupSlug), slugOf(g.name), int64(i + 1), sqlx.Micros(at(0))}) {
			return
		}
	}
	for i, u := range f.users {
		if !yield([]any{string(store.UserSlug), slugOf(u.name), int64(i + 1), sqlx.Micros(at(0))}) {
			return
		}
	}
}

// lastConnected returns the time of the last connection to a channel, or 0 if the channel is empty.
func (f *filler) lastConnected(in []int32) int64 {
	if len(in) == 0 {
		return 0
	}
	return f.conns[in[len(in)-1]].at
}

// changed returns the time of a channel's last change.
func (f *filler) changed(r *channelRow, in []int32) int64 {
	return max(sqlx.Micros(r.made), f.lastConnected(in))
}

func (f *filler) channelRows(placed [][]int32) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i := range f.channels {
			r, in := &f.channels[i], placed[i]
			var channels, private int64
			for _, n := range in {
				if c := f.conns[n]; c.channel {
					channels++
					if f.hidden(c) {
						private++
					}
				}
			}
			d := sqlx.TextOf(r.description)
			if !yield([]any{int64(r.id), r.slug, r.title, d.Markdown, d.HTML, d.Plain, string(r.visibility), string(r.owner.Type), r.owner.ID,
				int64(r.user), int64(len(in)) - channels, channels, private, int64(len(r.collaborators)), f.lastConnected(in),
				sqlx.Micros(r.made), f.changed(r, in)}) {
				return
			}
		}
	}
}

func (f *filler) collaboratorRows(yield func([]any) bool) {
	for i, r := range f.channels {
		for _, who := range r.collaborators {
			if !yield([]any{int64(i + 1), string(who.Type), who.ID, sqlx.Micros(r.made.Add(time.Hour))}) {
				return
			}
		}
	}
}

func (f *filler) blockRows(yield func([]any) bool) {
	for i := range f.blocks {
		b := f.blocks[i].entity(int64(i + 1))
		d, c := sqlx.TextOf(b.Description), sqlx.TextOf(b.Content)
		if !yield([]any{int64(b.ID), b.Author.ID, string(b.Type), string(b.State), b.Title, d.Markdown, d.HTML, d.Plain, c.Markdown, c.HTML,
			c.Plain, b.ValueURL, b.SourceURL, b.OpenCount, b.PrivateCount, sqlx.Micros(b.CreatedAt), sqlx.Micros(b.UpdatedAt)}) {
			return
		}
	}
}

// hidden reports whether a connection is that of a private channel.
func (f *filler) hidden(c connecting) bool { return c.channel && f.channels[c.item].private() }

// itemOf returns the type and id of a connected item, and the time of its change if it is stored.
func (f *filler) itemOf(c connecting) (typ domain.ItemType, id, updated int64) {
	if c.channel {
		return domain.ItemChannel, int64(c.item + 1), 0
	}
	return domain.ItemBlock, int64(c.item + 1), f.blocks[c.item].updated
}

func (f *filler) connectionRows(yield func([]any) bool) {
	places := make([]int64, len(f.channels))
	for i, c := range f.conns {
		typ, id, updated := f.itemOf(c)
		row := []any{int64(i + 1), int64(c.room + 1), string(typ), id, f.hidden(c), updated, int64(c.by), ranked.InitialKey(places[c.room]), c.at, c.at}
		places[c.room]++
		if !yield(row) {
			return
		}
	}
}

func (f *filler) orderRows(placed [][]int32) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for room, in := range placed {
			if len(in) == 0 {
				continue
			}
			for _, by := range []ranked.Order{ranked.ByPosition, ranked.ByTime} {
				nodes := ranked.Nodes(func(yield func(int64, bool) bool) {
					for place, n := range in {
						key := ranked.InitialKey(int64(place))
						if by == ranked.ByTime {
							key = f.conns[n].at
						}
						if !yield(key, f.hidden(f.conns[n])) {
							return
						}
					}
				})
				for _, n := range nodes {
					if !yield([]any{int64(room + 1), int64(by), n.Level, n.First, n.N, n.Private}) {
						return
					}
				}
			}
		}
	}
}

func (f *filler) adderRows(placed [][]int32) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for room, in := range placed {
			n := map[int32]int64{}
			for _, i := range in {
				if c := f.conns[i]; !f.hidden(c) {
					n[c.by]++
				}
			}
			for _, by := range slices.Sorted(maps.Keys(n)) {
				if !yield([]any{int64(room + 1), int64(by), n[by]}) {
					return
				}
			}
		}
	}
}

func (f *filler) updatedRows(placed [][]int32) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		shifts := slices.Sorted(slices.Values(counters.UpdatedShifts[:]))
		for room, in := range placed {
			for _, shift := range shifts {
				n := map[int64]int64{}
				for _, i := range in {
					if c := f.conns[i]; !c.channel {
						n[f.blocks[c.item].updated>>shift]++
					}
				}
				for _, bucket := range slices.Sorted(maps.Keys(n)) {
					if !yield([]any{int64(room + 1), int64(shift), bucket, n[bucket]}) {
						return
					}
				}
			}
		}
	}
}

// documentRows are numbered in the order of creation, with blocks last.
func (f *filler) documentRows(placed [][]int32) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		seq := int64(0)
		put := func(d search.Document, links int64) bool {
			seq++
			return yield(d.Row(seq, links, f.rng.Int64()))
		}
		for i, u := range f.users {
			id := int64(i + 1)
			if !put(search.DocumentOf(domain.SubjectUser, id, domain.UserID(id), u.name, slugOf(u.name), sqlx.Micros(at(0))), 0) {
				return
			}
		}
		for i, g := range f.groups {
			if !put(search.DocumentOf(domain.SubjectGroup, int64(i+1), g.members[0], g.name, slugOf(g.name), sqlx.Micros(at(0))), 0) {
				return
			}
		}
		links := make([]int64, len(f.channels)) // open channels that contain a channel
		for _, c := range f.conns {
			if c.channel && !f.channels[c.room].private() {
				links[c.item]++
			}
		}
		for i := range f.channels {
			r := &f.channels[i]
			c := domain.Channel{ID: r.id, Title: r.title, Description: r.description, Visibility: r.visibility, UserID: r.user,
				CreatedAt: r.made, UpdatedAt: time.UnixMicro(f.changed(r, placed[i])).UTC()}
			if !put(search.DocumentOfChannel(c), links[i]) {
				return
			}
		}
		inTime := make([]int32, len(f.blocks))
		for i := range inTime {
			inTime[i] = int32(i)
		}
		slices.SortStableFunc(inTime, func(a, b int32) int { return cmp.Compare(f.blocks[a].made, f.blocks[b].made) })
		for _, i := range inTime {
			b := f.blocks[i].entity(int64(i + 1))
			if !put(search.DocumentOfBlock(b), b.OpenCount) {
				return
			}
		}
	}
}

// activityRows returns activities about the last tenth of the connections in ordinary channels of users, except private
// ones.
func (f *filler) activityRows(yield func([]any) bool) {
	ordinary := f.conns[:len(f.conns)-f.size.Large-f.size.Small]
	id := int64(0)
	for _, c := range ordinary[len(ordinary)-len(ordinary)/10:] {
		r := &f.channels[c.room]
		if c.channel || r.private() || r.owner.Type == domain.TypeGroup {
			continue
		}
		id++
		if !yield([]any{id, string(domain.AddedBlock), int64(c.by), "Block", int64(c.item + 1), "Channel", int64(r.id), int64(r.id), c.at}) {
			return
		}
	}
}

func (f *filler) followRows(yield func([]any) bool) {
	for i, w := range f.follows {
		if !yield([]any{int64(i + 1), int64(w.by), string(w.typ), w.what, sqlx.Micros(at(1)) + int64(i)}) {
			return
		}
	}
}
