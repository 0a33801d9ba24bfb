// Package model asks models through chat endpoints in the format of OpenAI's Chat Completions API:
// an aggregator, a gateway, or a server with a local model. The operator lists the models by name.
//
//	definition.go   the provider's definition and its requests
//	ask.go          the call
//	read.go         the answer, streamed or whole
//	cite.go         its sources and citations
package model

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/model/labsite"
	"earshot/internal/schema"
)

//go:embed openapi.yaml
var prose []byte

// Name is the name of the provider and of the site that each upstream of a model has.
const Name = "model"

// Model is a model that the operator lists.
type Model struct {
	Name   string // the name in requests
	Search Search
}

// Search says how a model searches the web.
type Search string

// The ways to search.
const (
	// SearchNone sends no tool. The model may search by itself.
	SearchNone Search = "none"
	// SearchOpenRouter adds OpenRouter's search tool with the engine of the model's own vendor.
	SearchOpenRouter Search = "openrouter"
)

// Searches lists the ways to search.
func Searches() []Search { return []Search{SearchNone, SearchOpenRouter} }

// labModel is the only model if the operator lists none.
var labModel = Model{Name: "lab"}

// New returns the provider for the models that the operator lists.
func New(models ...Model) Provider {
	if len(models) == 0 {
		models = []Model{labModel}
	}
	return Provider{models}
}

// Provider asks the models of a list.
type Provider struct{ models []Model }

var _ provider.Provider = Provider{}

// Definition returns the provider's definition.
func (p Provider) Definition() provider.Definition {
	whole, _ := json.Marshal(map[string]any{"model": p.models[0].Name, "prompt": "-", "include": map[string]bool{"markdown": true}}) // always marshals
	return provider.Definition{
		Name:         Name,
		TaskType:     "MODEL",
		Product:      "Any model",
		Summary:      "Ask a model that the operator lists: answer text, sources, citations",
		Request:      earshot.ModelRequest{},
		Result:       earshot.Answer{},
		Prose:        prose,
		FullRequest:  string(whole),
		HealthFields: []string{"text"},
		Fields: map[earshot.Surface]provider.Fields{
			earshot.SurfaceLab: provider.Cited | provider.Pills,
			earshot.SurfaceAPI: provider.Cited | provider.Pills,
		},
		Prices:    []provider.Price{{Item: provider.ItemBase, Credits: 3}},
		Countries: []provider.Countries{{Model: Name}},
		Site:      provider.Site{Name: Name},
		Lab:       labsite.Site,
	}
}

// Decode reads a request. The model must be on the list.
func (p Provider) Decode(in *schema.Object) provider.Request {
	var body earshot.ModelRequest
	in.Decode(&body)
	r := &request{
		prompt:  body.Prompt,
		locale:  provider.CheckLocale(in, p.Definition(), body.Country, body.State),
		include: chat.Include(body.Include),
	}
	if body.Model == "" {
		return r // in has the reason
	}
	i := slices.IndexFunc(p.models, func(m Model) bool { return m.Name == body.Model })
	if i < 0 {
		names := make([]string, len(p.models))
		for i, m := range p.models {
			names[i] = m.Name
		}
		in.Reject("model", "must be one of the models of this service: %s", strings.Join(names, ", "))
		return r
	}
	r.model = p.models[i]
	return r
}

type request struct {
	model   Model
	prompt  string
	locale  geo.Locale
	include chat.Include
}

var _ provider.Chooser = (*request)(nil)

func (r *request) Bill() provider.Bill { return provider.BaseBill(r.locale) }

func (r *request) Locale() geo.Locale { return r.locale }

// Model returns the name of the model to ask.
func (r *request) Model() string { return r.model.Name }
