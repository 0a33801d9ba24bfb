package api

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"earshot/internal/schema"
	"earshot/internal/store"
)

// none is the type of a missing query or body.
type none struct{}

// unchecked is a body of type T that the handler validates further before it calls Err.
type unchecked[T any] struct {
	*schema.Object
	value T
}

// unread is a body of type T that the handler reads itself.
type unread[T any] struct{}

func (unchecked[T]) shape() any { return *new(T) }

func (unread[T]) shape() any { return *new(T) }

// decode decodes the body. Its problems are recorded in the object.
func (u *unchecked[T]) decode(c *call) (err error) {
	if u.Object, err = c.object(); err == nil {
		u.Decode(&u.value)
	}
	return err
}

func (*unread[T]) decode(*call) error { return nil }

// operation completes a declaration. The types of the query, body and response are the
// types of serve, which gets the decoded query and body and returns the response. The
// response is sent as JSON.
func operation[Q, B, R any](o Operation, serve func(s *Server, c *call, q Q, body B) (R, error)) Operation {
	o.Response = shapeOf[R]()
	return special(o, func(s *Server, c *call, q Q, body B) error {
		response, err := serve(s, c, q, body)
		if err == nil {
			err = s.keepAnswer(c, response)
		}
		if err != nil {
			return err
		}
		if version, ok := any(response).(tagged); ok {
			c.w.Header().Set("ETag", version.Tag())
		}
		return c.json(response)
	})
}

// orZero returns the value of a field of a patch, or the zero value if the field is absent.
func orZero[T any](field *T) (value T) {
	if field != nil {
		value = *field
	}
	return value
}

// special completes a declaration whose serve writes the response itself.
func special[Q, B any](o Operation, serve func(s *Server, c *call, q Q, body B) error) Operation {
	o.Query, o.Body = shapeOf[Q](), shapeOf[B]()
	o.serve = func(s *Server, c *call) error {
		var q Q
		var body B
		if o.Query != nil {
			if err := c.query(&q); err != nil {
				return err
			}
		}
		if o.Body != nil {
			if err := c.decode(&body); err != nil {
				return err
			}
		}
		err := serve(s, c, q, body)
		if o.Finds != "" {
			err = notFoundAs(err, o.Finds, c.subject())
		}
		return err
	}
	return o
}

// shapeOf returns a zero value of the type that the OpenAPI document shows for T, or nil. For a
// pointer, this is the type that it points to.
func shapeOf[T any]() any {
	if t := reflect.TypeFor[T](); t.Kind() == reflect.Pointer {
		return reflect.Zero(t.Elem()).Interface()
	}
	switch zero := any(*new(T)).(type) {
	case none:
		return nil
	case interface{ shape() any }:
		return zero.shape()
	default:
		return zero
	}
}

// decode decodes the body into the value that body points to.
func (c *call) decode(body any) error {
	if own, ok := body.(interface{ decode(c *call) error }); ok {
		return own.decode(c)
	}
	in, err := c.object()
	if err != nil {
		return err
	}
	in.Decode(body)
	return in.Err()
}

func (c *call) context() context.Context { return c.r.Context() }

func (c *call) organization() string { return c.principal.OrganizationID }

// subject returns the last path parameter: the id or name that the operation is about.
func (c *call) subject() string {
	path := c.route.Path
	return validText(c.r.PathValue(path[strings.LastIndex(path, "{")+1 : strings.LastIndex(path, "}")]))
}

// validText returns text from a path, or "?", which is nobody's name, if PostgreSQL would not
// accept it.
func validText(text string) string {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "?"
	}
	return text
}

// notFoundAs replaces store.ErrNotFound by errNotFound for the given thing.
func notFoundAs(err error, thing, id string) error {
	if errors.Is(err, store.ErrNotFound) {
		return errNotFound(thing, id)
	}
	return err
}
