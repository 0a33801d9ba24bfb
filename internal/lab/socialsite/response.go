package socialsite

import (
	"slices"

	"earshot/internal/lab/world"
)

// modelResponse is the answer as a whole.
func modelResponse(id string, answer *world.Answer, posts []world.Post, d *deck) object {
	return object{
		"responseId":            id,
		"sender":                "ASSISTANT",
		"message":               d.text,
		"model":                 world.Model,
		"partial":               false,
		"cardAttachmentsJson":   texts(d.cards),
		"webSearchResults":      webResults(answer.Sources),
		"citedWebSearchResults": webResults(cited(answer)),
		"xposts":                postResults(posts),
		"searchProductResults":  products(answer),
		"generatedImageUrls":    []string{},
		"streamErrors":          []any{},
	}
}

// texts is the list, an empty one where there is none.
func texts(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// cited are the sources that the text points at.
func cited(answer *world.Answer) []world.Source {
	var found []world.Source
	for _, source := range answer.Sources {
		for _, block := range answer.Blocks {
			for _, line := range block.Lines {
				for _, span := range line {
					if slices.Contains(span.Cites, source) && !slices.Contains(found, source) {
						found = append(found, source)
					}
				}
			}
		}
	}
	return found
}

func webResults(sources []world.Source) []object {
	list := make([]object, len(sources))
	for i, s := range sources {
		list[i] = object{"url": s.URL, "title": s.Title, "preview": s.Snippet, "siteName": s.Site, "publishedDate": s.Published}
	}
	return list
}

func postResults(posts []world.Post) []object {
	list := make([]object, len(posts))
	for i, p := range posts {
		list[i] = object{
			"postId": p.ID, "username": p.Handle, "name": p.Name, "text": p.Text,
			"createTime": p.Published + "T12:00:00Z", "url": p.URL, "platform": world.Network,
		}
	}
	return list
}

// products are all products of the answer's cards, in one list.
func products(answer *world.Answer) []object {
	list := []object{}
	for _, card := range answer.Cards {
		for _, p := range card.Products {
			told := object{
				"productId": p.ID, "title": p.Title, "url": p.URL, "description": p.Description, "price": p.Price,
				"merchantName": p.Merchant, "rating": p.Rating.Stars, "reviewCount": p.Rating.Reviews, "imageUrls": p.Images,
				"offers": offers(p.Offers),
			}
			if p.OldPrice != "" {
				told["originalPrice"] = p.OldPrice
			}
			if p.Tag != "" {
				told["tag"] = p.Tag
			}
			list = append(list, told)
		}
	}
	return list
}

func offers(list []world.Offer) []object {
	told := make([]object, len(list))
	for i, o := range list {
		told[i] = object{
			"merchantName": o.Merchant, "url": o.URL, "price": o.Price,
			"shipping": o.Shipping, "condition": o.Condition, "available": o.Available,
		}
	}
	return told
}
