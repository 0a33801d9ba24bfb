package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/tracking"
)

// Reader reads definitions from requests and from the store.
type Reader struct {
	Config

	mu    sync.Mutex
	plans map[VersionKey]*Plan // cache of up to maxPlans plans
}

// Config holds the dependencies of a Reader.
type Config struct {
	Store     *tracking.Store
	Catalogue *provider.Catalogue
	Vendors   provider.Vendors
	// Price returns the maximum cost of a task.
	Price func(about provider.Definition, request provider.Request) int64
	// CheckWebhook returns an error if a URL cannot receive webhooks.
	CheckWebhook func(url string) error
	// CheckFact returns the field of a fact that is invalid, and the reason.
	CheckFact func(f earshot.Fact) (field, problem string)
	// Exports says whether the service has a destination for exported files.
	Exports bool
}

// NewReader returns a Reader.
func NewReader(cfg Config) *Reader {
	return &Reader{Config: cfg, plans: map[VersionKey]*Plan{}}
}

// Load returns a tracker and its definition.
func (s *Reader) Load(ctx context.Context, organization, name string) (*tracking.Tracker, *Definition, error) {
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, nil, err
	}
	d, err := s.Of(t)
	return t, d, err
}

// Of returns the definition of a tracker. It ignores values that have become invalid, such
// as a provider that is no longer available: the tasks on that target will fail.
func (s *Reader) Of(t *tracking.Tracker) (*Definition, error) {
	return s.revive(t.Name, t.Definition)
}

func (s *Reader) revive(name string, text []byte) (*Definition, error) {
	d := &Definition{}
	if err := json.Unmarshal(text, &d.TrackerDefinition); err != nil {
		return nil, fmt.Errorf("decode the definition of tracker %s: %w", name, err)
	}
	d.Samples = max(1, d.Samples)
	if d.Schedule != nil {
		d.Rule = ruleOf(*d.Schedule)
	}
	if d.Reports != nil {
		d.ReportRule = ruleOf(ReportSchedule(&d.TrackerDefinition))
	}
	d.Prices, d.Fields = make([]int64, len(d.Targets)), make([]provider.Fields, len(d.Targets))
	for i, target := range d.Targets {
		d.Prices[i], _ = s.price(target, d.Fallback) // 0 if the target is no longer valid
		d.Fields[i] = s.fields(target)
	}
	if d.Judge != nil {
		d.JudgePrice, _ = s.price(d.judgeTarget(), d.Fallback)
	}
	d.setKeep()
	return d, nil
}
