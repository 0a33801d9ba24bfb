package main

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"time"
	"unicode"

	"earshot/internal/app"
)

type serveCmd struct {
	Listen         string    `help:"Address to listen on." default:"127.0.0.1:8080" placeholder:"HOST:PORT" env:"EARSHOT_LISTEN"`
	BaseURL        string    `help:"Public URL of the service." placeholder:"URL" env:"EARSHOT_BASE_URL"`
	TrustedProxies []network `help:"Addresses or networks of the reverse proxies in front of the service. The addresses of clients are read from their X-Forwarded-For." placeholder:"ADDRESS|CIDR" env:"EARSHOT_TRUSTED_PROXIES"`
	Captures       string    `help:"Bucket of an S3-compatible store for the captures instead of the data folder, for several nodes. Its keys are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY." placeholder:"s3://BUCKET/PREFIX?endpoint=https://HOST:PORT" env:"EARSHOT_CAPTURES"`
	Exports        string    `help:"Folder, or bucket of an S3-compatible store, for the exports of trackers; without it, trackers cannot export files. The keys are the same as for --captures." placeholder:"DIR|s3://BUCKET/PREFIX" env:"EARSHOT_EXPORTS"`

	ReportsDatabase      string        `help:"Read replica of the PostgreSQL database, for reading answers and metrics of trackers." placeholder:"postgres://…" env:"EARSHOT_REPORTS_DATABASE"`
	Role                 string        `help:"What the node does: all, api (accept calls and tasks) or worker (run tasks)." enum:"all,api,worker" default:"all" env:"EARSHOT_ROLE"`
	Workers              int           `help:"Tasks that one organization may run on this node at once. All organizations together may run twice as many." default:"512" env:"EARSHOT_WORKERS"`
	Retention            time.Duration `help:"How long finished calls and tasks, their results and their idempotency keys are stored after their creation." default:"24h" env:"EARSHOT_RETENTION"`
	Upstream             []string      `help:"The upstreams, in order, of providers without their own list. By default, a provider's official API if there is a key for it, otherwise the lab. The APIs are ${apis}; the key of each is read from EARSHOT_NAME_API_KEY." placeholder:"lab|web|api:NAME|via:NAME|replay:DIR" env:"EARSHOT_UPSTREAM"`
	Record               string        `help:"Record every exchange with an upstream in this folder, without keys, for replay:DIR." placeholder:"DIR" env:"EARSHOT_RECORD"`
	LabWorld             string        `help:"File that sets how often the lab's answers to trackers name each brand; docs/tracking-lab.md describes the format." placeholder:"FILE" env:"EARSHOT_LAB_WORLD"`
	AllowPrivateWebhooks bool          `help:"Allow webhooks to private addresses, for development." env:"EARSHOT_ALLOW_PRIVATE_WEBHOOKS"`
	AcceptClock          bool          `help:"Trust the current time of the clock, for one start after the service refused to trust it." env:"EARSHOT_ACCEPT_CLOCK"`
	mailFlags
}

// network is a network such as 10.0.0.0/8, or a single address.
type network struct{ netip.Prefix }

// UnmarshalText parses a network or an address.
func (n *network) UnmarshalText(text []byte) error {
	if addr, err := netip.ParseAddr(string(text)); err == nil {
		n.Prefix = netip.PrefixFrom(addr, addr.BitLen())
		return nil
	}
	if n.Prefix.UnmarshalText(text) != nil {
		return fmt.Errorf("must be an address or a network such as 10.0.0.0/8, but is %q", text)
	}
	return nil
}

// Validate refuses invalid values.
func (c *serveCmd) Validate() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fmt.Errorf("--listen must be an address such as 127.0.0.1:8080, but is %q", c.Listen)
	}
	if base, err := url.Parse(c.BaseURL); c.BaseURL != "" && (err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https")) {
		return fmt.Errorf("--base-url must be a URL such as https://earshot.example, but is %q", c.BaseURL)
	}
	if c.Workers < 1 {
		return fmt.Errorf("--workers must be at least 1, but is %d", c.Workers)
	}
	if c.Retention < time.Second {
		return fmt.Errorf("--retention must be at least 1s, but is %s", c.Retention)
	}
	return nil
}

