package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/batchfile"
)

type askCmd struct {
	Provider providerArg `arg:"" help:"Whom to ask: ${providers}." complete:"provider"`
	Prompt   string      `arg:"" help:"The question, or - to read it from standard input."`
	Country  string      `help:"Where to ask from: an ISO 3166-1 code in capitals." default:"US" placeholder:"CODE" complete:"country"`
	State    string      `help:"The state to ask from, with country US." placeholder:"CODE" complete:"state"`
	Include  []string    `help:"What else the result shall hold, such as searchQueries, shopping or html." placeholder:"PART"`
	Set      []string    `help:"Any other field of the request. A value that is JSON is sent as such; dots lead into objects." placeholder:"FIELD=VALUE" sep:"none"`
	JSON     bool        `name:"json" help:"Print the result as JSON and nothing else."`
	remote
}

// Help shows questions.
func (c *askCmd) Help() string {
	return `Asks one question through a running server, waits for the answer and prints it for reading: the text, then numbered sources,
search queries, products and result lists. What it cost, how long it took and where it came from goes to standard error.
A server without keys or upstreams of its own answers from its lab, which makes everything up; then a warning says so.

The server is found by EARSHOT_URL and the key in EARSHOT_API_KEY. Output has no colours in a pipe or where NO_COLOR is set.

Exit status: 0 there is an answer, 130 it was interrupted, 1 anything else. A call that fails costs nothing.

Examples:
  earshot ask chatassistant "best running shoes for beginners" --country US --state CA
  earshot ask chatassistant "best running shoes" --include searchQueries,shopping
  earshot ask websearch "running shoes" --country DE --set pages=2 --include searchoverview
  earshot ask websearch/news "marathon" --json | jq -r .newsResults[].link
  echo "best running shoes" | earshot ask answerengine - --json | jq .sources`
}

// Run asks and prints.
func (c *askCmd) Run(in *invocation) error {
	request, err := c.request()
	if err != nil {
		return err
	}
	service, err := c.connect()
	if err != nil {
		return err
	}
	began := time.Now()
	result, usage, err := service.Monitor(in, c.Provider.Name, request)
	if err != nil {
		return c.explain(err)
	}
	if c.JSON {
		return in.json(result)
	}
	if err := (&printer{out: in.out, textStyle: textStyleFor(in.out)}).print(c.Provider.Definition, result); err != nil {
		return err
	}
	return c.report(in, result, usage, time.Since(began))
}

// report prints to standard error what the answer cost and where it came from.
func (c *askCmd) report(in *invocation, result json.RawMessage, usage client.Usage, took time.Duration) error {
	var about struct {
		Surface earshot.Surface `json:"surface"`
		Model   string          `json:"model"`
	}
	if err := json.Unmarshal(result, &about); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	line := fmt.Sprintf("%s (%s left), %s, surface %s", many(usage.CreditsCharged, "credit"), thousands(usage.CreditsRemaining),
		took.Round(10*time.Millisecond), about.Surface)
	if about.Model != "" {
		line += ", model " + oneLine(about.Model)
	}
	style := textStyleFor(in.errOut)
	fmt.Fprintln(in.errOut, style.faint(line))
	if about.Surface == earshot.SurfaceLab {
		fmt.Fprintln(in.errOut, style.bold("warning: this answer is made up by the server's lab")+
			"; for real ones give the server a provider's API key or --upstream, and see 'earshot check'")
	}
	return nil
}

// request is the body of the call.
func (c *askCmd) request() (map[string]any, error) {
	prompt := c.Prompt
	if prompt == "-" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return nil, fmt.Errorf("read the prompt: %w", err)
		}
		prompt = string(text)
	}
	if strings.TrimSpace(prompt) == "" {
		return nil, errors.New(`there is no question: give it in quotes, or - and write it to standard input`)
	}
	request := map[string]any{c.Provider.TextField(): prompt, "country": c.Country}
	if c.State != "" {
		request["state"] = c.State
	}
	if _, isAnswer := c.Provider.Result.(earshot.Answer); isAnswer && !c.JSON {
		batchfile.Include(request, "markdown") // costs nothing and reads better
	}
	batchfile.Include(request, c.Include...)
	for _, pair := range c.Set {
		field, value, ok := strings.Cut(pair, "=")
		if !ok || field == "" {
			return nil, fmt.Errorf("--set %s: write it as FIELD=VALUE, such as --set pages=2", pair)
		}
		if err := batchfile.SetField(request, field, batchfile.FieldValue(field, value)); err != nil {
			return nil, fmt.Errorf("--set %s: %w", pair, err)
		}
	}
	return request, nil
}
