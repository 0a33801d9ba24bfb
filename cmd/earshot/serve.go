package main

import (
	"fmt"

	"earshot/internal/app"
)

type serveCmd struct {
	Listen   string `help:"Address to serve on." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	BaseURL  string `help:"Address that clients know the service by." placeholder:"URL"`
	Captures string `help:"Bucket of an S3-compatible store for the captures instead of the data folder, for many nodes. Its keys are read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY." placeholder:"s3://BUCKET/PREFIX?endpoint=https://HOST:PORT"`
}

// Run serves until it is told to stop.
func (c *serveCmd) Run(in *invocation) error {
	in.cfg.Listen = c.Listen
	in.cfg.BaseURL = c.BaseURL
	in.cfg.Captures = c.Captures
	a, err := app.New(in, in.cfg)
	if err != nil {
		return err
	}
	if a.First != nil {
		fmt.Fprintf(in.out, firstStart, a.First.Key.Text, a.BaseURL, a.First.Key.Text)
	}
	fmt.Fprintf(in.out, "Dashboard: %s/\n", a.BaseURL)
	return a.Run(in)
}

const firstStart = `Earshot made its first organization, "default", and a key for it.
The key is shown this once:

  %s

Try it:

  curl -s %s/v1/monitor/chatassistant -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"prompt": "best running shoes for beginners", "country": "US"}'

`
