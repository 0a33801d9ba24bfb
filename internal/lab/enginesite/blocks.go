package enginesite

import (
	"strconv"
	"strings"

	"earshot/internal/lab/world"
)

// markdown is the answer's text; a citation in it is the number of a source in
// brackets.
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

// plan is what the engine did before it wrote.
func plan(prompt string, answer *world.Answer) object {
	queries := []object{}
	for _, query := range answer.Queries {
		queries = append(queries, object{"engine": "web", "query": query, "limit": 8})
	}
	for _, query := range answer.MapQueries {
		queries = append(queries, object{"engine": "maps", "query": query, "limit": 4})
	}
	return object{
		"progress": "DONE", "final": true, "goals": []object{},
		"steps": []object{
			{"step_type": "INITIAL_QUERY", "initial_query_content": object{"query": prompt}},
			{"step_type": "SEARCH_WEB", "search_web_content": object{"goal_id": "0", "queries": queries}},
		},
	}
}

func results(sources []world.Source) []object {
	list := make([]object, len(sources))
	for i, s := range sources {
		about := object{"client": "web", "domain_name": s.Site, "description": s.Snippet}
		list[i] = object{
			"name": s.Title, "url": tracked(s.URL), "snippet": s.Snippet, "meta_data": about,
			"is_attachment": false, "is_navigational": false, "is_widget": false,
		}
		if s.Published != "" {
			about["published_date"] = s.Published + "T00:00:00"
			list[i]["timestamp"] = s.Published + "T00:00:00"
		}
	}
	return list
}

// thingBlocks are the blocks beside the text.
func thingBlocks(answer *world.Answer) []object {
	var blocks []object
	if brands := world.Brands(answer.Blocks); len(brands) > 0 {
		entities := make([]object, len(brands))
		for i, brand := range brands {
			entities[i] = object{"name": brand, "type": "brand"}
		}
		blocks = append(blocks, whole("entity_group", "entity_group_block", object{"entities": entities}))
	}
	if len(answer.Cards) > 0 {
		widgets := make([]object, len(answer.Cards))
		for i, card := range answer.Cards {
			widgets[i] = object{"title": card.Title, "tags": card.Tags, "products": products(card.Products)}
		}
		blocks = append(blocks, whole("shopping_answer_mode", "shopping_mode_block", object{"shopping_widgets": widgets}))
	}
	if len(answer.Inline) > 0 {
		blocks = append(blocks, whole("ask_text_1_shopping", "inline_entity_block",
			object{"shopping_block": object{"products": products(answer.Inline)}}))
	}
	if len(answer.Places) > 0 {
		blocks = append(blocks, whole("maps_answer_mode", "maps_mode_block", object{"places": places(answer.Places)}))
	}
	return blocks
}

func products(list []world.Product) []object {
	told := make([]object, len(list))
	for i, p := range list {
		offers := make([]object, len(p.Offers))
		for j, o := range p.Offers {
			offers[j] = object{
				"merchant": o.Merchant, "url": tracked(o.URL), "price": o.Price,
				"shipping": o.Shipping, "condition": o.Condition, "available": o.Available,
			}
		}
		told[i] = object{
			"id": p.ID, "name": p.Title, "url": tracked(p.URL), "description": p.Description,
			"price": p.Price, "merchant": p.Merchant, "rating": p.Rating.Stars, "num_reviews": p.Rating.Reviews,
			"images": p.Images, "offers": offers,
		}
		if p.OldPrice != "" {
			told[i]["original_price"] = p.OldPrice
		}
		if p.Tag != "" {
			told[i]["tag"] = p.Tag
		}
	}
	return told
}

func places(list []world.Place) []object {
	told := make([]object, len(list))
	for i, p := range list {
		told[i] = object{
			"name": p.Name, "address": p.Address, "category": p.Category, "phone": p.Phone,
			"website": tracked(p.Website), "hours": p.Hours, "price_level": p.PriceLevel,
			"rating": p.Rating.Stars, "review_count": p.Rating.Reviews,
			"coordinates": object{"lat": p.Latitude, "lng": p.Longitude},
		}
	}
	return told
}

// media are videos and pictures, in one list.
func media(answer *world.Answer) []object {
	list := []object{}
	for _, v := range answer.Videos {
		list = append(list, object{
			"medium": "video", "name": v.Title, "url": tracked(v.URL), "source": v.Platform, "channel": v.Channel,
			"duration": v.Duration, "published_date": v.Date, "image": v.Thumbnail, "thumbnail": v.Thumbnail,
		})
	}
	for _, image := range answer.Images {
		list = append(list, object{"medium": "image", "image": image, "source": "web"})
	}
	return list
}

func related(queries []string) []object {
	list := make([]object, len(queries))
	for i, query := range queries {
		list[i] = object{"text": query, "type": "DEFAULT"}
	}
	return list
}

// tracked is the link as the site shows it.
func tracked(link string) string { return world.Tracked(link, Host) }
