// Package fragments caches encoded parts of responses by key and state. Its size in bytes is
// limited. Entries never have to be invalidated: callers look them up with the state that they
// have just read from the database, and find only entries of that state.
package fragments

import "sync"

// Key identifies a cached resource: a kind that the caller chooses, and an id. Both have the same
// size, so that a key has no padding and is hashed in one step.
type Key struct{ Kind, ID int64 }

// State identifies a state of a resource, usually by its versions. Unused elements are 0.
type State [6]int64

// shards is the number of separately locked parts of a cache.
const shards = 16

// overhead is the size of an entry without its bytes: the struct, its slot in the map, and the
// allocator's rounding. Measured by TestOverhead.
const overhead = 240

// Cache is an LRU cache. It allocates memory as it fills. It is safe for concurrent use; a nil
// Cache is always empty.
type Cache struct {
	shards [shards]shard
}

// New returns a cache of at most size bytes, including its overhead, or nil if size is 0.
func New(size int64) *Cache {
	if size <= 0 {
		return nil
	}
	c := &Cache{}
	for i := range c.shards {
		s := &c.shards[i]
		s.max = size / shards
		s.ends.next, s.ends.prev = &s.ends, &s.ends
	}
	return c
}

// Get returns the entry for a key and state. Callers must not change the bytes.
func (c *Cache) Get(k Key, s State) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	return c.shard(k).get(k, s)
}

// Holds reports whether there is an entry for a key, in any state.
func (c *Cache) Holds(k Key) bool {
	if c == nil {
		return false
	}
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[k] != nil
}

// Put stores an entry and replaces an existing one with the same key. Callers must not change the
// bytes afterwards.
func (c *Cache) Put(k Key, s State, data []byte) {
	if c != nil {
		c.shard(k).put(k, s, data)
	}
}

// Stats contains statistics of a cache.
type Stats struct {
	Hits, Misses int64 // since its creation
	Bytes        int64 // its current size
}

// Stats returns the statistics of the cache.
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

// shard returns the shard for a key. Ids are assigned in sequence, so the entries of each kind are
// spread evenly.
func (c *Cache) shard(k Key) *shard { return &c.shards[uint64(k.ID)%shards] }

// shard is a part of a cache: a map, and a ring of its entries from the most recently used one
// (ends.next) to the next one to drop (ends.prev).
type shard struct {
	mu           sync.Mutex
	entries      map[Key]*entry // created with the first entry
	ends         entry
	max, used    int64 // bytes
	hits, misses int64
}

type entry struct {
	key        Key
	state      State
	data       []byte
	prev, next *entry
}

func (e *entry) size() int64 { return int64(cap(e.data)) + overhead }

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
	return e.data, true
}

// first makes an entry the most recently used one.
func (s *shard) first(e *entry) {
	e.prev, e.next = &s.ends, s.ends.next
	e.prev.next, e.next.prev = e, e
}

func (s *shard) put(k Key, state State, data []byte) {
	e := &entry{key: k, state: state, data: data}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.entries[k]; old != nil {
		s.drop(old)
	}
	if e.size() > s.max {
		return
	}
	for s.used+e.size() > s.max {
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
