// Package fragments remembers pieces of responses: encoded things, each by what it is of and
// the state that it shows. It is bounded in bytes and knows nothing of what it holds. Nobody
// has to tell it of changes: who asks names the state that a database has just given, and is
// given what was made of that state or nothing.
package fragments

import "sync"

// Key names what a piece is of: a kind that the caller chooses, and an id. Both are as wide, so
// that a key has no gap and is hashed at once.
type Key struct{ Kind, ID int64 }

// State tells one state of a thing from all others: versions, as a rule. Unused places are 0.
type State [6]int64

// shards is in how many parts a cache is locked.
const shards = 16

// overhead is what a piece takes beside its bytes: its entry, its place in the map, and what
// the allocator rounds up. Measured by TestOverhead.
const overhead = 240

// Cache holds the pieces that were asked for last. It begins empty and takes memory as it
// fills. It is safe for concurrent use; a nil Cache holds nothing.
type Cache struct {
	shards [shards]shard
}

// New makes a cache of at most size bytes, what it needs for itself included; nil for 0.
func New(size int64) *Cache {
	if size <= 0 {
		return nil
	}
	c := &Cache{}
	for i := range c.shards {
		s := &c.shards[i]
		s.most = size / shards
		s.ends.next, s.ends.prev = &s.ends, &s.ends
	}
	return c
}

// Get gives the piece of a thing in a state. It is shared: nobody may change it.
func (c *Cache) Get(k Key, s State) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	return c.shard(k).get(k, s)
}

// Holds reports whether there is a piece of a thing, in whichever state.
func (c *Cache) Holds(k Key) bool {
	if c == nil {
		return false
	}
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[k] != nil
}

// Put remembers a piece in place of whatever there was of the same thing, as long as there is
// room. Nobody may change it from then on.
func (c *Cache) Put(k Key, s State, piece []byte) {
	if c != nil {
		c.shard(k).put(k, s, piece)
	}
}

// Stats is how a cache is doing.
type Stats struct {
	Hits, Misses int64 // since it was made
	Bytes        int64 // what it takes now
}

// Stats gives how the cache is doing.
func (c *Cache) Stats() (sum Stats) {
	if c == nil {
		return sum
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		sum.Hits, sum.Misses, sum.Bytes = sum.Hits+s.hits, sum.Misses+s.misses, sum.Bytes+s.used
		s.mu.Unlock()
	}
	return sum
}

// shard is where a thing is: ids are given out one after the other, so things of each kind are
// spread evenly.
func (c *Cache) shard(k Key) *shard { return &c.shards[uint64(k.ID)%shards] }

// shard is a part of a cache: a map, and a ring of its entries from the one that was used
// last (ends.next) to the one that goes next (ends.prev).
type shard struct {
	mu           sync.Mutex
	entries      map[Key]*entry // made with the first
	ends         entry
	most, used   int64 // bytes
	hits, misses int64
}

type entry struct {
	key        Key
	state      State
	piece      []byte
	prev, next *entry
}

func (e *entry) size() int64 { return int64(cap(e.piece)) + overhead }

func (e *entry) unlink() { e.prev.next, e.next.prev = e.next, e.prev }

func (s *shard) get(k Key, state State) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[k]
	if e == nil || e.state != state {
		s.misses++
		return nil, false
	}
	s.hits++
	if s.ends.next != e {
		e.unlink()
		s.first(e)
	}
	return e.piece, true
}

// first puts an entry before all others.
func (s *shard) first(e *entry) {
	e.prev, e.next = &s.ends, s.ends.next
	e.prev.next, e.next.prev = e, e
}

func (s *shard) put(k Key, state State, piece []byte) {
	e := &entry{key: k, state: state, piece: piece}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.entries[k]; old != nil {
		s.drop(old)
	}
	if e.size() > s.most {
		return
	}
	for s.used+e.size() > s.most {
		s.drop(s.ends.prev)
	}
	if s.entries == nil {
		s.entries = map[Key]*entry{}
	}
	s.entries[k] = e
	s.used += e.size()
	s.first(e)
}

func (s *shard) drop(e *entry) {
	e.unlink()
	delete(s.entries, e.key)
	s.used -= e.size()
}
