package blob

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// S3Options are the address of a bucket, as parsed by ParseURL, with credentials and further options.
type S3Options struct {
	Bucket   string
	Prefix   string // of all names, such as "vitrine/media"; may be empty
	Endpoint string // "http://host:port" or "https://host"
	// PublicEndpoint is the address of the server for clients, for presigned URLs. The default is
	// Endpoint.
	PublicEndpoint string
	Region         string
	// PathStyle puts the bucket name into the path instead of the host name. If nil, the host name is
	// used with providers that are known to support it.
	PathStyle *bool

	AccessKey string
	SecretKey string

	// Timeout is the timeout for a response; default five seconds.
	Timeout time.Duration
	// Watch, if not nil, wraps the HTTP transport.
	Watch func(http.RoundTripper) http.RoundTripper
}

const (
	defaultEndpoint = "https://s3.amazonaws.com"
	defaultRegion   = "us-east-1"
)

// ParseURL parses an address such as
//
//	s3://bucket/prefix?endpoint=http://127.0.0.1:7070&region=us-east-1
//
// with the parameters endpoint, public-endpoint, region and path-style (true or false). The default
// endpoint is Amazon's. Errors do not contain the address, because it may contain a password.
func ParseURL(raw string) (S3Options, error) {
	u, err := url.Parse(raw)
	if err != nil {
		if parsing, ok := errors.AsType[*url.Error](err); ok {
			err = parsing.Err
		}
		return S3Options{}, fmt.Errorf("the S3 address is malformed: %w", err)
	}
	switch {
	case u.Scheme != "s3":
		return S3Options{}, errors.New("the S3 address does not begin with s3://")
	case u.User != nil:
		return S3Options{}, errors.New("the S3 address must not contain credentials: use the settings for them")
	case u.Host == "" || u.Port() != "" || u.Opaque != "":
		return S3Options{}, errors.New("the S3 address has no bucket after s3://")
	case u.Fragment != "":
		return S3Options{}, errors.New("the S3 address has a # in it")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return S3Options{}, fmt.Errorf("the S3 address is malformed: %w", err)
	}
	o := S3Options{
		Bucket:   u.Host,
		Prefix:   strings.Trim(u.Path, "/"),
		Endpoint: defaultEndpoint,
		Region:   defaultRegion,
	}
	for name, values := range query {
		if len(values) > 1 {
			return S3Options{}, fmt.Errorf("the S3 address has %q twice", name)
		}
		if err := o.set(name, values[0]); err != nil {
			return S3Options{}, fmt.Errorf("the S3 address: %w", err)
		}
	}
	return o, o.check()
}

func (o *S3Options) set(name, value string) error {
	switch name {
	case "endpoint":
		o.Endpoint = value
	case "public-endpoint":
		o.PublicEndpoint = value
	case "region":
		o.Region = value
	case "path-style":
		if value != "true" && value != "false" {
			return fmt.Errorf("path-style must be true or false, not %q", value)
		}
		o.PathStyle = new(value == "true")
	default:
		return fmt.Errorf("unknown parameter %q", name)
	}
	return nil
}

// check checks options that minio does not check, or only with the first request.
func (o *S3Options) check() error {
	if err := s3utils.CheckValidBucketNameStrict(o.Bucket); err != nil {
		return fmt.Errorf("the S3 address: %w", err)
	}
	if o.Prefix != "" {
		if err := checkName(o.Prefix); err != nil {
			return fmt.Errorf("the S3 address has an invalid prefix: %w", err)
		}
	}
	if o.Region == "" {
		return errors.New("the S3 address has an empty region")
	}
	if _, err := parseEndpoint(o.Endpoint); err != nil {
		return fmt.Errorf("the S3 address: endpoint: %w", err)
	}
	if o.PublicEndpoint != "" {
		if _, err := parseEndpoint(o.PublicEndpoint); err != nil {
			return fmt.Errorf("the S3 address: public-endpoint: %w", err)
		}
	}
	return nil
}

// parseEndpoint parses a scheme and a host with an optional port.
func parseEndpoint(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		strings.TrimSuffix(raw, "/") != u.Scheme+"://"+u.Host {
		return nil, errors.New("it must be http:// or https:// and a host, without a path")
	}
	return u, nil
}
