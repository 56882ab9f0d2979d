package app_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
)

// Several items move at once, the others keep their order, and moving back restores it.
func TestMovesOfSeveral(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada, bob := w.member("ada"), w.member("bob")
		for _, row := range []struct {
			name, letters, items string
			to                   []int64
			want                 string
			err                  byte
		}{
			{"apart", "abcdef", "fb", []int64{1, 6}, "facdeb", '+'},
			{"to the top", "abcdef", "ace", []int64{99, 99, 99}, "bdface", '+'},
			{"to the bottom", "abcdef", "fcb", []int64{1, 1, 1}, "bcfade", '+'},
			{"together, the upper one first", "abcdef", "ae", []int64{4, 4}, "bcaedf", '+'},
			{"all", "abcd", "abcd", []int64{4, 3, 2, 1}, "dcba", '+'},
			{"nowhere", "abcd", "bc", []int64{2, 3}, "abcd", '+'},
			{"over hidden channels", "aBcD", "ca", []int64{4, 1}, "aBDc", '+'},
			{"one twice", "abc", "aa", []int64{1, 2}, "abc", 'i'},
			{"to position 0", "abc", "a", []int64{0}, "abc", 'i'},
			{"none", "abc", "", nil, "abc", 'i'},
		} {
			l := newLettered(w, ada, domain.Public, row.letters)
			var to []collections.Placing
			for i, letter := range row.items {
				to = append(to, collections.Placing{Connection: l.conns[letter], Position: row.to[i]})
			}
			r, err := w.a.Collections.MoveConnections(w.ctx(), ada, l.ref(), to)
			if got := l.order(ada); outcome(err) != row.err || got != row.want {
				t.Errorf("%s: %s, %v; want %s, %c", row.name, got, err, row.want, row.err)
			}
			if err != nil {
				continue
			}
			_, err = w.a.Collections.MoveConnections(w.ctx(), ada, l.ref(), r.Before)
			if got := l.order(ada); err != nil || got != row.letters {
				t.Errorf("%s and back: %s, %v", row.name, got, err)
			}
			if (r.Undo == "") != (row.want == row.letters) {
				t.Errorf("%s: the key for undoing is %q", row.name, r.Undo)
			}
		}

		l, other := newLettered(w, ada, domain.Public, "abc"), newLettered(w, ada, domain.Public, "xyz")
		r, err := w.a.Collections.MoveConnections(w.ctx(), ada, l.ref(), []collections.Placing{placing(1<<40, 1), placing(other.conns['x'], 2), placing(l.conns['a'], 3)})
		if got := l.order(ada); err != nil || r.Gone != 2 || len(r.Before) != 1 || got != "bca" || other.order(ada) != "xyz" {
			t.Errorf("items of other channels: %s, %+v, %v", got, r, err)
		}
		_, err = w.a.Collections.MoveConnections(w.ctx(), bob, l.ref(), []collections.Placing{placing(l.conns['a'], 1)})
		if outcome(err) != 'f' || l.order(ada) != "bca" {
			t.Errorf("a stranger: %v", err)
		}

		r, err = w.a.Collections.MoveConnections(w.ctx(), ada, l.ref(), []collections.Placing{placing(l.conns['b'], 3), placing(l.conns['a'], 2)})
		if got := l.order(ada); err != nil || got != "cab" {
			t.Fatalf("to be undone: %s, %v", got, err)
		}
		if _, err = w.a.Collections.UndoRemoval(w.ctx(), bob, r.Undo); outcome(err) != 'n' || l.order(ada) != "cab" {
			t.Errorf("undone by a stranger: %v", err)
		}
		for range 2 { // the second time changes nothing
			back, err := w.a.Collections.UndoRemoval(w.ctx(), ada, r.Undo)
			if got := l.order(ada); err != nil || got != "bca" || back.Count != 2 || back.Lost != 0 {
				t.Errorf("undone: %s, %+v, %v", got, back, err)
			}
			if _, err := w.a.Collections.MoveConnections(w.ctx(), ada, l.ref(), []collections.Placing{placing(l.conns['c'], 2)}); err != nil {
				t.Fatal(err)
			}
		}
		if r, err = w.a.Collections.MoveConnections(w.ctx(), ada, l.ref(), []collections.Placing{placing(l.conns['b'], 3), placing(l.conns['a'], 2)}); err != nil {
			t.Fatal(err)
		}
		if _, err = w.a.Collections.RemoveConnections(w.ctx(), ada, l.ref(), []domain.ConnectionID{l.conns['b']}); err != nil {
			t.Fatal(err)
		}
		if back, err := w.a.Collections.UndoRemoval(w.ctx(), ada, r.Undo); err != nil || back.Count != 1 || back.Lost != 1 || l.order(ada) != "ca" {
			t.Errorf("undone without a removed item: %s, %+v, %v", l.order(ada), back, err)
		}

		secret := newLettered(w, ada, domain.Private, "abc")
		if _, err = w.a.Collections.MoveConnections(w.ctx(), bob, secret.ref(), []collections.Placing{placing(secret.conns['a'], 1)}); outcome(err) != 'n' {
			t.Errorf("in a hidden channel: %v", err)
		}
	})
}

// The order is the same as if the items were taken out and put in again one by one, from the bottom.
func TestMovesOfSeveralByModel(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada := w.member("ada")
		random := rand.New(rand.NewPCG(34, 10))
		letters := []rune("abcdefghijkl")
		l := newLettered(w, ada, domain.Public, string(letters))
		for range 40 {
			places := random.Perm(len(letters))
			taken := random.Perm(len(letters))[:1+random.IntN(len(letters))]
			to := map[int]rune{}
			var placings []collections.Placing
			for i, at := range taken {
				to[places[i]] = letters[at]
				placings = append(placings, collections.Placing{Connection: l.conns[letters[at]], Position: int64(places[i] + 1)})
			}
			was := string(letters)
			rest := slices.DeleteFunc(slices.Clone(letters), func(r rune) bool {
				return slices.ContainsFunc(taken, func(at int) bool { return []rune(was)[at] == r })
			})
			for at := range letters {
				if letter, is := to[at]; is {
					letters[at] = letter
				} else {
					letters[at], rest = rest[0], rest[1:]
				}
			}
			_, err := w.a.Collections.MoveConnections(w.ctx(), ada, l.ref(), placings)
			if got := l.order(ada); err != nil || got != string(letters) {
				t.Fatalf("%s with %v: %s, %v; want %s", was, placings, got, err, string(letters))
			}
		}
	})
}

// Moves at the same time leave dense positions and all items.
func TestMovesOfSeveralAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		w.first("op")
		ada := w.member("ada")
		l := newLettered(w, ada, domain.Public, "abcdefgh")
		var all sync.WaitGroup
		for _, pair := range []string{"ab", "cd", "ef", "gh", "ha"} {
			all.Go(func() {
				for position := range int64(8) {
					_, err := w.a.Collections.MoveConnections(w.ctx(), ada, l.ref(), []collections.Placing{placing(l.conns[rune(pair[0])], position+1), placing(l.conns[rune(pair[1])], 8-position)})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if got := strings.Split(l.order(ada), ""); strings.Join(slices.Sorted(slices.Values(got)), "") != "abcdefgh" {
			t.Error(got)
		}
	})
}

// placing returns the place of a connection.
func placing(id domain.ConnectionID, position int64) collections.Placing {
	return collections.Placing{Connection: id, Position: position}
}
