package ranked_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/ranked"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/store/storetest"
)

// row is a connection of the model. It has only the keys that Place and the test chose.
type row struct {
	id      domain.ConnectionID
	created int64
	private bool
}

// model is a channel as a plain slice: index i is position i+1.
type model struct {
	t       *testing.T
	db      sqlx.Conn
	channel domain.ChannelID
	rows    []row
	made    int64
}

func (m *model) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) list() ranked.List { return ranked.Of(m.db, m.channel) }

// item reads the part of a connection that the orders need.
func (m *model) item(id domain.ConnectionID) (i ranked.Item) {
	m.t.Helper()
	m.must(m.db.QueryRow(m.t.Context(), `SELECT position_key, created_at, item_private FROM connections WHERE id = $1`, id).
		Scan(&i.PositionKey, &i.CreatedAt, &i.Private))
	return i
}

func (m *model) insert(p int, private bool) {
	m.t.Helper()
	key, err := m.list().Place(m.t.Context(), int64(p), int64(len(m.rows)))
	m.must(err)
	m.made++
	r := row{created: m.made, private: private}
	m.must(m.db.QueryRow(m.t.Context(), `INSERT INTO connections (channel_id, item_type, item_id, item_private, item_updated_at,
			user_id, position_key, created_at, updated_at)
		VALUES ($1, 'Channel', $2, $3, 0, 1, $4, $2, $2) RETURNING id`, m.channel, r.created, private, key).Scan(&r.id))
	m.must(m.list().Insert(m.t.Context(), ranked.Item{PositionKey: key, CreatedAt: r.created, Private: private}, int64(len(m.rows))))
	m.rows = slices.Insert(m.rows, p-1, r)
}

func (m *model) remove(at int) {
	m.t.Helper()
	i := m.item(m.rows[at].id)
	m.must(m.db.ExecOne(m.t.Context(), `DELETE FROM connections WHERE id = $1`, m.rows[at].id))
	m.must(m.list().Remove(m.t.Context(), i))
	m.rows = slices.Delete(m.rows, at, at+1)
}

func (m *model) move(from, to int) {
	m.t.Helper()
	r := m.rows[from]
	_, err := m.list().Move(m.t.Context(), r.id, r.private, int64(from)+1, int64(to)+1, int64(len(m.rows)))
	m.must(err)
	m.rows = slices.Insert(slices.Delete(m.rows, from, from+1), to, r)
}

func (m *model) turn(at int) {
	m.t.Helper()
	r := &m.rows[at]
	r.private = !r.private
	m.must(m.db.ExecOne(m.t.Context(), `UPDATE connections SET item_private = $2 WHERE id = $1`, r.id, r.private))
	m.must(m.list().SetPrivate(m.t.Context(), m.item(r.id)))
}

func (m *model) step(r *rand.Rand) {
	m.t.Helper()
	n := len(m.rows)
	switch k := r.IntN(100); {
	case n == 0 || k < 25:
		m.insert(n+1, r.IntN(3) == 0)
	case k < 35:
		m.insert(1, false)
	case k < 60:
		m.insert(r.IntN(n+1)+1, r.IntN(3) == 0)
	case k < 75:
		from := r.IntN(n)
		if to := r.IntN(n); to != from {
			m.move(from, to)
		}
	case k < 85:
		m.turn(r.IntN(n))
	default:
		m.remove(r.IntN(n))
	}
}

