package genassistant

import (
	"cmp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
)

// chunk adds an answer of generateContent, or one chunk of a streamed answer. Only the first
// candidate counts.
func (g *generation) chunk(chunk loosejson.Object) {
	g.model = cmp.Or(g.model, strings.TrimPrefix(chunk.Text("modelVersion", "model"), "models/"))
	if reason := chunk.Object("promptFeedback").Text("blockReason"); reason != "" {
		g.refused = reason
	}
	for _, candidate := range chunk.Objects("candidates") {
		if candidate.Int("index") != 0 {
			continue
		}
		g.candidate(candidate)
		return
	}
}

func (g *generation) candidate(candidate loosejson.Object) {
	for i, part := range candidate.Object("content").Objects("parts") {
		g.part(part, i == 0)
	}
	g.grounding(candidate.Object("groundingMetadata"))
	if reason := candidate.Text("finishReason"); reason != "" && reason != "FINISH_REASON_UNSPECIFIED" {
		g.finish, g.ended = reason, true
		if slices.Contains(blockedEnds, reason) {
			g.refused = reason
		}
	}
}

// part adds a part of the message. Text at the start of a chunk continues the last part of the
// previous chunk.
func (g *generation) part(part loosejson.Object, opens bool) {
	call := part.Object("toolCall")
	queries := call.Object("args").Texts("queries", "query")
	if strings.Contains(call.Text("toolType"), "MAPS") {
		g.mapQueries = answer.AddQueries(g.mapQueries, queries...)
	} else {
		g.called = answer.AddQueries(g.called, queries...)
	}
	said, isText := part["text"].(string)
	visible := isText && !part.Is("thought")
	if !opens || !visible || !g.open {
		g.parts = append(g.parts, g.text.Len())
	}
	g.open = visible
	if visible {
		g.addText(said)
	}
}

// grounding adds the sources that the answer is based on. In a stream they come with the last
// chunk, or repeatedly.
func (g *generation) grounding(metadata loosejson.Object) {
	g.queries = answer.AddQueries(g.queries, metadata.Texts("webSearchQueries", "query")...)
	var own []*answer.Citation
	for _, chunk := range metadata.Objects("groundingChunks") {
		if place := chunk.Object("maps"); place != nil {
			g.addPlace(place)
		}
		own = append(own, g.page(chunk))
	}
	g.chunks = append(g.chunks, own...)
	if len(own) == 0 {
		own = g.chunks
	}
	for _, support := range metadata.Objects("groundingSupports") {
		segment := support.Object("segment")
		g.addClaim(claim{
			part:  number(segment, "partIndex"),
			start: number(segment, "startIndex"),
			end:   number(segment, "endIndex"),
			text:  loosejson.AsText(segment["text"]),
			pages: pagesAt(own, support["groundingChunkIndices"]),
		})
	}
}

// number returns a field that counts bytes or is an index, and 0 if the field is not a valid
// number.
func number(o loosejson.Object, field string) int { return max(o.Int(field), 0) }

// pagesAt returns the pages at the indices, without duplicates.
func pagesAt(pages []*answer.Citation, indices any) []answer.Citation {
	list, _ := indices.([]any)
	var found []answer.Citation
	for _, index := range list[:min(len(list), maxPages)] {
		if i := number(loosejson.Object{"i": index}, "i"); i < len(pages) && pages[i] != nil && !slices.Contains(found, *pages[i]) {
			found = append(found, *pages[i])
		}
	}
	return found
}

// page adds the page of a grounding chunk as a source and returns it, or nil if the chunk has no
// page.
func (g *generation) page(chunk loosejson.Object) *answer.Citation {
	for _, kind := range []string{"web", "retrievedContext", "image"} {
		about := chunk.Object(kind)
		if about == nil {
			continue
		}
		if page, ok := g.webPage(about.Text("uri", "sourceUri"), about.Text("title"), about.Text("domain")); ok {
			g.sources.Add(page.Source)
			return &page
		}
	}
	return nil
}

// addPlace adds a place that the answer is about, if it is new.
func (g *generation) addPlace(about loosejson.Object) {
	link, _ := about.Destination(nil, "uri")
	place := earshot.Place{Position: len(g.places) + 1, Name: about.Text("title"), Link: link}
	known := slices.ContainsFunc(g.places, func(p earshot.Place) bool { return p.Name == place.Name && p.Link == place.Link })
	if place.Name != "" && !known && len(g.places) < maxClaims {
		g.places = append(g.places, place)
	}
}
