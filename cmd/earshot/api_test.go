package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAPICallsAnyOperation(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	file := writeFile(t, "hats.yaml", "prompts: [best hats]\ntargets: [{provider: gemini, country: fr}]\n")
	for _, test := range []struct {
		want string
		args []string
	}{
		{"hobby\n", []string{"GET", "/v1/credits", "--jq", ".plan"}},
		{"hobby\n", []string{"v1/credits?", "--jq", ".plan"}},
		{"20\n", []string{"post", "/v1/monitor/websearch", "-f", "query=shoes", "-F", "pages=2", "--raw-field", "country=US", "--jq", ".result.organicResults | length"}},
		{"true\n", []string{"POST", "/v1/monitor/chatassistant", "-f", "prompt=@" + writeFile(t, "prompt", "shoes\n"), "-f", "country=US", "-f", "include[markdown]=true", "--jq", `.result.markdown != ""`}},
		{"hats genassistant FR\n", []string{"PUT", "/v1/trackers/hats", "--input", file, "--jq", `.tracker | .name + " " + .definition.targets[0].provider + " " + .definition.targets[0].country`}},
		{"active true\n", []string{"PUT", "/v1/trackers/caps", "--input", file, "-f", "dryRun=true", "--jq", `.tracker.state + " \(.dryRun)"`}},
		{"1\n1\n", []string{"GET", "/v1/requests", "-f", "limit=1", "--paginate", "--jq", ".requests | length"}},
	} {
		out, errOut, status := u.does(append([]string{"api"}, test.args...)...)
		if out != test.want || status != 0 {
			t.Errorf("%v prints %.300s%s, want %s", test.args, out, errOut, test.want)
		}
	}
	out, _ := u.succeeds("api", "/v1/trackers/hats/report?format=md")
	wants(t, out, "# Brand visibility report: hats\n")
	for _, test := range []struct{ args, want string }{
		{"/v1/trackr/hats", "there is no GET /v1/trackr/hats; near are GET /v1/trackers/{name}, PUT /v1/trackers/{name}"},
		{"POST /v1/credits", "there is no POST /v1/credits; near are GET /v1/credits"},
		{"GET /v1/something/quite/different", "'earshot api /openapi.json"},
		{"GET /v1/trackers/boots", "there is no tracker with this id"},
		{"GET /v1/credits -f credits", "KEY=VALUE"},
		{"POST /v1/credits -f a[b=1", "the key a[b is not valid"},
		{"GET /v1/credits -H x", "NAME:VALUE"},
		{"/v1/trackers/hats/report?format=md --jq .", "--jq reads only JSON"},
	} {
		if _, errOut, status := u.does(append([]string{"api"}, strings.Fields(test.args)...)...); status != 1 || !strings.Contains(errOut, test.want) {
			t.Errorf("%s: %d, %s, want %s", test.args, status, errOut, test.want)
		}
	}
}

func TestFieldsOfAPIHaveTypes(t *testing.T) {
	t.Parallel()
	c := apiCmd{
		Field: []string{"a=true", "b=null", "c=7", "d=1.50", "e=[1]", "f=007", "g=", "h[i][j]=1", "h[k]=x", "l[]=1", "l[]=two", `m="quoted"`},
		Typed: []string{"n=false"}, RawField: []string{"o=7"},
	}
	fields := map[string]any{}
	if err := c.fields(&invocation{Context: t.Context()}, fields); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(fields)
	const want = `{"a":true,"b":null,"c":7,"d":1.50,"e":"[1]","f":"007","g":"","h":{"i":{"j":1},"k":"x"},"l":[1,"two"],"m":"\"quoted\"","n":false,"o":"7"}`
	if string(text) != want || err != nil {
		t.Errorf("got %s (%v), want %s", text, err, want)
	}
}
