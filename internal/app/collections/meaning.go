package collections

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"vitrine/internal/domain"
	"vitrine/internal/embeddings"
	"vitrine/internal/store"
	stored "vitrine/internal/store/vectors"
	"vitrine/internal/vectors"
	"vitrine/internal/words"
)

// Meaning finds blocks by the meaning of their texts: it has the vectors of blocks in memory, and computes those of queries
// at an endpoint.
type Meaning struct {
	client  *embeddings.Client
	private bool // texts that not everyone sees are sent, too
	most    int  // vectors in memory

	// QueryTimeout limits how long a search waits for the vector of its query. Tests replace it.
	QueryTimeout time.Duration

	life    context.Context // of reading changes
	end     context.CancelFunc
	mu      sync.Mutex
	reading chan struct{} // closed when changes have been read; nil if nobody reads them
	index   *vectors.Index
	read    stored.State // the state up to which changes were read

	queries *lru.Cache[string, vectors.Vector]
	asking  chan struct{} // has a place for each concurrent query
	paused  atomic.Int64  // no queries are sent before this time, in microseconds
}

// Limits of search by meaning.
const (
	MaxVectors    = 1_000_000              // in memory
	maxQueries    = 1_000                  // remembered
	queriesAtOnce = 4                      // at the endpoint
	queryTimeout  = 300 * time.Millisecond // for the vector of a query
	queryPause    = 10 * time.Second       // after a failure
	readAtOnce    = 2_000                  // changes
	fused         = 100                    // results of each kind that are merged
	leastAlike    = 0.25                   // cosine similarity of results
	leastSimilar  = 0.4                    // of similar blocks
	leastOfBest   = 0.75                   // similarity of results as a share of that of the best one
)

// NewMeaning returns search by meaning with an endpoint. private also sends texts that not everyone sees.
func NewMeaning(client *embeddings.Client, private bool) *Meaning {
	queries, _ := lru.New[string, vectors.Vector](maxQueries) // fails only for a size below 1
	m := &Meaning{client: client, private: private, most: MaxVectors, QueryTimeout: queryTimeout, queries: queries, asking: make(chan struct{}, queriesAtOnce)}
	m.life, m.end = context.WithCancel(context.Background())
	return m
}

// Close ends reading vectors, so that the database can be closed. It may be called on nil.
func (m *Meaning) Close() {
	if m == nil {
		return
	}
	m.end()
	m.mu.Lock()
	reading := m.reading
	m.mu.Unlock()
	if reading != nil {
		<-reading
	}
}

// model returns what vectors are computed with.
func (m *Meaning) model() stored.Model {
	return stored.Model{Name: m.client.Model(), Private: m.private}
}

