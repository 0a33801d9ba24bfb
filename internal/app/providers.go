package app

import (
	"encoding/json"
	"fmt"
	"strings"

	"earshot/internal/api/openapi"
	"earshot/internal/provider"
	"earshot/internal/provider/answerengine"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/claude"
	"earshot/internal/provider/genassistant"
	"earshot/internal/provider/model"
	"earshot/internal/provider/news"
	"earshot/internal/provider/officeassistant"
	"earshot/internal/provider/searchaimode"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/socialassistant"
	"earshot/internal/provider/via/brightdata"
	"earshot/internal/provider/via/cloro"
	"earshot/internal/provider/via/dataforseo"
	"earshot/internal/provider/via/olostep"
	"earshot/internal/provider/via/oxylabs"
	"earshot/internal/provider/via/serpapi"
	"earshot/internal/provider/websearch"
	"earshot/internal/schema"
)

// Providers returns the providers for callers that need only their definitions.
func Providers() []provider.Provider { return providers(serp.Engine{}, nil) }

// FindProvider returns the definition of a provider by its name, its task type or its
// product, in any letter case.
func FindProvider(name string) (provider.Definition, error) {
	p, err := findProvider(name, serp.Engine{})
	if err != nil {
		return provider.Definition{}, err
	}
	return p.Definition(), nil
}

// findProvider is FindProvider for callers that use the provider. It also finds providers
// that the operator hides.
func findProvider(name string, engine serp.Engine) (provider.Provider, error) {
	var names, all []string
	for _, p := range providers(engine, nil) {
		about := p.Definition()
		if about.IsNamed(name) {
			return p, nil
		}
		names = append(names, about.Name)
		all = append(all, provider.Names(about.Name, about.TaskType, about.Product)...)
	}
	if near := schema.Nearest(name, append(names, all...)); near != "" {
		return nil, fmt.Errorf("there is no provider %q; did you mean %s?", name, near)
	}
	return nil, fmt.Errorf("there is no provider %q; the providers are %s", name, strings.Join(names, ", "))
}

// OpenAPI returns the OpenAPI document of a service with these providers, as JSON.
func OpenAPI(providers []provider.Provider) ([]byte, error) {
	texts, err := describe(providers)
	return texts.openAPI, err
}

// descriptions describe the API: the OpenAPI document as JSON, and the introduction for AI agents.
type descriptions struct {
	openAPI []byte
	llms    string
}

func describe(providers []provider.Provider) (texts descriptions, err error) {
	document, err := openapi.Document(providers)
	if err != nil {
		return texts, err
	}
	if texts.llms, err = openapi.LLMs(document); err != nil {
		return texts, err
	}
	texts.openAPI, err = json.Marshal(document)
	return texts, err
}

// providers returns the built-in providers and the providers of the configuration.
func (c Config) providers(engine serp.Engine) []provider.Provider {
	return append(providers(engine, c.Settings.models()), c.Providers...)
}

// Vendors lists the built-in vendors. A new vendor needs its folder and a line here.
func Vendors() []provider.Vendor {
	return []provider.Vendor{
		cloro.Vendor{},
		brightdata.Vendor{},
		oxylabs.Vendor{},
		olostep.Vendor{},
		dataforseo.Vendor{},
		serpapi.Vendor{},
	}
}

// providers lists the built-in providers. A new provider needs its folder and a line here.
// The search providers use the engine, and the provider model asks the models.
func providers(engine serp.Engine, models []model.Model) []provider.Provider {
	return []provider.Provider{
		chatassistant.Provider{},
		genassistant.New(),
		socialassistant.New(),
		officeassistant.New(),
		answerengine.New(),
		websearch.Provider{Engine: engine},
		news.Provider{Engine: engine},
		searchaimode.Provider{Engine: engine},
		claude.New(),
		model.New(models...),
	}
}
