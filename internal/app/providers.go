package app

import (
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
