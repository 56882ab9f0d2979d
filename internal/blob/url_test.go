package blob_test

import (
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/blob"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]blob.S3Options{
		"s3://media":   {Bucket: "media", Endpoint: "https://s3.amazonaws.com", Region: "us-east-1"},
		"s3://media/":  {Bucket: "media", Endpoint: "https://s3.amazonaws.com", Region: "us-east-1"},
		"s3://me.dia?": {Bucket: "me.dia", Endpoint: "https://s3.amazonaws.com", Region: "us-east-1"},
		"s3://media/a/b/?endpoint=http://127.0.0.1:7070&region=eu-west-3&path-style=true": {
			Bucket: "media", Prefix: "a/b", Endpoint: "http://127.0.0.1:7070", Region: "eu-west-3", PathStyle: new(true)},
		"s3://media?endpoint=https%3A%2F%2Fs3.example.org%2F&path-style=false&public-endpoint=https://files.example.org": {
			Bucket: "media", Endpoint: "https://s3.example.org/", Region: "us-east-1", PathStyle: new(false),
			PublicEndpoint: "https://files.example.org"},
		"s3://media?endpoint=http://[::1]:7070": {Bucket: "media", Endpoint: "http://[::1]:7070", Region: "us-east-1"},
	} {
		got, err := blob.ParseURL(raw)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", raw, got, err)
			continue
		}
		got.AccessKey, got.SecretKey = "key", "secret"
		if _, err := blob.OpenS3(got); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestParseURLRefuses(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"":                                  "s3://",
		"https://media":                     "s3://",
		"media":                             "s3://",
		"s3:media":                          "no bucket",
		"s3://":                             "no bucket",
		"s3:///media":                       "no bucket",
		"s3://media:80":                     "no bucket",
		"s3://key:hunter2@media":            "credentials",
		"s3://key:hunter2@media:x":          "malformed",
		"s3://media#x":                      "#",
		"s3://media?%zz":                    "malformed",
		"s3://media/a//b":                   "prefix",
		"s3://media/../b":                   "prefix",
		"s3://media?regoin=x":               `"regoin"`,
		"s3://media?region=":                "region",
		"s3://media?region=a&region=b":      "twice",
		"s3://media?path-style=yes":         "path-style",
		"s3://media?path-style":             "path-style",
		"s3://media?endpoint=":              "endpoint",
		"s3://media?endpoint=localhost:80":  "endpoint",
		"s3://media?endpoint=ftp://a":       "endpoint",
		"s3://media?endpoint=http://":       "endpoint",
		"s3://media?endpoint=http://a/b":    "endpoint",
		"s3://media?endpoint=http://a?b":    "endpoint",
		"s3://media?endpoint=http://u:p@a":  "endpoint",
		"s3://media?public-endpoint=/media": "public-endpoint",
	} {
		_, err := blob.ParseURL(raw)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestOpenS3Refuses(t *testing.T) {
	t.Parallel()
	good := blob.S3Options{Bucket: "media", Endpoint: "http://a", Region: "r", AccessKey: "k", SecretKey: "s"}
	if _, err := blob.OpenS3(good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(o *blob.S3Options){
		"no access key": func(o *blob.S3Options) { o.AccessKey = "" },
		"no secret key": func(o *blob.S3Options) { o.SecretKey = "" },
		"no endpoint":   func(o *blob.S3Options) { o.Endpoint = "" },
		"no bucket":     func(o *blob.S3Options) { o.Bucket = "" },
		"odd bucket":    func(o *blob.S3Options) { o.Bucket = "a_B" },
		"odd prefix":    func(o *blob.S3Options) { o.Prefix = "a b" },
		"odd public":    func(o *blob.S3Options) { o.PublicEndpoint = "a" },
	} {
		o := good
		spoil(&o)
		if _, err := blob.OpenS3(o); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
