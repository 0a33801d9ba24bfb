package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/store"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

// Reparsed compares the result of parsing a page again with its result before.
type Reparsed struct {
	Capture  string         `json:"capture"` // the capture, or the file
	Job      string         `json:"job,omitempty"`
	Provider string         `json:"provider"`
	Before   earshot.Status `json:"before,omitempty"` // of the job
	// Reason is why parsing fails now; empty if it succeeds.
	Reason earshot.Reason `json:"reason,omitempty"`
	// Compared is false if there is no result to compare with: results of calls are not stored.
	Compared bool     `json:"compared"`
	Changes  []Change `json:"changes,omitempty"`

	Result json.RawMessage `json:"-"` // the result now
}

// Baseline has results of an earlier run by capture or file.
type Baseline map[string]Parsed

// Parsed is a result of a page, or the reason why it has none. A file with a baseline has a line of JSON for each.
type Parsed struct {
	Capture string          `json:"capture"`
	Reason  earshot.Reason  `json:"reason,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
}

// ReadBaseline reads a baseline.
func ReadBaseline(from io.Reader) (Baseline, error) {
	all := Baseline{}
	for lines := json.NewDecoder(from); ; {
		var p Parsed
		switch err := lines.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read the baseline: %w", err)
		}
		all[p.Capture] = p
	}
}

// Reparse parses every stored capture again, with the request of its job, and calls report
// with each result. It compares with the baseline or, if that is nil, with the stored results.
func Reparse(ctx context.Context, cfg Config, baseline Baseline, report func(Reparsed) error) error {
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
		if now, err = reparse(ctx, captures, all[i], baseline); err == nil {
			err = report(now)
		}
	}
	return errors.Join(err, s.Close())
}

// ReparseFolder does the same for the files in a folder, which are documents of one provider.
func ReparseFolder(ctx context.Context, folder, provider string, baseline Baseline, report func(Reparsed) error) error {
	files := os.DirFS(folder)
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		document, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		now := Reparsed{Capture: name, Provider: provider}
		result, err := Parse(ctx, Stored{Provider: provider, Document: document, Request: map[string]any{"country": "US"}})
		text, encodeErr := json.Marshal(result)
		if err := errors.Join(now.set(text, err), encodeErr); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		before, known := baseline[name]
		return errors.Join(now.compare(before, known), report(now))
	})
}

func reparse(ctx context.Context, captures capture.Store, c store.CapturedJob, baseline Baseline) (Reparsed, error) {
	now := Reparsed{Capture: c.ID, Job: c.Job.ID, Provider: c.Job.Provider, Before: c.Status}
	var documents [][]byte
	for n := range c.Pages {
		page, err := captures.Page(ctx, c.ID, n+1)
		if err != nil {
			return now, fmt.Errorf("capture %s: %w", c.ID, err)
		}
		documents = append(documents, rawdoc.CapturedDocument(page))
	}
	if err := now.set(askAgain(ctx, c, documents)); err != nil {
		return now, fmt.Errorf("capture %s: %w", c.ID, err)
	}
	before, known := Parsed{Result: c.Result}, c.Result != nil || now.Reason != ""
	if c.Status == earshot.StatusFailed {
		before, known = Parsed{Reason: cmp.Or(now.Reason, "failed")}, true // the reason was not stored
	}
	if baseline != nil {
		before, known = baseline[c.ID]
	}
	err := now.compare(before, known)
	return now, err
}

// set sets the result or the reason why there is none.
func (r *Reparsed) set(result []byte, err error) error {
	if failure, failed := errors.AsType[*upstream.Failure](err); failed {
		r.Reason = failure.Reason
		return nil
	}
	r.Result = result
	return err
}

// compare sets the changes since an earlier result, if there is one.
func (r *Reparsed) compare(before Parsed, known bool) (err error) {
	r.Compared = known
	switch {
	case !known:
	case before.Reason != r.Reason:
		r.Changes = []Change{{Path: "reason", Before: orNil(before.Reason), After: orNil(r.Reason)}}
	case r.Reason == "":
		r.Changes, err = compareResults(before.Result, r.Result, isNewEachTime)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.Capture, err)
	}
	return nil
}

func orNil(reason earshot.Reason) any {
	if reason == "" {
		return nil
	}
	return string(reason)
}

// askAgain runs a job's request on the stored documents.
func askAgain(ctx context.Context, c store.CapturedJob, documents [][]byte) ([]byte, error) {
	engine, err := engineOf(bytes.Join(append(slices.Clone(documents), c.Result), nil))
	if err != nil {
		return nil, err
	}
	p, err := findProvider(c.Job.Provider, engine)
	if err != nil {
		return nil, err
	}
	request, err := provider.ParseRequest(p, c.Job.Request)
	if err != nil {
		return nil, err
	}
	outcome, err := request.Ask(ctx, upstream.NewStored(earshot.SurfaceWeb, documents, redirectsIn(c.Result)).NewSession(1, "captures"))
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

// isNewEachTime reports whether a value differs whenever a page is parsed: the address of its
// capture, and the surface, which is web for a stored page.
func isNewEachTime(path string, before, after any) bool {
	isCapture := func(value any) bool {
		text, ok := value.(string)
		return ok && strings.Contains(text, "captures/")
	}
	return path == "surface" || strings.HasSuffix(path, ".surface") || isCapture(before) && isCapture(after)
}
