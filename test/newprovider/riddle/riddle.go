// Package riddle is an example of a minimal provider: an assistant that answers in riddles
// on a page. The whole provider is in this folder.
package riddle

import (
	_ "embed"
	"net/http"
	"net/url"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/chatpage"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

// name is the name of the provider and of its site.
const name = "riddle"

const host = "riddle.lab.test"

//go:embed openapi.yaml
var prose []byte

//go:embed page.gohtml
var source string

// RiddleRequest asks for a riddle.
type RiddleRequest earshot.AssistantRequest

// New returns the assistant.
func New() *chat.Assistant {
	page := chatpage.New(chatpage.Layout{
		User:    "[data-author=user]",
		Turn:    "[data-author=assistant]",
		Message: ".riddle",
		Chip:    "cite",
		Sources: ".sources",
		Model:   ".model",
		Related: ".next",
	})
	return &chat.Assistant{
		About: &provider.Definition{
			Name:         name,
			TaskType:     "RIDDLE",
			Summary:      "Ask for a riddle: text, sources",
			Request:      RiddleRequest{},
			Result:       earshot.Answer{},
			Prose:        prose,
			FullRequest:  `{"prompt": "-", "include": {"markdown": true}}`,
			HealthFields: []string{"text"},
			Fields: map[earshot.Surface]provider.Fields{
				earshot.SurfaceWeb: provider.Retrieved | provider.Cited | provider.Pills,
				earshot.SurfaceLab: provider.Retrieved | provider.Cited | provider.Pills,
				earshot.SurfaceAPI: provider.Retrieved | provider.Cited | provider.Pills,
			},
			Prices:    []provider.Price{{Item: provider.ItemBase, Credits: 9, For: "a riddle"}},
			Countries: []provider.Countries{{Model: name, Except: "AQ"}},
			APIs:      []provider.API{{Name: "sphinx", URL: "https://sphinx.example", KeyHeader: "X-Key"}},
			Site:      provider.Site{Name: name, URL: "https://riddle.example"},
			Lab:       site,
		},
		Question: question,
		Read:     page.Read,
	}
}

func question(prompt string, locale geo.Locale) (*upstream.Request, error) {
	return &upstream.Request{Site: name, Path: "/ask", Query: url.Values{"q": {prompt}}, Locale: locale}, nil
}

// site returns the assistant's site in the lab.
func site() lab.Site {
	return lab.Site{Host: host, Routes: map[string]http.Handler{"GET /ask": lab.Page(host, lab.Template(host, source))}}
}
