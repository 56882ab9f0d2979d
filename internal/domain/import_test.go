package domain

import "testing"

func TestImportSourceIsFile(t *testing.T) {
	t.Parallel()
	for source, want := range map[ImportSource]bool{FromArena: false, FromFile: true, FromBookmarks: true, FromSheet: true, FromExport: true, "": true} {
		if got := source.IsFile(); got != want {
			t.Errorf("%q: %t", source, got)
		}
	}
}

func TestHeadsOfFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file ImportFile
		head string
	}{
		{ImportFile{}, `{}`},
		{ImportFile{Asked: "koi8-r"}, `{"asked":"koi8-r"}`},
		{ImportFile{Format: "CSV", Encoding: "utf-8", Links: 1, Texts: 2, Embeds: 3, Files: 4},
			`{"format":"CSV","encoding":"utf-8","links":1,"texts":2,"embeds":3,"files":4}`},
	} {
		if head := tt.file.Head(); head != tt.head {
			t.Errorf("%+v: %s, want %s", tt.file, head, tt.head)
		}
		if file, err := (ImportStep{Head: tt.head}).File(); err != nil || file != tt.file {
			t.Errorf("%s: %+v, %v", tt.head, file, err)
		}
	}
	for _, head := range []string{"", "[]", `{"links":"x"}`} {
		if file, err := (ImportStep{Head: head}).File(); err == nil {
			t.Errorf("%q: %+v", head, file)
		}
	}
}
