package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/loosejson"
	"earshot/internal/upstream"
)

// modelListTime is how long the list of an API's models may take.
const modelListTime = 30 * time.Second

// modelEnd returns the end of the model that an official API is asked for: as the API reports it if
// it does, or else as the table of models has it. Reading the list costs nothing.
func (u *upstreams) modelEnd(ctx context.Context, client *upstream.Client) provider.ModelEnd {
	api, known := u.apis[strings.TrimPrefix(client.Name(), upstreamAPI)]
	if !known || client.Model() == "" {
		return provider.ModelEnd{}
	}
	reported := ""
	if api.ModelList != "" {
		ctx, cancel := context.WithTimeout(ctx, modelListTime)
		defer cancel()
		list, err := client.NewSession(1, "").Fetch(ctx, &upstream.Request{Site: api.Name, Path: api.ModelList})
		if err == nil { // without the list, the table is good enough
			reported = shutdownDate(list.Body, client.Model())
		}
	}
	return provider.FindModelEnd(api.Name, client.Model(), reported, time.Now())
}

// shutdownDate returns the date that a list of models has for a model, or "".
func shutdownDate(list []byte, model string) string {
	value, _ := loosejson.Decode(string(list))
	for _, m := range loosejson.AsObject(value).Objects("data") {
		if m.Text("id") == model {
			return m.Date("shutdown_date")
		}
	}
	return ""
}

// judgeModel adds what the end of the model means: a warning before it, a failure from its date on.
func (c *Checked) judgeModel(client *upstream.Client, end provider.ModelEnd) {
	name := strings.TrimPrefix(client.Name(), upstreamAPI)
	fix := modelFix(name, "apis."+name, end)
	switch end.State {
	case earshot.ModelEnded:
		c.Works, c.Reason, c.Fix = false, earshot.ReasonUnavailable, fix
		c.Error = fmt.Sprintf("it answered, but its vendor ended the model %s on %s", c.Asked, end.On)
	case earshot.ModelEnding:
		c.Warning = fmt.Sprintf("%s ends the model %s on %s. Set %s", client.Name(), c.Asked, end.On, fix)
	}
}

// modelFix returns the setting of an upstream's model and the value that it should have.
func modelFix(name, section string, end provider.ModelEnd) string {
	return fmt.Sprintf("%s or %s.model: %s", variable(name, "MODEL"), section, cmp.Or(end.Use, "a model that the key may use"))
}
