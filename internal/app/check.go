package app

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/upstream"
)

// checkTime is how long an upstream gets for one answer, as in an attempt.
const checkTime = 120 * time.Second

// checkQuestion is asked of everything: one that any assistant and any engine
// can answer from the web.
const checkQuestion = "Which is the tallest building in the world?"

// Checked is the result of asking a provider once through one of its upstreams.
type Checked struct {
	Provider string            `json:"provider"`
	Upstream string            `json:"upstream"`
	Works    bool              `json:"works"`
	Reason   earshot.Reason    `json:"reason,omitempty"` // why not
	Error    string            `json:"error,omitempty"`
	Took     time.Duration     `json:"took"`
	Model    string            `json:"model,omitempty"`
	Location *earshot.Location `json:"location,omitempty"`
	Found    map[string]int    `json:"found,omitempty"` // how many of each list in the result
}

// Check asks each provider of names, or all of them, once through each of its
// upstreams, and reports them in that order. It needs no database, and nothing
// is charged here; official APIs charge the operator.
func Check(ctx context.Context, cfg Config, country string, names []string, report func(Checked) error) (err error) {
	server, err := listenLab(ctx, cfg)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var group errgroup.Group
	group.Go(func() error { return server.Run(ctx) })
	defer func() {
		stop()
		err = errors.Join(err, group.Wait())
	}()
	ups, err := openUpstreams(cfg, server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ups.close()) }()
	wanted := map[string]bool{}
	for _, name := range names {
		about, err := FindProvider(name)
		if err != nil {
			return err
		}
		wanted[about.Name] = true
	}
	for _, p := range cfg.providers(ups.engine) {
		if len(names) > 0 && !wanted[p.Definition().Name] {
			continue
		}
		for _, client := range ups.routes.Of(p.Definition().Name) {
			if err := report(checkOne(ctx, p, client, country)); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func checkOne(ctx context.Context, p provider.Provider, client *upstream.Client, country string) Checked {
	c := Checked{Provider: p.Definition().Name, Upstream: client.Name()}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	began := time.Now()
	result, err := askOnce(ctx, p, client, country)
	c.Took = time.Since(began).Round(time.Millisecond)
	if err != nil {
		c.Error = err.Error()
		if failure, ok := errors.AsType[*upstream.Failure](err); ok {
			c.Reason, c.Error = failure.Reason, failure.Err.Error()
		}
		return c
	}
	c.Works = true
	c.Found = map[string]int{}
	for field, value := range maps.All(result) {
		if list, ok := value.([]any); ok && len(list) > 0 {
			c.Found[field] = len(list)
		}
	}
	c.Model, _ = result["model"].(string)
	if place, ok := result["location"].(map[string]any); ok {
		c.Location = &earshot.Location{}
		c.Location.Country, _ = place["country"].(string)
	}
	return c
}

// askOnce asks the question and returns the result as a client sees it.
func askOnce(ctx context.Context, p provider.Provider, client *upstream.Client, country string) (map[string]any, error) {
	request, err := wholeRequest(p, map[string]any{"country": country, p.Definition().TextField(): checkQuestion})
	if err != nil {
		return nil, err
	}
	outcome, err := request.Ask(ctx, client.NewSession(1, "captures"))
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(outcome.Result)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	err = json.Unmarshal(text, &fields)
	return fields, err
}