// compare compares every position, and the key at every rank, with the slice: for a viewer who
// sees everything, and for one who sees some of the private items.
func (m *model) compare(r *rand.Rand) {
	m.t.Helper()
	ctx := m.t.Context()
	ids := make([]domain.ConnectionID, len(m.rows))
	for i, r := range m.rows {
		ids[i] = r.id
	}
	at, err := ranked.Positions(ctx, m.db, ids...)
	m.must(err)
	for i, id := range ids {
		if at[id] != int64(i)+1 {
			m.t.Fatalf("connection %d is at %d, want %d", id, at[id], i+1)
		}
	}
	hidden := map[domain.ConnectionID]bool{}
	for _, c := range m.rows {
		hidden[c.id] = c.private && r.IntN(2) == 0
	}
	for _, o := range []ranked.Order{ranked.ByPosition, ranked.ByTime} {
		m.compareKeys(o, func(row) bool { return true }, ranked.Seen{All: true})
		visible := func(c row) bool { return !hidden[c.id] }
		var private []int64
		for _, c := range m.rows {
			if c.private && visible(c) {
				private = append(private, m.key(o, c.id))
			}
		}
		slices.Sort(private)
		m.compareKeys(o, visible, ranked.Seen{Keys: private})
	}
	for _, o := range []ranked.Order{ranked.ByPosition, ranked.ByTime} {
		for _, c := range ranked.Checks(o) {
			rows, err := m.db.Query(ctx, c.Query)
			wrong, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (d [3]int64, err error) {
				return d, row.Scan(&d[0], &d[1], &d[2])
			})
			m.must(err)
			if wrong != nil && c.What != "order_nodes: channel without an order by "+o.Column() { // the test does not maintain the counts of the channel
				m.t.Fatalf("%s: %v", c.What, wrong)
			}
		}
	}
}

func (m *model) key(o ranked.Order, id domain.ConnectionID) int64 {
	m.t.Helper()
	if i := m.item(id); o == ranked.ByPosition {
		return i.PositionKey
	} else {
		return i.CreatedAt
	}
}

func (m *model) compareKeys(o ranked.Order, visible func(row) bool, seen ranked.Seen) {
	m.t.Helper()
	var want []int64
	for _, c := range m.rows {
		if visible(c) {
			want = append(want, m.key(o, c.id))
		}
	}
	if o == ranked.ByTime {
		slices.Sort(want)
	}
	for i, key := range want {
		got, err := ranked.KeyAt(m.t.Context(), m.db, m.channel, o, int64(i)+1, seen)
		m.must(err)
		if got != key {
			m.t.Fatalf("the key at %d by %s is %d, want %d", i+1, o.Column(), got, key)
		}
	}
	if _, err := ranked.KeyAt(m.t.Context(), m.db, m.channel, o, int64(len(want))+1, seen); err == nil {
		m.t.Fatalf("there is a key beyond the %d by %s", len(want), o.Column())
	}
}

func withModel(t *testing.T, f func(m *model)) {
	storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
		s, db := storetest.OpenDB(t, o)
		channel := storetest.Channel(t, s, storetest.User(t, s, "Ada"), "Model", domain.Closed)
		err := db.Transact(t.Context(), func(tx *database.Tx) error {
			f(&model{t: t, db: sqlx.Conn{Querier: tx, Dialect: sqlx.Dialect(db.Dialect())}, channel: channel})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestListIsThatOfASlice(t *testing.T) {
	t.Parallel()
	withModel(t, func(m *model) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 6 {
			for range 100 {
				m.step(r)
			}
			m.compare(r)
		}
		m.must(m.list().Rebuild(m.t.Context()))
		m.compare(r)
		for len(m.rows) > 0 { // back to an empty list
			m.remove(r.IntN(len(m.rows)))
		}
		m.compare(r)
		m.insert(1, false)
		m.compare(r)
	})
}

// Keys at both ends of their range, without gaps between them, are renumbered.
func TestPlaceMakesRoom(t *testing.T) {
	t.Parallel()
	withModel(t, func(m *model) {
		const n = 150
		for i := range n {
			m.insert(i+1, false)
		}
		for i, c := range m.rows {
			key := int64(math.MinInt64) + int64(i)
			if i >= n/2 {
				key = math.MaxInt64 - n + 1 + int64(i)
			}
			m.must(m.db.ExecOne(m.t.Context(), `UPDATE connections SET position_key = $2 WHERE id = $1`, c.id, key))
		}
		m.must(m.list().Rebuild(m.t.Context()))
		for _, p := range []int{1, n / 2, n + 2, n/2 + 3, 2, 1, n + 5} {
			m.insert(p, false)
		}
		m.compare(rand.New(rand.NewPCG(3, 4)))
	})
}

func TestInitialKeysAreThoseOfConnectingOnTop(t *testing.T) {
	t.Parallel()
	withModel(t, func(m *model) {
		for i := range 3 {
			m.insert(i+1, false)
			if key := m.item(m.rows[i].id).PositionKey; key != ranked.InitialKey(int64(i)) {
				t.Errorf("the key of connection %d is %d, want %d", i, key, ranked.InitialKey(int64(i)))
			}
		}
	})
}
