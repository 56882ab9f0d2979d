package main

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestFind(t *testing.T) {
	file := func(code string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(code)} }
	packages, got, err := find(fstest.MapFS{
		"a/a_test.go": file(`package a
			func TestStatement(t *testing.T) { go f() }
			func TestGroup(t *testing.T) { var g sync.WaitGroup; g.Go(f) }
			func TestHelper(t *testing.T) { t.Run("x", func(t *testing.T) { twice(f) }) }
			func TestHelperElsewhere(t *testing.T) { btest.Both(f, f) }
			func TestServer(t *testing.T) { serve() }
			func TestAlone(t *testing.T) { f() }
			func twice(do func()) { many(2, do) }
			func serve() { go listen() }`),
		"btest/b.go": file(`package btest
			func Both(a, b func()) { go a(); b() }`),
		"a/many_test.go": file(`package a
			func many(n int, do func()) { for range n { go do() } }`),
		"a/a.go": file(`package a
			func TestName() { go f() }`),
	})
	want := []string{"TestGroup", "TestHelper", "TestHelperElsewhere", "TestStatement"}
	if err != nil || !slices.Equal(got, want) || !slices.Equal(packages, []string{"a"}) {
		t.Errorf("got %v, %v, %v", packages, got, err)
	}
}
