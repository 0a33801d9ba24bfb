package app

import (
	"net/http"

	"earshot/internal/mcp"
	"earshot/internal/provider"
)

// agents serves AI agents by calling the API, as each of them could.
func (a *App) agents(openAPI []byte, catalogue *provider.Catalogue) (http.Handler, error) {
	names := []string{}
	for _, p := range catalogue.Providers() {
		names = append(names, p.Definition().Name)
	}
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.api.ServeHTTP(w, r) })
	server, err := mcp.New(mcp.Config{OpenAPI: openAPI, Providers: names, Caller: mcp.InProcess{API: api}})
	if err != nil {
		return nil, err
	}
	return server.Handler(a.cfg.BaseURL != ""), nil
}
