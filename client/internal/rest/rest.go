// Package rest has what the generated code of the clients shares.
package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Path returns a path with its values and its query.
func Path(path string, values []any, query any) (string, error) {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = url.PathEscape(fmt.Sprint(v))
		if escaped[i] == "" || escaped[i] == "." || escaped[i] == ".." {
			return "", fmt.Errorf("client: %q is no id or slug", v)
		}
	}
	path = fmt.Sprintf(path, escaped...)
	if q := encodeQuery(query); q != "" {
		path += "?" + q
	}
	return path, nil
}

// encodeQuery encodes the fields of parameters that are not zero.
func encodeQuery(params any) string {
	v := reflect.ValueOf(params)
	if params == nil || v.IsNil() {
		return ""
	}
	v = v.Elem()
	out := url.Values{}
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		name, repeat := strings.CutSuffix(v.Type().Field(i).Tag.Get("query"), ",repeat")
		if all := queryValues(f); repeat {
			out[name] = all
		} else {
			out.Set(name, strings.Join(all, ","))
		}
	}
	return out.Encode()
}

func queryValues(f reflect.Value) []string {
	if f.Kind() == reflect.Pointer {
		f = f.Elem()
	}
	if t, ok := f.Interface().(time.Time); ok {
		return []string{t.Format(time.RFC3339Nano)}
	}
	if f.Kind() != reflect.Slice {
		return []string{fmt.Sprint(f.Interface())}
	}
	all := make([]string, f.Len())
	for i := range all {
		all[i] = fmt.Sprint(f.Index(i).Interface())
	}
	return all
}

// TypeOf returns the field "type" of an object.
func TypeOf(data []byte) (string, error) {
	var of struct{ Type string }
	err := json.Unmarshal(data, &of)
	return of.Type, err
}

// Pages returns the items of a list that is read page by page. An error is the last item.
func Pages[T any](next func() (data []T, more bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			data, more, err := next()
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range data {
				if !yield(item, nil) {
					return
				}
			}
			if !more || len(data) == 0 {
				return
			}
		}
	}
}

// Sleep waits, unless the context ends before.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