// follow returns the vectors of blocks, or nil if there are none. It first reads the changes since the last
// call, for a moment at most. The first call of a process reads all vectors, which may take longer, and continues in the background.
func (m *Meaning) follow(ctx context.Context, s *store.Store) *vectors.Index {
	m.mu.Lock()
	reading := m.reading
	if reading == nil && m.life.Err() == nil {
		reading = make(chan struct{})
		m.reading = reading
		go m.readChanges(s.AtPrimary().Vectors(), reading)
	}
	m.mu.Unlock()
	if reading != nil {
		wait, cancel := context.WithTimeout(ctx, m.QueryTimeout)
		defer cancel()
		select {
		case <-reading:
		case <-wait.Done():
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.index
}

// readChanges reads the changes of vectors since the last call. After an error, such as of the database, which every search
// reports itself, the next call continues.
func (m *Meaning) readChanges(from stored.Reads, done chan struct{}) {
	x, err := m.upToDate(m.life, from)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.index = x
	}
	m.reading = nil
	close(done)
}

// upToDate applies the changes since the last call to the index, or to a new one if it has vectors of another model, and
// returns it.
func (m *Meaning) upToDate(ctx context.Context, from stored.Reads) (*vectors.Index, error) {
	now, err := from.State(ctx)
	if err != nil || now.Name != m.client.Model() || now.Dimension == 0 {
		return nil, err
	}
	x := m.index // which nobody else sets
	if x == nil || m.read.Name != now.Name || m.read.Dimension != now.Dimension || m.read.LastChange < now.Purged {
		x, m.read = vectors.NewIndex(int(now.Dimension), m.most), now
		m.read.LastChange = 0
		m.queries.Purge()
	}
	for m.read.LastChange < now.LastChange {
		changes, err := from.Changes(ctx, now, m.read.LastChange, readAtOnce)
		if err != nil {
			if x != m.index { // and is lost
				m.read = stored.State{}
			}
			return nil, err
		}
		for _, c := range changes {
			if m.read.LastChange = c.Number; c.Vector == nil {
				x.Remove(int64(c.Block))
			} else {
				x.Put(vectors.Entry{ID: int64(c.Block), Change: c.Number, Open: c.Open, Vector: c.Vector})
			}
		}
		if len(changes) < readAtOnce {
			m.read.LastChange = max(m.read.LastChange, now.LastChange)
		}
	}
	return x, nil
}

// vectorOf returns the vector of a query. ok is false if the endpoint does not answer in time, or has failed a short time
// ago.
func (m *Meaning) vectorOf(ctx context.Context, text string, dimension int, now time.Time) (v vectors.Vector, ok bool) {
	if v, ok = m.queries.Get(text); ok {
		return v, len(v) == dimension
	}
	if m.paused.Load() > now.UnixMicro() {
		return nil, false
	}
	select {
	case m.asking <- struct{}{}:
		defer func() { <-m.asking }()
	default:
		return nil, false
	}
	asked, cancel := context.WithTimeout(ctx, m.QueryTimeout)
	defer cancel()
	all, err := m.client.Embed(asked, []string{text})
	if err == nil {
		v, ok = vectors.Quantised(all[0])
	}
	if !ok || len(v) != dimension {
		if ctx.Err() == nil {
			m.paused.Store(now.Add(queryPause).UnixMicro())
		}
		return nil, false
	}
	m.queries.Add(text, v)
	return v, true
}

// meant is a block that was found by meaning.
type meant struct {
	block domain.BlockID
	score float32
}

// steps are the numbers of candidates that are checked in the database, one after the other, until enough are visible.
var steps = []int{2 * fused, 8 * fused, 32 * fused}

// maxFiltered is the maximum number of results of filters that are all compared.
const maxFiltered = 5_000

// find lists the blocks nearest to a vector that pass the filters of a query and that its viewer sees, the nearest first.
// Vectors only suggest candidates: the database decides about each of them. Blocks that not everyone sees are compared only
// if they are among those of this viewer, so that those of others do not displace any results.
func (m *Meaning) find(ctx context.Context, v *store.Snapshot, x *vectors.Index, at vectors.Vector, q store.SearchQuery, n int) (found []meant, err error) {
	q.Words = words.Query{Everything: true}
	some, few, err := filtered(ctx, v, q)
	if err != nil {
		return nil, err
	}
	if few {
		return visible(ctx, v, q, x.NearestOf(at, some, n, leastAlike))
	}
	var closed []vectors.Match
	if m.private && q.Viewer != 0 {
		own, err := v.Vectors().Closed(ctx, q.Viewer)
		if err != nil {
			return nil, err
		}
		closed = x.NearestOf(at, own, steps[len(steps)-1], leastAlike)
	}
	for _, step := range steps {
		candidates := vectors.Merge(step, x.Nearest(at, step, leastAlike), closed)
		if found, err = visible(ctx, v, q, candidates); err != nil || len(found) >= n || len(candidates) < step {
			break
		}
	}
	return found[:min(n, len(found))], err
}

// alikeEnough returns the blocks that are not much less similar than the first.
func alikeEnough(found []meant) []meant {
	for i, f := range found {
		if f.score < leastOfBest*found[0].score {
			return found[:i]
		}
	}
	return found
}

// filtered returns the blocks that pass the filters of a query. few is false if there is no filter that few things pass.
func filtered(ctx context.Context, v *store.Snapshot, q store.SearchQuery) (ids []int64, few bool, err error) {
	in := q.Search
	in.Query, in.Types, in.Sort, in.Page, in.Seed = "", nil, domain.SearchSort{}, domain.Page{}, 0
	if in.Scope == domain.SearchAll {
		in.Scope = ""
	}
	if reflect.DeepEqual(in, domain.Search{}) {
		return nil, false, nil
	}
	q.Sort, q.Page = domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, domain.Page{Number: 1, Per: maxFiltered}
	l, err := v.Search(ctx, q)
	if err != nil || l.Total > maxFiltered {
		return nil, false, err
	}
	for _, s := range l.Items {
		if s.Type == domain.SubjectBlock {
			ids = append(ids, s.ID)
		}
	}
	return ids, true, nil
}

// visible returns the candidates whose vectors are current, that pass the filters and that the viewer sees, in the same
// order.
func visible(ctx context.Context, v *store.Snapshot, q store.SearchQuery, candidates []vectors.Match) (found []meant, err error) {
	ids := make([]domain.BlockID, len(candidates))
	for i, c := range candidates {
		ids[i] = domain.BlockID(c.ID)
	}
	numbers, err := v.Vectors().Current(ctx, ids)
	if err != nil {
		return nil, err
	}
	seen, err := among(ctx, v, q, ids)
	if err != nil {
		return nil, err
	}
	for _, c := range candidates {
		id := domain.BlockID(c.ID)
		if number, ok := numbers[id]; ok && number == c.Change && seen[id] {
			found = append(found, meant{id, c.Score})
		}
	}
	return found, nil
}

// among returns which blocks are results of a query.
func among(ctx context.Context, v *store.Snapshot, q store.SearchQuery, ids []domain.BlockID) (map[domain.BlockID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q.Among = ids
	q.Sort, q.Page = domain.SearchSort{Key: domain.SearchByCreated, Desc: true}, domain.Page{Number: 1, Per: int64(len(ids))}
	l, err := v.Search(ctx, q)
	seen := make(map[domain.BlockID]bool, len(l.Items))
	for _, s := range l.Items {
		seen[domain.BlockID(s.ID)] = true
	}
	return seen, err
}

// similar lists blocks whose texts mean almost the same as that of a block and that the viewer sees.
func (m *Meaning) similar(ctx context.Context, v *store.Snapshot, x *vectors.Index, viewer domain.UserID, id domain.BlockID, n int) (ids []domain.BlockID, err error) {
	at, change, ok := x.Vector(int64(id))
	if !ok {
		return nil, nil
	}
	if numbers, err := v.Vectors().Current(ctx, []domain.BlockID{id}); err != nil || numbers[id] != change {
		return nil, err
	}
	found, err := m.find(ctx, v, x, at, store.SearchQuery{Viewer: viewer}, n+1)
	found = slices.DeleteFunc(found, func(f meant) bool { return f.block == id })
	for _, f := range alikeEnough(found) {
		if f.score >= leastSimilar {
			ids = append(ids, f.block)
		}
	}
	return ids[:min(n, len(ids))], err
}

// HasVector reports whether blocks with a similar meaning can be listed for a block.
func (a *Finder) HasVector(ctx context.Context, id domain.BlockID) (bool, error) {
	if a.Meaning == nil {
		return false, nil
	}
	numbers, err := a.Store.Vectors().Current(ctx, []domain.BlockID{id})
	return len(numbers) > 0, err
}

// textOf returns the text of a query whose meaning can be compared, or "" if it is to be taken literally: operators other
// than filters, phrases and addresses say exactly which words are wanted.
func textOf(q words.Query) string {
	if q.Everything || q.Restricted() || strings.ContainsAny(q.Plain, `"“”„`) || strings.Contains(q.Plain, "://") {
		return ""
	}
	for _, t := range q.Terms {
		if len(t.Or) > 0 || t.Title {
			return ""
		}
	}
	return strings.Join(strings.Fields(q.Plain), " ")
}
