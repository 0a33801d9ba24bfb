package api

import (
	"context"
	"errors"
	"strings"

	"earshot/internal/schema"
	"earshot/internal/store"
)

// none is the query or the body of an operation that takes none.
type none struct{}

// unchecked is a body of type T that the handler checks further before it calls Err.
type unchecked[T any] struct {
	*schema.Object
	value T
}

// unread is a body of type T that the handler reads itself.
type unread[T any] struct{}

func (unchecked[T]) shape() any { return *new(T) }

func (unread[T]) shape() any { return *new(T) }

// decode reads the body and leaves what is wrong with it in the object.
func (u *unchecked[T]) decode(c *call) (err error) {
	if u.Object, err = c.object(); err == nil {
		u.Decode(&u.value)
	}
	return err
}

func (*unread[T]) decode(*call) error { return nil }

// operation completes a declaration. The types of serve are the types of the operation:
// serve gets the query and the body of a request and returns the response, which is sent
// as JSON.
func operation[Q, B, R any](o Operation, serve func(s *Server, c *call, q Q, body B) (R, error)) Operation {
	o.Response = shapeOf[R]()
	return special(o, func(s *Server, c *call, q Q, body B) error {
		response, err := serve(s, c, q, body)
		if err != nil {
			return err
		}
		return c.json(response)
	})
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

// shapeOf is a zero value of the type that the OpenAPI document shows for T, nil for none.
func shapeOf[T any]() any {
	switch zero := any(*new(T)).(type) {
	case none:
		return nil
	case interface{ shape() any }:
		return zero.shape()
	default:
		return zero
	}
}

// decode reads the body into the value that body points to.
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

// subject is the last part of the path that varies: the id or the name of what the
// operation is about.
func (c *call) subject() string {
	path := c.route.Path
	return c.r.PathValue(path[strings.LastIndex(path, "{")+1 : strings.LastIndex(path, "}")])
}

// notFoundAs returns the error of a missing thing in the place of store.ErrNotFound.
func notFoundAs(err error, thing, id string) error {
	if errors.Is(err, store.ErrNotFound) {
		return errNotFound(thing, id)
	}
	return err
}
