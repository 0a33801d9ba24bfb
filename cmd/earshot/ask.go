package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/files/batchfile"
)

type askCmd struct {
	Provider providerArg `arg:"" help:"Whom to ask: ${providers}." completion-predictor:"provider"`
	Prompt   string      `arg:"" help:"The question, or - to read it from standard input."`
	Country  string      `help:"Where to ask from: an ISO 3166-1 code in capitals; US without it." placeholder:"CODE" completion-predictor:"country"`
	State    string      `help:"The state to ask from, with country US." placeholder:"CODE" completion-predictor:"state"`
	Include  []string    `help:"What else the result shall hold, such as searchQueries, shopping or html." placeholder:"PART"`
	Set      []string    `help:"Any other field of the request. A value that is JSON is sent as such; dots lead into objects." placeholder:"FIELD=VALUE" sep:"none"`
	JSON     bool        `name:"json" help:"Print the result as JSON."`
	remote
}

const (
	defaultCountry = "US"
	// maxQuestion is more than the service accepts, which says so.
	maxQuestion = 1 << 20
)

// Help shows questions.
func (c *askCmd) Help() string {
	return `Asks one question through a running server, waits for the answer and prints it for reading: the text, then numbered sources,
search queries, products and result lists. Where it was asked from, what it cost, how long it took and what answered goes to
standard error. In a terminal, links are numbers of the sources below, and lines end where it ends; in a pipe the text is
Markdown as it came. A server without keys or upstreams of its own answers from its lab, which makes everything up; then a warning says so.

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
	request, err := c.request(in)
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
		fmt.Fprintln(in.errOut, textStyleFor(in.errOut).faint(c.place(request)))
		return in.json(result)
	}
	if err := newPrinter(in.out).print(c.Provider.Definition, result); err != nil {
		return err
	}
	return c.report(in, c.place(request), result, usage, time.Since(began))
}

// place says where the question was asked from, and how to choose where nobody did.
func (c *askCmd) place(request map[string]any) string {
	text := fmt.Sprint("asked from ", request["country"])
	if state := request["state"]; state != nil {
		text += fmt.Sprint("-", state)
	}
	if c.Country == "" && request["country"] == any(defaultCountry) {
		text += "; --country sets another"
	}
	return oneLine(text)
}

// report prints to standard error where the question was asked from, what the answer
// cost and what gave it.
func (c *askCmd) report(in *invocation, place string, result json.RawMessage, usage client.Usage, took time.Duration) error {
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
	fmt.Fprintln(in.errOut, style.faint(place))
	fmt.Fprintln(in.errOut, style.faint(line))
	if about.Surface == earshot.SurfaceLab {
		fmt.Fprintln(in.errOut, style.bold("warning: this answer is made up by the server's lab")+
			"; for real ones give the server a provider's API key or --upstream, and see 'earshot check'")
	}
	return nil
}

// request is the body of the call.
func (c *askCmd) request(in *invocation) (map[string]any, error) {
	prompt := c.Prompt
	if prompt == "-" {
		text, err := in.readInput("the question", maxQuestion)
		if err != nil {
			return nil, err
		}
		prompt = string(text)
	}
	if strings.TrimSpace(prompt) == "" {
		return nil, errors.New(`there is no question: give it in quotes, or - and write it to standard input`)
	}
	request := map[string]any{c.Provider.TextField(): prompt, "country": cmp.Or(c.Country, defaultCountry)}
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
