package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"

	"earshot"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

// Reparsed compares the result of parsing a capture again with the stored result.
type Reparsed struct {
	Capture  string         `json:"capture"`
	Job      string         `json:"job"`
	Provider string         `json:"provider"`
	Before   earshot.Status `json:"before"`
	// Reason is why parsing fails now; empty if it succeeds.
	Reason earshot.Reason `json:"reason,omitempty"`
	// Changes describes the fields that differ. It is nil if no field differs, or if there
	// is no stored result, as for calls.
	Changes []string `json:"changes,omitempty"`
}

// Reparse parses every stored capture again, with the request of its job, and calls report
// with each result.
func Reparse(ctx context.Context, cfg Config, report func(Reparsed) error) error {
	s, err := OpenStore(ctx, cfg, false)
	if err != nil {
		return err
	}
	captures, err := capture.Open(ctx, cfg.Captures, filepath.Join(cfg.Data, "captures"))
	if err != nil {
		return errors.Join(err, s.Close())
	}
	all, err := s.CapturedJobs(ctx, s.Now())
	for i := 0; err == nil && i < len(all); i++ {
		var now Reparsed
		if now, err = reparse(ctx, captures, all[i]); err == nil {
			err = report(now)
		}
	}
	return errors.Join(err, s.Close())
}

func reparse(ctx context.Context, captures capture.Store, c store.CapturedJob) (Reparsed, error) {
	now := Reparsed{Capture: c.ID, Job: c.Job.ID, Provider: c.Job.Provider, Before: c.Status}
	var documents [][]byte
	for n := range c.Pages {
		page, err := captures.Page(ctx, c.ID, n+1)
		if err != nil {
			return now, fmt.Errorf("capture %s: %w", c.ID, err)
		}
		documents = append(documents, rawdoc.CapturedDocument(page))
	}
	result, err := askAgain(ctx, c.Job, documents, redirectsIn(c.Result))
	failure, failed := errors.AsType[*upstream.Failure](err)
	switch {
	case failed:
		now.Reason = failure.Reason
	case err != nil:
		return now, fmt.Errorf("capture %s: %w", c.ID, err)
	case c.Result != nil:
		now.Changes, err = differences(c.Result, result)
	}
	return now, err
}

// askAgain runs a job's request on the stored documents.
func askAgain(ctx context.Context, job store.Job, documents [][]byte, redirects map[string]string) ([]byte, error) {
	engine, err := engineOf(bytes.Join(documents, nil))
	if err != nil {
		return nil, err
	}
	p, err := findProvider(job.Provider, engine)
	if err != nil {
		return nil, err
	}
	in, err := schema.Parse(job.Request)
	if err != nil {
		return nil, err
	}
	request := p.Decode(in)
	if err := in.Err(); err != nil {
		return nil, err
	}
	outcome, err := request.Ask(ctx, upstream.NewStored(earshot.SurfaceWeb, documents, redirects).NewSession(1, "captures"))
	if err != nil {
		return nil, err
	}
	return json.Marshal(outcome.Result)
}

// redirectsIn returns the destinations of the redirect links in a result. They cannot be
// resolved again without a network.
func redirectsIn(result []byte) map[string]string {
	redirects := map[string]string{}
	var value any
	_ = json.Unmarshal(result, &value) // without a result there are no redirects
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			if link, ok := v["redirectLink"].(string); ok {
				for _, field := range []string{"url", "link", "website"} {
					if destination, ok := v[field].(string); ok {
						redirects[link] = destination
					}
				}
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(value)
	return redirects
}

// address matches a URL in JSON. URLs are not compared, because every capture gets a new
// URL, and not all redirects are known.
var address = regexp.MustCompile(`"https?://[^"]*"|"captures/[^"]*"`)

// differences describes the fields that differ between two results.
func differences(before, after []byte) ([]string, error) {
	var was, is map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(before, &was), json.Unmarshal(after, &is)); err != nil {
		return nil, fmt.Errorf("compare results: %w", err)
	}
	delete(was, "surface")
	delete(is, "surface")
	fields := maps.Clone(was)
	maps.Copy(fields, is)
	var changes []string
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		old, cur := address.ReplaceAll(was[field], []byte(`"…"`)), address.ReplaceAll(is[field], []byte(`"…"`))
		if !bytes.Equal(old, cur) {
			changes = append(changes, field+" "+size(was[field])+" → "+size(is[field]))
		}
	}
	return changes, nil
}

// size describes the size of a value.
func size(value json.RawMessage) string {
	var list []json.RawMessage
	var text string
	switch {
	case value == nil:
		return "none"
	case json.Unmarshal(value, &list) == nil && list != nil:
		return fmt.Sprintf("%d items", len(list))
	case json.Unmarshal(value, &text) == nil:
		return fmt.Sprintf("%d characters", len([]rune(text)))
	default:
		return fmt.Sprintf("%d bytes", len(value))
	}
}
