package definition

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"earshot/internal/provider"
	"earshot/internal/store/tracking"
)

// Reader reads definitions: those that clients send, and those that are stored.
type Reader struct {
	Config
	plans plans
}

// Config is what reading definitions needs.
type Config struct {
	Store     *tracking.Store
	Catalogue *provider.Catalogue
	// Price returns the maximum cost of a task.
	Price func(about provider.Definition, request provider.Request) int64
	// CheckWebhook returns why a URL cannot be sent a webhook.
	CheckWebhook func(url string) error
	// Exports says that the service has a place for exported files.
	Exports bool
}

// NewReader returns a Reader on a store.
func NewReader(cfg Config) *Reader {
	return &Reader{Config: cfg, plans: plans{kept: map[VersionKey]*Plan{}}}
}

// Load finds a tracker and its definition.
func (s *Reader) Load(ctx context.Context, organization, name string) (*tracking.Tracker, *Definition, error) {
	t, err := s.Store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, nil, err
	}
	d, err := s.Of(t)
	return t, d, err
}

// Of is the definition of a tracker. What has become wrong with it since, such as a
// provider that is no longer served, is passed over: its tasks will tell.
func (s *Reader) Of(t *tracking.Tracker) (*Definition, error) {
	return s.revive(t.Name, t.Definition)
}

func (s *Reader) revive(name string, text []byte) (*Definition, error) {
	d := &Definition{}
	if err := json.Unmarshal(text, &d.TrackerDefinition); err != nil {
		return nil, fmt.Errorf("read the definition of tracker %s: %w", name, err)
	}
	d.Samples = max(1, d.Samples)
	if d.Schedule != nil {
		d.Rule = ruleOf(*d.Schedule)
	}
	if d.Reports != nil {
		d.ReportRule = ruleOf(ReportSchedule(&d.TrackerDefinition))
	}
	d.Prices = make([]int64, len(d.Targets))
	for i, target := range d.Targets {
		d.Prices[i] = s.price(target)
	}
	d.KeepDays = cmp.Or(daysOf(d.Keep), defaultKeep)
	return d, nil
}
