package lab

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"earshot/internal/upstream/lab/world"
)

// World sets how often sampled answers name each brand.
type World = world.Rates

// DefaultWorld returns the world of a lab that is not configured otherwise.
func DefaultWorld() *World { return world.DefaultRates() }

// ParseWorld reads a world from YAML or JSON. Its errors name the field.
func ParseWorld(text []byte) (*World, error) { return world.ParseRates(text) }

// sampleHeader enables sampling for a request, as the steering word sample does. The
// tasks of trackers send it.
const sampleHeader = "Lab-Sample"

type worldKey struct{}

// Populate returns the sites with a world from which they sample answers.
func Populate(w *World, sites ...Site) []Site {
	populated := make([]Site, len(sites))
	for i, site := range sites {
		populated[i] = Site{Host: site.Host, Routes: map[string]http.Handler{}}
		for pattern, handler := range site.Routes {
			populated[i].Routes[pattern] = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				handler.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), worldKey{}, w)))
			})
		}
	}
	return populated
}

// sample returns the sample that a request asks for, or nil if the request does not
// enable sampling.
func sample(r *http.Request, s Steering) *world.Sample {
	text := cmp.Or(s.Sample, r.Header.Get(sampleHeader))
	if text == "" {
		return nil
	}
	rates, known := r.Context().Value(worldKey{}).(*World)
	if !known {
		rates = world.DefaultRates()
	}
	if s.Brands != nil || s.Noise != nil || s.Shifts != nil {
		steered := *rates
		if s.Brands != nil {
			steered.Brands, steered.Shifts = s.Brands, nil
		}
		if s.Noise != nil {
			steered.DayNoise = *s.Noise
		}
		steered.Shifts = append(slices.Clone(steered.Shifts), s.Shifts...)
		rates = &steered
	}
	day, seed, dated := strings.Cut(text, "/")
	if !dated || !world.IsDay(day) {
		day, seed = "", text
	}
	return &world.Sample{Rates: rates, Day: day, Seed: seed}
}

// Direct returns a transport that calls the sites without a network, for callers that
// make very many requests.
func Direct(sites ...Site) http.RoundTripper { return direct{Handler(sites...)} }

type direct struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &written{header: http.Header{}, status: http.StatusOK}
	d.ServeHTTP(w, r)
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), Request: r}, nil
}

// written is an http.ResponseWriter that keeps the answer.
type written struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *written) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *written) WriteHeader(status int) { w.status = status }

func (w *written) Write(piece []byte) (int, error) { return w.body.Write(piece) }
