package labsite

import (
	"strconv"
	"strings"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// markdown returns the answer's text, in which a citation is the number of a source in brackets.
func markdown(answer *world.Answer) string {
	return world.Markdown(answer.Blocks, func(span world.Span) string {
		switch {
		case span.Cites != nil:
			var marks strings.Builder
			for _, source := range span.Cites {
				marks.WriteString("[" + strconv.Itoa(answer.Footnote(source)) + "]")
			}
			return marks.String()
		case span.Strong, span.Product != nil:
			return "**" + world.Escape(span.Text) + "**"
		default:
			return world.Escape(span.Text)
		}
	})
}

// plan returns the steps that the engine took before it wrote the answer.
func plan(prompt string, answer *world.Answer) lab.Object {
	queries := []lab.Object{}
	for _, query := range answer.Queries {
		queries = append(queries, lab.Object{"engine": "web", "query": query, "limit": 8})
	}
	for _, query := range answer.MapQueries {
		queries = append(queries, lab.Object{"engine": "maps", "query": query, "limit": 4})
	}
	return lab.Object{
		"progress": "DONE", "final": true, "goals": []lab.Object{},
		"steps": []lab.Object{
			{"step_type": "INITIAL_QUERY", "initial_query_content": lab.Object{"query": prompt}},
			{"step_type": "SEARCH_WEB", "search_web_content": lab.Object{"goal_id": "0", "queries": queries}},
		},
	}
}

func results(sources []world.Source) []lab.Object {
	return lab.Objects(sources, func(s world.Source) lab.Object {
		about := lab.Object{"client": "web", "domain_name": s.Site, "description": s.Snippet}
		result := lab.Object{
			"name": s.Title, "url": tracked(s.URL), "snippet": s.Snippet, "meta_data": about,
			"is_attachment": false, "is_navigational": false, "is_widget": false,
		}
		if s.Published != "" {
			about["published_date"] = s.Published + "T00:00:00"
			result["timestamp"] = s.Published + "T00:00:00"
		}
		return result
	})
}

// thingBlocks returns the blocks other than the text.
func thingBlocks(answer *world.Answer) []lab.Object {
	var blocks []lab.Object
	if brands := world.Brands(answer.Blocks); len(brands) > 0 {
		entities := lab.Objects(brands, func(brand string) lab.Object { return lab.Object{"name": brand, "type": "brand"} })
		blocks = append(blocks, complete("entity_group", "entity_group_block", lab.Object{"entities": entities}))
	}
	if len(answer.Cards) > 0 {
		widgets := lab.Objects(answer.Cards, func(card world.Card) lab.Object {
			return lab.Object{"title": card.Title, "tags": card.Tags, "products": lab.Objects(card.Products, product)}
		})
		blocks = append(blocks, complete("shopping_answer_mode", "shopping_mode_block", lab.Object{"shopping_widgets": widgets}))
	}
	if len(answer.Inline) > 0 {
		blocks = append(blocks, complete("ask_text_1_shopping", "inline_entity_block",
			lab.Object{"shopping_block": lab.Object{"products": lab.Objects(answer.Inline, product)}}))
	}
	if len(answer.Places) > 0 {
		blocks = append(blocks, complete("maps_answer_mode", "maps_mode_block", lab.Object{"places": lab.Objects(answer.Places, place)}))
	}
	return blocks
}

func product(p world.Product) lab.Object {
	described := lab.Object{
		"id": p.ID, "name": p.Title, "url": tracked(p.URL), "description": p.Description,
		"price": p.Price, "merchant": p.Merchant, "rating": p.Rating.Stars, "num_reviews": p.Rating.Reviews,
		"images": p.Images,
		"offers": lab.Objects(p.Offers, func(o world.Offer) lab.Object {
			return lab.Object{
				"merchant": o.Merchant, "url": tracked(o.URL), "price": o.Price,
				"shipping": o.Shipping, "condition": o.Condition, "available": o.Available,
			}
		}),
	}
	if p.OldPrice != "" {
		described["original_price"] = p.OldPrice
	}
	if p.Tag != "" {
		described["tag"] = p.Tag
	}
	return described
}

func place(p world.Place) lab.Object {
	return lab.Object{
		"name": p.Name, "address": p.Address, "category": p.Category, "phone": p.Phone,
		"website": tracked(p.Website), "hours": p.Hours, "price_level": p.PriceLevel,
		"rating": p.Rating.Stars, "review_count": p.Rating.Reviews,
		"coordinates": lab.Object{"lat": p.Latitude, "lng": p.Longitude},
	}
}

// media returns videos and images in one list.
func media(answer *world.Answer) []lab.Object {
	list := []lab.Object{}
	for _, v := range answer.Videos {
		list = append(list, lab.Object{
			"medium": "video", "name": v.Title, "url": tracked(v.URL), "source": v.Platform, "channel": v.Channel,
			"duration": v.Duration, "published_date": v.Date, "image": v.Thumbnail, "thumbnail": v.Thumbnail,
		})
	}
	for _, image := range answer.Images {
		list = append(list, lab.Object{"medium": "image", "image": image, "source": "web"})
	}
	return list
}

// tracked returns the link with the site's tracking parameter.
func tracked(link string) string { return world.Tracked(link, host) }
