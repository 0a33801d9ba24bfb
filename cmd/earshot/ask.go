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
	Provider providerArg `arg:"" help:"The provider to ask: ${providers}." completion-predictor:"provider"`
	Prompt   string      `arg:"" help:"The prompt or query; - reads it from standard input."`
	Country  code        `help:"The country to ask from, as an ISO 3166-1 code; US by default." placeholder:"CODE" completion-predictor:"country"`
	State    code        `help:"The state to ask from; only for the country US." placeholder:"CODE" completion-predictor:"state"`
	Include  []string    `help:"Optional parts of the result, such as searchQueries, shopping or html." placeholder:"PART"`
	Set      []string    `help:"Any other field of the request. A value may be JSON; a dot in the name separates an object and its field." placeholder:"FIELD=VALUE" sep:"none"`
	output   `set:"formats=table,json"`
	remote
}

const (
	defaultCountry = "US"
	// maxPrompt is larger than the service's limit, so the service reports a prompt that is too long.
	maxPrompt = 1 << 20
)

// Help returns the command's long help.
func (c *askCmd) Help() string {
	return `Sends one prompt to a provider through a running server, waits for the answer and prints it: the text, then numbered sources,
search queries, products and result lists. The country, the cost, the time and the model are printed to standard error. In a
terminal, links are replaced by the numbers of the sources and lines are wrapped; in a pipe, the text is unchanged Markdown.
A server without API keys or upstreams answers from its built-in lab, whose answers are made up; a warning says so.

EARSHOT_URL is the address of the server, EARSHOT_API_KEY the key. Colours are off in a pipe and if NO_COLOR is set.

Exit status: 0 there is an answer, 130 it was interrupted, 1 anything else. A call that fails is not charged.

Examples:
  earshot ask chatassistant "best running shoes for beginners" --country us --state ca
  earshot ask chatgpt "best running shoes"
  earshot ask chatassistant "best running shoes" --include searchQueries,shopping
  earshot ask websearch "running shoes" --country DE --set pages=2 --include searchoverview
  earshot ask news "marathon" --jq '.newsResults[].link'
  echo "best running shoes" | earshot ask perplexity - --jq .sources`
}

// Run asks the provider and prints the answer.
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
	if !c.isTable() {
		fmt.Fprintln(in.errOut, textStyleFor(in.errOut).faint(c.place(request)))
		_, err := c.object(in, result)
		return err
	}
	if err := newPrinter(in.out).print(c.Provider.Definition, result); err != nil {
		return err
	}
	return c.report(in, c.place(request), result, usage, time.Since(began))
}

// place returns the country and state of the request, with a hint if they are the default.
func (c *askCmd) place(request map[string]any) string {
	text := fmt.Sprint("asked from ", request["country"])
	if state := request["state"]; state != nil {
		text += fmt.Sprint("-", state)
	}
	if c.Country == "" && request["country"] == any(defaultCountry) {
		text += " (the default; use --country to change it)"
	}
	return oneLine(text)
}

// report prints the place, the cost, the time and the source of an answer to standard error.
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
			"; for real answers, configure a provider's API key or --upstream on the server and run 'earshot check'")
	}
	return nil
}

// request returns the body of the call.
func (c *askCmd) request(in *invocation) (map[string]any, error) {
	prompt := c.Prompt
	if prompt == "-" {
		text, err := in.readInput("the prompt", maxPrompt)
		if err != nil {
			return nil, err
		}
		prompt = string(text)
	}
	if strings.TrimSpace(prompt) == "" {
		return nil, errors.New(`the prompt is empty: pass it as an argument in quotes, or pass - and write it to standard input`)
	}
	request := map[string]any{c.Provider.TextField(): prompt, "country": cmp.Or(string(c.Country), defaultCountry)}
	if c.State != "" {
		request["state"] = string(c.State)
	}
	if _, isAnswer := c.Provider.Result.(earshot.Answer); isAnswer && c.isTable() {
		batchfile.Include(request, "markdown") // free, and better to read
	}
	batchfile.Include(request, c.Include...)
	for _, pair := range c.Set {
		field, value, ok := strings.Cut(pair, "=")
		if !ok || field == "" {
			return nil, fmt.Errorf("--set %s is not valid: write FIELD=VALUE, such as --set pages=2", pair)
		}
		if field == "country" || field == "state" {
			value = strings.ToUpper(value)
		}
		if err := batchfile.SetField(request, field, batchfile.FieldValue(field, value)); err != nil {
			return nil, fmt.Errorf("--set %s: %w", pair, err)
		}
	}
	return request, nil
}
