package app

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"time"

	"earshot/internal/account"
	"earshot/internal/notify/mail"
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
	"earshot/internal/signin"
)

// Config is the configuration of a node. A field with the zero value has its default.
type Config struct {
	// Listen is the address of the server. The default is 127.0.0.1:8080, which other
	// machines cannot reach.
	Listen string
	// Data is the folder for the SQLite file and, unless Captures is set, for captures.
	// The default is "data".
	Data string
	// Database is a postgres:// URL; "" means SQLite in the data folder.
	Database string
	// ReportsDatabase is the postgres:// URL of a read replica for the answers and metrics
	// of trackers; "" means Database.
	ReportsDatabase string
	// Captures is the s3:// URL of the bucket for captures, in the form of
	// capture.NewBucket; "" means a folder in the data folder.
	Captures string
	// Exports is the folder, or the s3:// URL of the bucket, for exports of trackers, in
	// the form of exportfile.Open; "" means no exports.
	Exports string
	// AllowUnsafeDatabase accepts a PostgreSQL server whose settings may lose commits.
	AllowUnsafeDatabase bool
	// AcceptClock trusts the clock at the start, even if the database contains later
	// times.
	AcceptClock bool
	// BaseURL is the public URL of the service, without a slash at the end. The default
	// is http:// and the address that it listens on.
	BaseURL string
	// TrustedProxies are the addresses of reverse proxies that set X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// Role is the kind of work that the node does. The default is RoleAll.
	Role Role
	// Workers is how many tasks of one organization the node runs at once. All
	// organizations together may run twice as many. 0 means 512, which is twice the limit
	// of the largest plan: a task spends most of its time waiting.
	Workers int
	// Retention is how long calls and tasks and their idempotency keys are kept. 0 means
	// 24 h.
	Retention time.Duration
	// AllowPrivateWebhooks allows webhooks to addresses that are not public, for
	// development.
	AllowPrivateWebhooks bool
	// SMTP is the mail server for alerts and reports. The zero value means no mail.
	SMTP mail.Config
	// Upstreams are the upstreams of providers without their own list, in order. Nil means
	// an official API if a key for it is configured, and otherwise the lab.
	Upstreams []string
	// LabWorld is a file that defines how often the lab's answers to trackers name each
	// brand; "" means the built-in definition.
	LabWorld string
	// Record is a folder for recordings of every exchange with an upstream; "" means no
	// recording.
	Record string
	// Getenv reads environment variables. Nil means os.Getenv.
	Getenv func(string) string
	// Settings are the sections that only the settings file has.
	Settings Settings
	// Providers are additional providers, for a program that has its own.
	Providers []provider.Provider
	Log       *slog.Logger // nil means no log
	// Version is the version of the program, for the metric earshot_build_info; "" means
	// the version of the module.
	Version string

	// StopGrace is how long running jobs may continue after a signal. 0 means 28 s, because
	// most supervisors kill a process after 30 s.
	StopGrace time.Duration

	// The following fields are for tests. Backoff replaces the waits between attempts,
	// WebhookWaits the waits between the tries of a webhook, TokenLife the lifetime of the
	// dashboard's token, and Patience how long new work waits before the node refuses it.
	Backoff      []time.Duration
	LateEvery    time.Duration // replaces the time between two looks for late answers
	WebhookWaits []time.Duration
	TokenLife    time.Duration
	Patience     time.Duration
}

// Role is the kind of work that a node does.
type Role string

// The roles.
const (
	RoleAll    Role = "all"
	RoleAPI    Role = "api"    // accepts calls and tasks, and runs only calls
	RoleWorker Role = "worker" // runs tasks and sends webhooks
)

// defaultWorkers is the default of Config.Workers.
const defaultWorkers = 512

// workers returns how many tasks of one organization the node runs at once.
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
	SignIn    signin.Settings             `yaml:"signIn"`

	UpstreamSettings `yaml:",inline"`
}

// ProviderSettings are the settings of one provider.
type ProviderSettings struct {
	// Released: false hides the provider. Absent means true.
	Released *bool `yaml:"released"`
	// Upstreams are the upstreams to try, in order.
	Upstreams UpstreamNames `yaml:"upstreams"`
}

// UpstreamNames are names of upstreams, such as lab or api:openai.
type UpstreamNames []string

// UnmarshalYAML reads the names. The YAML library takes api:openai for a mapping inside a
// mapping in braces, as in {upstreams: [api:openai, web]}, although there is no space after the colon.
func (n *UpstreamNames) UnmarshalYAML(decode func(any) error) error {
	var items []any
	if err := decode(&items); err != nil {
		return err
	}
	*n = make(UpstreamNames, 0, len(items))
	for _, item := range items {
		if pair, ok := item.(map[string]any); ok && len(pair) == 1 {
			for kind, name := range pair {
				item = fmt.Sprintf("%s:%v", kind, name)
			}
		}
		name, ok := item.(string)
		if !ok {
			return fmt.Errorf("the name of an upstream must be a text such as api:openai, but is %v", item)
		}
		*n = append(*n, name)
	}
	return nil
}

// plans returns the plans that the operator offers.
func (s Settings) plans() (account.Plans, error) { return account.DefaultPlans().Override(s.Plans) }

// catalogue returns the providers that the operator does not hide, with the operator's
// prices.
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
	// flushGrace is the additional time to send the last answers to their clients.
	flushGrace = time.Second
)
