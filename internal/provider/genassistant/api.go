package genassistant

import (
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

// Site names of the official API and of the redirect links to its sources.
const (
	apiSite      = "gemini"
	redirectSite = "gemini-redirects"
)

// api describes the official API.
var api = provider.API{
	Name:      apiSite,
	URL:       "https://generativelanguage.googleapis.com/v1beta",
	Model:     provider.DefaultModel(apiSite),
	KeyHeader: "x-goog-api-key",
	Redirects: "https://vertexaisearch.cloud.google.com",
	Place:     "no; only the language",
}

// apiFields are the fields by which an object of the API is recognised.
var apiFields = []string{"candidates", "promptFeedback", "usageMetadata"}

// recognisesAPI reports whether the document is an answer of the API, judged by its first object.
func recognisesAPI(document []byte) bool {
	first := rawdoc.FirstPiece(document)
	for _, field := range apiFields {
		if _, ok := first[field]; ok {
			return true
		}
	}
	return first.Object("error") != nil
}

// readAPI reads an answer of the API, streamed or whole. A whole answer is complete even without a
// finish reason.
func readAPI(document []byte, want answer.Options) (*earshot.Answer, error) {
	var g generation
	err := rawdoc.ReadPieces(document, func(p rawdoc.Pieces) error {
		for _, object := range p.Objects {
			if object.Object("error") != nil {
				return vendorapi.RefusalObject(0, nil, object)
			}
			g.chunk(object)
		}
		g.ended = g.ended || p.Alone
		return g.check()
	})
	if err != nil {
		return nil, err
	}
	return g.answer(want), nil
}

// blockedEnds are the finish reasons of answers that were not allowed.
var blockedEnds = []string{"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY"}

// check returns an error if the answer is not complete.
func (g *generation) check() error {
	said := strings.TrimSpace(g.text.String()) != ""
	switch {
	case !said && g.refused != "":
		return vendorapi.Blocked("the API refused to answer: %s", g.refused)
	case g.finish == "MAX_TOKENS":
		return upstream.Fail(earshot.ReasonUnavailable, "the answer is incomplete: %s", g.finish)
	case !g.ended:
		return upstream.Fail(earshot.ReasonUnavailable, "the answer is cut off")
	case !said && g.finish != "" && g.finish != "STOP":
		return upstream.Fail(earshot.ReasonUnavailable, "the API gave no answer: %s", g.finish)
	case !said:
		return upstream.Fail(earshot.ReasonEmpty, "the answer has no text")
	default:
		return nil
	}
}
