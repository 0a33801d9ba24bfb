package app

import (
	"encoding/json"

	"earshot/internal/openapi"
	"earshot/internal/provider"
	"earshot/internal/provider/answerengine"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/genassistant"
	"earshot/internal/provider/news"
	"earshot/internal/provider/officeassistant"
	"earshot/internal/provider/searchaimode"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/socialassistant"
	"earshot/internal/provider/websearch"
)

// Providers is the list of providers, for those who only need to know what they
// are.
func Providers() []provider.Provider { return providers(serp.Engine{}) }

// OpenAPI describes the API of a service with these providers, as JSON.
func OpenAPI(providers []provider.Provider) ([]byte, error) {
	document, err := openapi.Document(providers)
	if err != nil {
		return nil, err
	}
	return json.Marshal(document)
}

// providers are those of the list and those of the program.
func (c Config) providers(engine serp.Engine) []provider.Provider {
	return append(providers(engine), c.Providers...)
}

// providers is the list of providers. Adding one is its folder and a line here.
// Those that search ask the engine.
func providers(engine serp.Engine) []provider.Provider {
	return []provider.Provider{
		chatassistant.Provider{},
		genassistant.New(),
		socialassistant.New(),
		officeassistant.New(),
		answerengine.New(),
		websearch.Provider{Engine: engine},
		news.Provider{Engine: engine},
		searchaimode.Provider{Engine: engine},
	}
}
