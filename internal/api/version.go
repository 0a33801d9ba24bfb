package api

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"

	"earshot"
)

// tagged is a response with a version, which is sent as ETag.
type tagged interface{ Tag() string }

// IsTagged reports whether the operation's response has an ETag.
func (o *Operation) IsTagged() bool {
	_, ok := o.Response.(tagged)
	return ok
}

// withCurrent adds the current version of the resource to the error of a request whose If-Match does
// not match.
func (s *Server) withCurrent(c *call, err error) error {
	refused, ok := errors.AsType[*earshot.Error](err)
	if !ok || refused.Code != earshot.CodePrecondition {
		return err
	}
	details, _ := refused.Details.(earshot.VersionDetails) // always the type
	get := s.gets[c.route.Path]
	if get.serve == nil || details.ETag == "" {
		return err
	}
	request := c.r.Clone(c.context())
	request.Method, request.URL = http.MethodGet, &url.URL{Path: c.r.URL.Path}
	request.Header.Del("Accept-Encoding")
	answer := &recorder{header: http.Header{}}
	read := &call{server: s, w: answer, r: request, id: c.id, started: c.started, route: &get, principal: c.principal}
	if err := get.serve(s, read); err != nil {
		return err
	}
	details.ETag, details.Current = answer.header.Get("ETag"), answer.body.Bytes()
	c.w.Header().Set("ETag", details.ETag)
	refused.Details = details
	return refused
}

// recorder records a response.
type recorder struct {
	header http.Header
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
