package app

import (
	"context"

	"earshot/internal/lab"
	"earshot/internal/provider"
	"earshot/internal/provider/search"
)

// Providers is the list of providers, for tests that compare it with the
// documents.
func Providers() []provider.Provider { return providers(search.Engine{Host: "search.lab.test"}) }

// ListenLab starts a lab that plays the sites of all providers, and gives their
// base URLs by name.
func ListenLab(ctx context.Context) (*lab.Server, map[string]string, error) {
	sites, err := provider.NewSites(Providers())
	if err != nil {
		return nil, nil, err
	}
	server, err := listenLab(ctx)
	return server, labURLs(sites), err
}
