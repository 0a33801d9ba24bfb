package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
	"earshot/internal/upstream/egress"
)

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
	Fix      string            `json:"fix,omitempty"`     // the setting to change, and its value
	Warning  string            `json:"warning,omitempty"` // what will fail soon
	Took     time.Duration     `json:"took"`
	Model    string            `json:"model,omitempty"`      // the model that answered
	Asked    string            `json:"askedModel,omitempty"` // the model that was asked for
	Location *earshot.Location `json:"location,omitempty"`
	Found    map[string]int    `json:"found,omitempty"` // how many of each list in the result
	// Paid says that the operator pays for the request. USD is the price, nil if it is unknown, and
	// Estimated says that the upstream did not report it.
	Paid      bool     `json:"paid,omitempty"`
	USD       *float64 `json:"usd,omitempty"`
	Estimated bool     `json:"estimated,omitempty"`
}

// Check asks each provider of names, or all of them, once through each of its
// upstreams, and reports them in that order. It needs no database and charges no credits.
// Official APIs and vendors charge the operator.
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
		for _, client := range ups.lists[p.Definition().Name] {
			if err := report(ups.check(ctx, p, client, country)); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// check asks once through one upstream, and waits for a vendor that answers later.
func (u *upstreams) check(ctx context.Context, p provider.Provider, client *upstream.Client, country string) Checked {
	c := Checked{Provider: p.Definition().Name, Upstream: client.Name(), Paid: client.Paid(), Asked: client.Model()}
	began := time.Now()
	result, uses, err := u.askOnce(ctx, p, client, country)
	c.Took = time.Since(began).Round(time.Millisecond)
	c.setCost(uses)
	end := u.modelEnd(ctx, client)
	if err != nil {
		c.Error = err.Error()
		if failure, ok := errors.AsType[*upstream.Failure](err); ok {
			c.Reason, c.Error, c.Fix = failure.Reason, failure.Err.Error(), u.fix(client, failure, country, end)
		}
		return c
	}
	c.Works = true
	c.judgeModel(client, end)
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

// setCost adds up what the upstream charged. The price of an answer is unknown if neither the
// upstream nor the settings say it.
func (c *Checked) setCost(uses []outbound.Use) {
	var sum int64
	for _, use := range uses {
		if use.Charged == 0 && (use.Reason == "" || use.Reason == earshot.ReasonTimeout) {
			return
		}
		sum += use.Charged
		c.Estimated = c.Estimated || use.Estimated
	}
	if c.Paid && len(uses) > 0 {
		usd := float64(sum) / 1e9
		c.USD = &usd
	}
}

// askOnce asks the question and returns the result as a client sees it. A vendor's order is
// polled until it is answered or its time is over.
func (u *upstreams) askOnce(ctx context.Context, p provider.Provider, client *upstream.Client, country string) (map[string]any, []outbound.Use, error) {
	about := p.Definition()
	fields := map[string]any{"country": country, about.TextField(): checkQuestion}
	makeRequest := wholeRequest
	if client.Via() != "" {
		makeRequest = newRequest // optional parts cost extra, and no vendor has all of them
	}
	request, err := makeRequest(p, fields)
	if err != nil {
		return nil, nil, err
	}
	text, uses, err := purchase.New(purchase.Config{Vendors: u.vendors, Log: u.cfg.Log, CaptureURL: "captures"}).Check(ctx, client, about.Name, request)
	if err != nil {
		return nil, uses, err
	}
	result := map[string]any{}
	err = json.Unmarshal(text, &result)
	return result, uses, err
}

// fix returns which setting to change after a failure, and what it should be; "" if no setting helps.
func (u *upstreams) fix(client *upstream.Client, failure *upstream.Failure, country string, end provider.ModelEnd) string {
	name, section := client.Name(), "apis."
	if vendor, ok := strings.CutPrefix(name, upstreamVendor); ok {
		name, section = vendor, "vendors."
	}
	name = strings.TrimPrefix(name, upstreamAPI)
	section += name
	_, unreachable := errors.AsType[*net.OpError](failure)
	switch {
	case errors.Is(failure, egress.ErrNoRoute):
		return fmt.Sprintf("web.proxies: a proxy for %s or *", country)
	case errors.Is(failure, upstream.ErrNoBrowser):
		return "web.browser: the path of a Chromium"
	case !client.Paid():
		return ""
	case failure.Setting == upstream.SettingModel:
		return modelFix(name, section, end)
	case failure.Setting == upstream.SettingStream:
		return section + ".stream: false"
	case failure.Setting == upstream.SettingKey && client.Via() != "" && u.vendors[name].Definition().Basic:
		return fmt.Sprintf("%s and %s: the user and the password that the vendor gave you for its API", variable(name, "USER"), variable(name, "API_KEY"))
	case failure.Setting == upstream.SettingKey:
		return fmt.Sprintf("%s or %s.key-file: a valid key that may use this", variable(name, "API_KEY"), section)
	case unreachable:
		return fmt.Sprintf("%s or %s.url: an address that this machine reaches", variable(name, "URL"), section)
	case failure.Reason == earshot.ReasonTimeout && client.Via() != "":
		return section + ".wait: a longer time, such as 20m"
	default:
		return ""
	}
}
