package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"time"
	"unicode"

	"earshot/internal/app"
	"earshot/internal/notify/mail"
)

type serveCmd struct {
	Listen   string `help:"Address to serve on." default:"127.0.0.1:8080" placeholder:"HOST:PORT" env:"EARSHOT_LISTEN"`
	BaseURL  string `help:"Address that clients know the service by." placeholder:"URL" env:"EARSHOT_BASE_URL"`
	Captures string `help:"Bucket of an S3-compatible store for the captures instead of the data folder, for many nodes. Its keys are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY." placeholder:"s3://BUCKET/PREFIX?endpoint=https://HOST:PORT" env:"EARSHOT_CAPTURES"`
	Exports  string `help:"Folder, or bucket of an S3-compatible store, that trackers are exported to whose definition asks for it; without it none can. The keys are those of --captures." placeholder:"DIR|s3://BUCKET/PREFIX" env:"EARSHOT_EXPORTS"`

	ReportsDatabase      string        `help:"Read replica of the PostgreSQL, from which answers and numbers of trackers are read." placeholder:"postgres://…" env:"EARSHOT_REPORTS_DATABASE"`
	Role                 string        `help:"What the node does: everything, take calls and tasks, or run tasks." enum:"all,api,worker" default:"all" env:"EARSHOT_ROLE"`
	Workers              int           `help:"Tasks of one organization that the node runs at once; of all together twice as many." default:"512" env:"EARSHOT_WORKERS"`
	Retention            time.Duration `help:"How long finished calls and tasks, their results and their idempotency keys are kept, from their creation." default:"24h" env:"EARSHOT_RETENTION"`
	Upstream             []string      `help:"What providers without a list of their own are asked through, in order. Without it: a provider's official API where there is a key for it, else the lab. The APIs are ${apis}; the key of each is read from EARSHOT_NAME_API_KEY." placeholder:"lab|web|api:NAME|replay:DIR" env:"EARSHOT_UPSTREAM"`
	Record               string        `help:"Keep every exchange with an upstream in this folder, without keys, for replay:DIR." placeholder:"DIR" env:"EARSHOT_RECORD"`
	LabWorld             string        `help:"How often the lab's answers to trackers name which brands, as a file; docs/tracking-lab.md has its format." placeholder:"FILE" env:"EARSHOT_LAB_WORLD"`
	AllowPrivateWebhooks bool          `help:"Send webhooks to private addresses too, for development." env:"EARSHOT_ALLOW_PRIVATE_WEBHOOKS"`
	SMTPServer           string        `name:"smtp-server" help:"Server that sends alerts as mail. The password of --smtp-user is read from EARSHOT_SMTP_PASSWORD." placeholder:"HOST:PORT" env:"EARSHOT_SMTP_SERVER"`
	SMTPFrom             string        `name:"smtp-from" help:"Address that mail comes from." placeholder:"ADDRESS" env:"EARSHOT_SMTP_FROM"`
	SMTPUser             string        `name:"smtp-user" help:"Who signs in to the server; without it nobody does." placeholder:"NAME" env:"EARSHOT_SMTP_USER"`
	SMTPTLS              string        `name:"smtp-tls" help:"How the connection to the server is kept secret." enum:"starttls,tls,none" default:"starttls" env:"EARSHOT_SMTP_TLS"`
	AcceptClock          bool          `help:"Trust the clock as it is now, for one start after the service said that it does not." env:"EARSHOT_ACCEPT_CLOCK"`
}

// Validate refuses values that make no sense.
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

// smtp is the server that sends mail.
func (c *serveCmd) smtp() mail.Config {
	return mail.Config{Server: c.SMTPServer, From: c.SMTPFrom, User: c.SMTPUser, TLS: c.SMTPTLS}
}

// memoryLimit is from where on memory is worth more than the processors' time: garbage
// is collected sooner. It is no limit of what is in use.
const memoryLimit = 450 << 20

// Run serves until it is told to stop.
func (c *serveCmd) Run(in *invocation) error {
	in.cfg.Listen = c.Listen
	in.cfg.BaseURL = strings.TrimRight(c.BaseURL, "/")
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

// greet prints how to use the server that is about to run.
func greet(in *invocation, a *app.App) {
	var text strings.Builder
	if a.First != nil {
		fmt.Fprintf(&text, firstStart, a.BaseURL, a.First.Key.Text, a.First.WebhookSecret, a.BaseURL, a.First.Key.Text)
	} else if owner, err := a.Owner(in); err == nil { // else the node will soon tell of its database itself
		fmt.Fprintf(&text, laterStart, a.BaseURL, shellQuoted(owner), sameDatabase(in.cfg))
	}
	if names, all := a.MadeUp(); all {
		text.WriteString("All answers are made up by the built-in lab until access to a provider is configured: " + access + "\n")
	} else if len(names) > 0 {
		fmt.Fprintf(&text, "Answers of %s are made up by the built-in lab until access to them is configured: %s\n", strings.Join(names, ", "), access)
	}
	if in.cfg.Role != app.RoleWorker {
		text.WriteString("The address below signs in to the dashboard, once and within 15 minutes; start the server again for a new one.\n")
	}
	fmt.Fprintf(in.out, "%sDashboard: %s\n", &text, a.DashboardURL())
}

// access is how to get real answers.
const access = "an API key such as EARSHOT_OPENAI_API_KEY, or --upstream; 'earshot check' tells what works."

// sameDatabase is what a command on this machine needs to find the database.
func sameDatabase(cfg app.Config) string {
	switch {
	case cfg.Database != "":
		return "  (with the same EARSHOT_DATABASE)" // the URL may hold a password
	case cfg.Data != "data":
		return " --data " + shellQuoted(cfg.Data)
	default:
		return ""
	}
}

func shellQuoted(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
	}) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

const firstStart = `Earshot made its first organization, "default", a key for it, and a secret that its webhooks are signed with. Both are shown this once.
For the commands in another shell:

  export EARSHOT_URL=%s EARSHOT_API_KEY=%s

For those who receive webhooks:

  webhook secret: %s

Then ask:

  earshot ask chatassistant "best running shoes for beginners"
  curl -s %s/v1/monitor/chatassistant -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"prompt": "best running shoes for beginners", "country": "US"}'

`

const laterStart = `Earshot serves at %s. Keys were shown when they were made; this makes a new one:

  earshot key create --org %s%s

`
