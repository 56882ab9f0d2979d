package domain

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestMergeMetadata(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		current Metadata
		patch   string
		want    Metadata
	}{
		"set at first":          {"", `{"b": 1, "a": "x"}`, `{"a":"x","b":1}`},
		"empty at first":        {"", `{}`, `{}`},
		"add and replace":       {`{"a":"x","b":1}`, `{"b":true,"c":false}`, `{"a":"x","b":true,"c":false}`},
		"null removes":          {`{"a":"x","b":1}`, `{"a":null}`, `{"b":1}`},
		"emptied":               {`{"a":"x"}`, `{"a":null}`, `{}`},
		"null of nothing":       {"", `{"a":null}`, `{}`},
		"nothing":               {`{"a":"x"}`, `{}`, `{"a":"x"}`},
		"case counts":           {`{"a":1}`, `{"A":2}`, `{"A":2,"a":1}`},
		"large integer":         {"", `{"n":9007199254740993123}`, `{"n":9007199254740993123}`},
		"number as written":     {"", `{"n":1.50e+3,"z":-0}`, `{"n":1.50e+3,"z":-0}`},
		"tiny number":           {"", `{"n":1e-999}`, `{"n":1e-999}`},
		"kept through a merge":  {`{"n":9007199254740993123}`, `{"a":1}`, `{"a":1,"n":9007199254740993123}`},
		"escapes are undone":    {"", `{"s":"\u0041\/\n\"<&>"}`, `{"s":"A/\n\"<&>"}`},
		"escaped key":           {"", `{"\u0061":1}`, `{"a":1}`},
		"key twice":             {"", `{"a":1,"a":2}`, `{"a":2}`},
		"string at the limit":   {"", `{"s":"` + strings.Repeat("é", 2000) + `"}`, Metadata(`{"s":"` + strings.Repeat("é", 2000) + `"}`)},
		"empty string":          {"", `{"s":""}`, `{"s":""}`},
		"key at the limit":      {"", `{"` + strings.Repeat("k", 40) + `":1}`, Metadata(`{"` + strings.Repeat("k", 40) + `":1}`)},
		"surrogate alone":       {"", `{"s":"\ud800"}`, "{\"s\":\"\uFFFD\"}"},
		"white space around it": {"", " {\n\"a\" : 1 }\n", `{"a":1}`},
	}
	for name, test := range tests {
		got, err := MergeMetadata(test.current, []byte(test.patch), true)
		if err != nil || got != test.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, test.want)
		}
	}
}

func TestMergeMetadataInvalid(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2001)
	tests := map[string]struct {
		patch     string
		allowNull bool
		want      []string // prefixes of the faults
	}{
		"array":         {`[]`, true, []string{"metadata: "}},
		"null":          {`null`, true, []string{"metadata: "}},
		"string":        {`"a"`, true, []string{"metadata: "}},
		"no JSON":       {`{"a":}`, true, []string{"metadata: "}},
		"two objects":   {`{}{}`, true, []string{"metadata: "}},
		"nothing":       {``, true, []string{"metadata: "}},
		"null in new":   {`{"a":null}`, false, []string{"metadata.a: "}},
		"object":        {`{"a":{}}`, true, []string{"metadata.a: "}},
		"infinite":      {`{"a":1e400}`, true, []string{"metadata.a: "}},
		"long string":   {`{"a":"` + long + `"}`, true, []string{"metadata.a: "}},
		"empty key":     {`{"":1}`, true, []string{`metadata."": `}},
		"key of 41":     {`{"` + strings.Repeat("k", 41) + `":1}`, true, []string{`metadata."kkk`}},
		"foreign key":   {`{"é":1}`, true, []string{`metadata."é": `}},
		"key with dash": {`{"a-b":null}`, true, []string{`metadata."a-b": `}},
		"everything, by key": {
			`{"z":[1],"b c":{},"ok":1,"a":-1e999,"m":null}`, false,
			[]string{"metadata.a: ", `metadata."b c": a key`, `metadata."b c": must`, "metadata.m: ", "metadata.z: "},
		},
	}
	for name, test := range tests {
		const current = `{"a":"kept"}`
		got, err := MergeMetadata(current, []byte(test.patch), test.allowNull)
		if got != current {
			t.Errorf("%s: changed to %s", name, got)
		}
		failure, ok := errors.AsType[*Error](err)
		if !ok || failure.Kind != Invalid {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		if !slices.EqualFunc(failure.Lines(), test.want, strings.HasPrefix) {
			t.Errorf("%s: fields %q, want %q", name, failure.Lines(), test.want)
		}
	}
}

func TestMergeMetadataTooMuch(t *testing.T) {
	t.Parallel()
	fifty := "{"
	for i := range 50 {
		fifty += fmt.Sprintf(`"k%02d":%d,`, i, i)
	}
	full := Metadata(strings.TrimSuffix(fifty, ",") + "}")
	heavy := "{" // exactly at the limit, with two bytes per character in the last value
	for i := range 15 {
		heavy += fmt.Sprintf(`"v%02d":"%s",`, i, strings.Repeat("x", 2000))
	}
	rest := MaxMetadataBytes - len(heavy) - len(`"y":""}`)
	heavy += `"y":"` + strings.Repeat("é", rest/2) + strings.Repeat("y", rest%2) + `"}`
	tests := map[string]struct {
		current Metadata
		patch   string
		ok      bool
	}{
		"50 keys":                  {"", string(full), true},
		"50 replaced":              {full, `{"k00":"x"}`, true},
		"51 keys":                  {full, `{"new":1}`, false},
		"51 with one gone":         {full, `{"new":1,"k00":null}`, true},
		"32,768 bytes":             {"", heavy, true},
		"one more":                 {Metadata(heavy), `{"z":1}`, false},
		"one more, in one's place": {Metadata(heavy), `{"z":1,"v00":null}`, true},
	}
	for name, test := range tests {
		got, err := MergeMetadata(test.current, []byte(test.patch), true)
		if test.ok != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
		if !test.ok && (KindOf(err) != Unprocessable || got != test.current) {
			t.Errorf("%s: kind %d, %d bytes left of %d", name, KindOf(err), len(got), len(test.current))
		}
	}
}

func TestMergeMetadataUnreadable(t *testing.T) {
	t.Parallel()
	got, err := MergeMetadata("{", []byte(`{"a":1}`), true)
	if KindOf(err) != Internal || err == nil || got != "{" {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzMergeMetadata(f *testing.F) {
	f.Add(`{"a":1,"b":"x"}`, `{"a":null,"c":true}`)
	f.Add(``, `{"n":1e400,"s":"\ud800\u0000","":[{}]}`)
	f.Add(`{}`, `{"k":-0.0E+07,"k":"<&>\u2028"}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		current, err := MergeMetadata("", []byte(first), false)
		if err != nil {
			current = ""
		}
		got, err := MergeMetadata(current, []byte(second), true)
		if err != nil {
			if kind := KindOf(err); got != current || kind != Invalid && kind != Unprocessable {
				t.Fatalf("%v, kind %d, %q became %q", err, kind, current, got)
			}
			return
		}
		if !json.Valid([]byte(got)) || len(got) > MaxMetadataBytes {
			t.Fatalf("%q is no metadata", got)
		}
		for name, patch := range map[string]Metadata{"nothing": "{}", "itself": got} {
			if again, err := MergeMetadata(got, []byte(patch), false); err != nil || again != got {
				t.Fatalf("%q merged with %s is %q, %v", got, name, again, err)
			}
		}
	})
}
