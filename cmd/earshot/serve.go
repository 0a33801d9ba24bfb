package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"earshot/internal/app"
)

type serveCmd struct {
	Listen   string `help:"Address to serve on." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	BaseURL  string `help:"Address that clients know the service by." placeholder:"URL"`
	Captures string `help:"Bucket of an S3-compatible store for the captures instead of the data folder, for many nodes. Its keys are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY." placeholder:"s3://BUCKET/PREFIX?endpoint=https://HOST:PORT"`

	Role                 string        `help:"What the node does: everything, take calls and tasks, or run tasks." enum:"all,api,worker" default:"all"`
	Workers              int           `help:"Tasks of one organization that the node runs at once; of all together twice as many." default:"512"`
	Retention            time.Duration `help:"How long finished calls and tasks, their results and their idempotency keys are kept, from their creation." default:"24h"`
	Upstream             []string      `help:"What providers without a list of their own are asked through, in order. Without it: a provider's official API where there is a key for it, else the lab. The APIs are ${apis}; the key of each is read from EARSHOT_NAME_API_KEY." placeholder:"lab|web|api:NAME|replay:DIR"`
	Record               string        `help:"Keep every exchange with an upstream in this folder, without keys, for replay:DIR." placeholder:"DIR"`
	AllowPrivateWebhooks bool          `help:"Send webhooks to private addresses too, for development."`
	AcceptClock          bool          `help:"Trust the clock as it is now, for one start after the service said that it does not."`
}

// Validate refuses numbers that make no sense.
func (c *serveCmd) Validate() error {
	if c.Workers < 1 {
		return fmt.Errorf("--workers must be at least 1, but is %d", c.Workers)
	}
	if c.Retention < time.Second {
		return fmt.Errorf("--retention must be at least 1s, but is %s", c.Retention)
	}
	return nil
}

// memoryLimit is from where on memory is worth more than the processors' time: garbage
// is collected sooner. It is no limit of what is in use.
const memoryLimit = 450 << 20

// Run serves until it is told to stop.
func (c *serveCmd) Run(in *invocation) error {
	in.cfg.Listen = c.Listen
	in.cfg.BaseURL = c.BaseURL
	in.cfg.Captures = c.Captures
	in.cfg.Role = app.Role(c.Role)
	in.cfg.Workers = c.Workers
	in.cfg.Retention = c.Retention
	in.cfg.Upstreams = c.Upstream
	in.cfg.Record = c.Record
	in.cfg.AllowPrivateWebhooks = c.AllowPrivateWebhooks
	in.cfg.AcceptClock = c.AcceptClock
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	a, err := app.New(in, in.cfg)
	if err != nil {
		return err
	}
	if a.First != nil {
		fmt.Fprintf(in.out, firstStart, a.First.Key.Text, a.BaseURL, a.First.Key.Text)
	}
	fmt.Fprintf(in.out, "Dashboard: %s\n", a.DashboardURL())
	return a.Run(in)
}

const firstStart = `Earshot made its first organization, "default", and a key for it.
The key is shown this once:

  %s

Try it:

  curl -s %s/v1/monitor/chatassistant -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"prompt": "best running shoes for beginners", "country": "US"}'

`