// Help returns the command's long help.
func (c *serveCmd) Help() string {
	return `Runs the service: the API, the dashboard and the workers. At its first start, it creates an organization and prints a key. It stops
on Ctrl-C or SIGTERM, and gives running calls and tasks 28 seconds to end.

Exit status: 0 it was stopped, 1 anything else, such as a setting that is not valid.

Examples:
  earshot serve --listen 0.0.0.0:8080 --data /var/lib/earshot`
}

// memoryLimit is the soft memory limit (GOMEMLIMIT) above which garbage is collected more
// often. The process may use more.
const memoryLimit = 450 << 20

// Run serves until ctx is done.
func (c *serveCmd) Run(in *invocation) error {
	in.cfg.Listen = c.Listen
	in.cfg.BaseURL = strings.TrimRight(c.BaseURL, "/")
	for _, n := range c.TrustedProxies {
		in.cfg.TrustedProxies = append(in.cfg.TrustedProxies, n.Prefix)
	}
	in.cfg.Captures = c.Captures
	in.cfg.Exports = c.Exports
	in.cfg.ReportsDatabase = c.ReportsDatabase
	in.cfg.Role = app.Role(c.Role)
	in.cfg.Workers = c.Workers
	in.cfg.Retention = c.Retention
	in.cfg.Upstreams = c.Upstream
	in.cfg.Record = c.Record
	in.cfg.LabWorld = c.LabWorld
	in.cfg.AllowPrivateWebhooks = c.AllowPrivateWebhooks
	in.cfg.SMTP = c.smtp()
	in.cfg.AcceptClock = c.AcceptClock
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	a, err := app.New(in, in.cfg)
	if err != nil {
		return err
	}
	greet(in, a)
	return a.Run(in)
}

// greet prints how to use the server.
func greet(in *invocation, a *app.App) {
	var text strings.Builder
	if a.First != nil {
		fmt.Fprintf(&text, firstStart, a.BaseURL, a.First.Key.Text, a.First.WebhookSecret, a.BaseURL, a.First.Key.Text)
	} else if owner, err := a.Owner(in); err == nil { // otherwise the node reports the error of its database
		fmt.Fprintf(&text, laterStart, a.BaseURL, shellQuoted(owner), sameData(in.cfg))
	}
	if names, all := a.MadeUp(); all {
		text.WriteString("All answers are made up by the built-in lab until access to a provider is configured: " + access + "\n")
	} else if len(names) > 0 {
		fmt.Fprintf(&text, "Answers of %s are made up by the built-in lab until access to them is configured: %s\n", strings.Join(names, ", "), access)
	}
	if in.cfg.Role != app.RoleWorker {
		text.WriteString("The URL below signs in to the dashboard. It works once, within 15 minutes; start the server again for a new one.\n")
	}
	fmt.Fprintf(in.out, "%sDashboard: %s\n", &text, a.DashboardURL())
}

// access is advice on how to get real answers.
const access = "set an API key such as EARSHOT_OPENAI_API_KEY, or --upstream; 'earshot check' tests it."

// sameData returns the flag with which a command on this machine finds the data folder.
func sameData(cfg app.Config) string {
	if cfg.Data == "data" {
		return ""
	}
	return " --data " + shellQuoted(cfg.Data)
}

func shellQuoted(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
	}) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

const firstStart = `Earshot created its first organization, "default", an API key, and a secret for signing webhooks. Store both now. They are not shown again.
To use the commands in another shell, run:

  export EARSHOT_URL=%s EARSHOT_API_KEY=%s

To verify webhooks, use:

  webhook secret: %s

Then ask:

  earshot ask chatassistant "best running shoes for beginners"
  curl -s %s/v1/monitor/chatassistant -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"prompt": "best running shoes for beginners", "country": "US"}'

`

const laterStart = `Earshot listens at %s. Existing keys cannot be shown again. To create a new key, run:

  earshot key create --org %s%s

`
