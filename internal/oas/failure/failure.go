// Package failure contains the errors of the generated decoders.
package failure

import (
	"context"
	"fmt"
	"net/http"
)

// ErrorHandler responds with an error.
type ErrorHandler func(ctx context.Context, w http.ResponseWriter, r *http.Request, err error)

// OperationContext is the operation of an error.
type OperationContext struct{ Name, ID string }

// DecodeParamsError is an error of the parameters of a request.
type DecodeParamsError struct {
	OperationContext
	Err error
}

func (e *DecodeParamsError) Error() string {
	return fmt.Sprintf("operation %s: decode parameters: %s", e.Name, e.Err)
}

func (e *DecodeParamsError) Unwrap() error { return e.Err }

// DecodeParamError is an error of one parameter in a place such as "query".
type DecodeParamError struct {
	Name, In string
	Err      error
}

func (e *DecodeParamError) Error() string { return fmt.Sprintf("%s: %q: %s", e.In, e.Name, e.Err) }
func (e *DecodeParamError) Unwrap() error { return e.Err }

// DecodeRequestError is an error of the body of a request.
type DecodeRequestError struct {
	OperationContext
	Err error
}

func (e *DecodeRequestError) Error() string {
	return fmt.Sprintf("operation %s: decode the body: %s", e.Name, e.Err)
}

func (e *DecodeRequestError) Unwrap() error { return e.Err }

// DecodeBodyError is an error of the JSON of a body.
type DecodeBodyError struct {
	ContentType string
	Body        []byte
	Err         error
}

func (e *DecodeBodyError) Error() string { return fmt.Sprintf("decode %s: %s", e.ContentType, e.Err) }
func (e *DecodeBodyError) Unwrap() error { return e.Err }
