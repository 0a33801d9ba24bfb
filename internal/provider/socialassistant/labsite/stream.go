package labsite

import (
	"maps"
	"slices"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// piece is how many characters of text one line carries. The small, odd number splits words and
// marks, as on the real site.
const piece = 19

// stream writes the answer to prompt; each element is a line. The text comes first in tokens. The
// last line has the complete answer.
func stream(prompt string, answer *world.Answer) [][]byte {
	id := world.Identity(prompt, answer)
	posts := world.Posts(answer)
	deck := newDeck(id, answer, posts)
	s := &lines{id: id}
	s.line(lab.Object{"conversation": lab.Object{"conversationId": id, "title": "", "temporary": true}})
	s.response(lab.Object{"userResponse": lab.Object{"responseId": id, "message": prompt, "sender": "human"}})
	for _, query := range answer.Queries {
		search := lab.Object{"toolUsageCardId": "lab", "webSearch": lab.Object{"args": lab.Object{"query": query}}}
		s.response(lab.Object{"isThinking": true, "messageTag": "tool_usage_card", "toolUsageCard": search})
	}
	if len(answer.Sources) > 0 {
		s.response(lab.Object{"isThinking": true, "webSearchResults": lab.Object{"results": webResults(answer.Sources)}})
	}
	if len(posts) > 0 {
		s.response(lab.Object{"isThinking": true, "xSearchResults": lab.Object{"results": postResults(posts)}})
	}
	for _, token := range world.Pieces(deck.text, piece) {
		s.response(lab.Object{"token": token, "messageTag": "final"})
	}
	for _, card := range deck.cards {
		s.response(lab.Object{"cardAttachment": lab.Object{"jsonData": card}})
	}
	s.response(lab.Object{"token": "", "isSoftStop": true})
	s.response(lab.Object{"finalMetadata": lab.Object{"followUpSuggestions": lab.Objects(answer.Related, func(query string) lab.Object {
		return lab.Object{"label": query, "properties": lab.Object{"messageType": "TEXT"}}
	})}})
	s.response(lab.Object{"modelResponse": modelResponse(id, answer, posts, deck)})
	return s.written
}

type lines struct {
	id      string
	written [][]byte
}

// line appends a line with a result.
func (l *lines) line(result lab.Object) {
	l.written = append(l.written, append(lab.JSON(lab.Object{"result": result}), '\n'))
}

// response appends a line of the response; particular overrides its default fields.
func (l *lines) response(particular lab.Object) {
	fields := lab.Object{"responseId": l.id, "isThinking": false, "isSoftStop": false}
	maps.Copy(fields, particular)
	l.line(lab.Object{"response": fields})
}

// modelResponse returns the complete answer.
func modelResponse(id string, answer *world.Answer, posts []world.Post, d *deck) lab.Object {
	return lab.Object{
		"responseId":            id,
		"sender":                "ASSISTANT",
		"message":               d.text,
		"model":                 world.Model,
		"partial":               false,
		"cardAttachmentsJson":   d.cards,
		"webSearchResults":      webResults(answer.Sources),
		"citedWebSearchResults": webResults(cited(answer)),
		"xposts":                postResults(posts),
		"searchProductResults":  products(answer),
		"generatedImageUrls":    []string{},
		"streamErrors":          []any{},
	}
}

// cited returns the sources that the text cites.
func cited(answer *world.Answer) []world.Source {
	return slices.DeleteFunc(slices.Clone(answer.Sources), func(source world.Source) bool {
		for _, block := range answer.Blocks {
			for _, line := range block.Lines {
				if slices.ContainsFunc(line, func(span world.Span) bool { return slices.Contains(span.Cites, source) }) {
					return false
				}
			}
		}
		return true
	})
}

func webResults(sources []world.Source) []lab.Object {
	return lab.Objects(sources, func(s world.Source) lab.Object {
		return lab.Object{"url": s.URL, "title": s.Title, "preview": s.Snippet, "siteName": s.Site, "publishedDate": s.Published}
	})
}

func postResults(posts []world.Post) []lab.Object {
	return lab.Objects(posts, func(p world.Post) lab.Object {
		return lab.Object{
			"postId": p.ID, "username": p.Handle, "name": p.Name, "text": p.Text,
			"createTime": p.Published + "T12:00:00Z", "url": p.URL, "platform": world.Network,
		}
	})
}

// products returns the products of all cards in one list.
func products(answer *world.Answer) []lab.Object {
	list := []lab.Object{}
	for _, card := range answer.Cards {
		list = append(list, lab.Objects(card.Products, product)...)
	}
	return list
}

func product(p world.Product) lab.Object {
	object := lab.Object{
		"productId": p.ID, "title": p.Title, "url": p.URL, "description": p.Description, "price": p.Price,
		"merchantName": p.Merchant, "rating": p.Rating.Stars, "reviewCount": p.Rating.Reviews, "imageUrls": p.Images,
		"offers": lab.Objects(p.Offers, func(o world.Offer) lab.Object {
			return lab.Object{
				"merchantName": o.Merchant, "url": o.URL, "price": o.Price,
				"shipping": o.Shipping, "condition": o.Condition, "available": o.Available,
			}
		}),
	}
	if p.OldPrice != "" {
		object["originalPrice"] = p.OldPrice
	}
	if p.Tag != "" {
		object["tag"] = p.Tag
	}
	return object
}
