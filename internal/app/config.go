package app

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"earshot/internal/account"
	"earshot/internal/notify/mail"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
)

// Config is how a node runs. The zero value of a field means its default.
type Config struct {
	// Listen is the address to serve on. Default 127.0.0.1:8080, which other machines
	// cannot reach.
	Listen string
	// Data is the folder for the SQLite file and, unless they have a bucket, the
	// captures. Default "data".
	Data string
	// Database is a postgres:// URL; "" means SQLite in the data folder.
	Database string
	// ReportsDatabase is the postgres:// URL of a copy of the database from which answers
	// and numbers of trackers are read; "" for none.
	ReportsDatabase string
	// Captures is the s3:// URL of the bucket for captures, as capture.NewBucket
	// reads it; "" means a folder in the data folder.
	Captures string
	// Exports is the folder, or the s3:// URL of the bucket, that trackers are exported to,
	// as exportfile.Open reads it; "" for no exports.
	Exports string
	// AllowUnsafeDatabase serves from a PostgreSQL that may lose commits.
	AllowUnsafeDatabase bool
	// AcceptClock trusts the clock as it is at the start, whatever time the database
	// knows of.
	AcceptClock bool
	// BaseURL is the address that clients know the service by, without a slash at
	// the end. Default http:// and the address it listens on.
	BaseURL string
	// Role says what the node does. Default RoleAll.
	Role Role
	// Workers is how many tasks of one organization it runs at once, and half of how
	// many it runs of all. 0 means 512: twice what the largest plan can have under
	// way, and a task mostly waits.
	Workers int
	// Retention is how long finished calls and tasks and their keys are kept. 0
	// means 24 h.
	Retention time.Duration
	// AllowPrivateWebhooks sends webhooks to addresses that are not public, for
	// development.
	AllowPrivateWebhooks bool
	// SMTP is the server that sends alerts as mail; its zero value is none.
	SMTP mail.Config
	// Upstreams are the upstreams of providers without a list of their own, in order.
	// Nil means an official API where there is a key for it, and else the lab.
	Upstreams []string
	// LabWorld is a file that says how often the lab's answers to trackers name which
	// brands; "" for the built-in one.
	LabWorld string
	// Record is a folder in which every exchange with an upstream is recorded; "" for
	// none.
	Record string
	// Getenv reads the variables that hold keys. Nil means os.Getenv.
	Getenv func(string) string
	// Settings are the parts that only the settings file can hold.
	Settings Settings
	// Providers are served beside those of the list in providers.go: for a program
	// with providers of its own.
	Providers []provider.Provider
	Log       *slog.Logger // nil for none

	// StopGrace is how long running jobs get to finish after a signal. 0 means 28 s:
	// the process must be gone within 30 s, which is what most supervisors grant.
	StopGrace time.Duration

	// Backoff replaces the waits between attempts, WebhookWaits those between the
	// tries of a webhook, TokenLife how long the dashboard's token is valid, and
	// Patience how long new work waits before the node refuses more of it, for tests.
	Backoff      []time.Duration
	WebhookWaits []time.Duration
	TokenLife    time.Duration
	Patience     time.Duration
}

// Role is the part of the work that a node does.
type Role string

// The roles.
const (
	RoleAll    Role = "all"
	RoleAPI    Role = "api"    // takes calls and tasks, and runs no tasks
	RoleWorker Role = "worker" // runs tasks and sends webhooks
)

// defaultWorkers is the default of Config.Workers.
const defaultWorkers = 512

// workers is how many tasks the node runs at once.
func (c Config) workers() int {
	if c.Role == RoleAPI {
		return 0
	}
	return cmp.Or(c.Workers, defaultWorkers)
}

func (c Config) getenv(name string) string {
	if c.Getenv == nil {
		return os.Getenv(name)
	}
	return c.Getenv(name)
}

// Settings are the nested sections of the settings file.
type Settings struct {
	Providers map[string]ProviderSettings `yaml:"providers"`
	Plans     account.Plans               `yaml:"plans"`
	Prices    provider.Prices             `yaml:"prices"`

	UpstreamSettings `yaml:",inline"`
}

// ProviderSettings are an operator's choices for one provider.
type ProviderSettings struct {
	// Released: false hides the provider. Absent means true.
	Released *bool `yaml:"released"`
	// Upstreams are the upstreams to try, in order.
	Upstreams []string `yaml:"upstreams"`
}

// plans are the plans that the operator offers.
func (s Settings) plans() (account.Plans, error) { return account.DefaultPlans().Override(s.Plans) }

// catalogue is the list of providers less those that the operator hides, at
// the operator's prices.
func (c Config) catalogue(engine serp.Engine) (*provider.Catalogue, error) {
	all, s := c.providers(engine), c.Settings
	for name := range s.Providers {
		if !slices.ContainsFunc(all, func(p provider.Provider) bool { return p.Definition().Name == name }) {
			return nil, fmt.Errorf("settings: there is no provider %q", name)
		}
	}
	hidden := func(name string) bool {
		released := s.Providers[name].Released
		return released != nil && !*released
	}
	return provider.NewCatalogue(all, hidden, s.Prices)
}

const (
	stopGrace = 28 * time.Second
	// flushGrace is how long the last answers get to reach their clients.
	flushGrace = time.Second
)
