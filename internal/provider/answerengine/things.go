package answerengine

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// reader collects an answer from an entry.
type reader struct {
	answer  *earshot.Answer
	things  answer.Things
	pages   []answer.Citation // pages that the numbers in the text refer to, from 1
	sources answer.Sources
	loose   []earshot.Product // products outside a card
}

// walk searches a block for lists with known names. It does not rely on the type of the block,
// because the site often moves these lists.
func (r *reader) walk(block loosejson.Object) {
	for _, field := range slices.Sorted(maps.Keys(block)) {
		value := block[field]
		switch field {
		case "markdown_block", "web_result_block", "sources_mode_block", "web_results":
		case "shopping_widgets":
			r.addShopping(loosejson.AsObjects(value))
		case "products":
			r.answer.InlineProducts = append(r.answer.InlineProducts, r.things.Products(loosejson.AsObjects(value))...)
		case "places":
			for _, place := range loosejson.AsObjects(value) {
				r.addPlace(place)
			}
		case "media_items":
			r.addMedia(loosejson.AsObjects(value))
		case "entities", "knowledge_cards":
			for _, entity := range loosejson.AsObjects(value) {
				r.answer.Entities = answer.AddEntity(r.answer.Entities, entity.Text("name", "title"), entity.Text("type", "entity_type", "category"))
			}
		case "queries", "reformulated_queries":
			r.addQueries(value)
		default:
			r.walk(loosejson.AsObject(value))
			for _, inner := range loosejson.AsObjects(value) {
				r.walk(inner)
			}
		}
	}
}

// addShopping adds shopping widgets, which are groups of products or single products.
func (r *reader) addShopping(widgets []loosejson.Object) {
	for _, widget := range widgets {
		inner := widget.Objects("products")
		if len(inner) == 0 {
			r.loose = append(r.loose, r.things.Products([]loosejson.Object{widget})...)
			continue
		}
		card := earshot.ShoppingCard{Title: widget.Text("title"), Tags: widget.Texts("tags", "title"), Products: r.things.Products(inner)}
		if len(card.Products) > 0 {
			r.answer.ShoppingCards = append(r.answer.ShoppingCards, card)
		}
	}
}

// addPlace adds a place if it is new, because the map and the text show the same places. The address
// may be a list of lines.
func (r *reader) addPlace(place loosejson.Object) {
	about := maps.Clone(place)
	if lines := place.Texts("address", ""); len(lines) > 0 {
		about["address"] = strings.Join(lines, ", ")
	}
	noted := len(r.answer.Places)
	all := r.things.AddPlace(r.answer.Places, about)
	if len(all) == noted || slices.ContainsFunc(r.answer.Places, func(p earshot.Place) bool {
		return p.Name == all[noted].Name && p.Address == all[noted].Address
	}) {
		return
	}
	r.answer.Places = all
}

func (r *reader) addMedia(items []loosejson.Object) {
	for _, item := range items {
		if item.Text("medium") == "video" {
			r.answer.Videos = r.things.AddVideo(r.answer.Videos, item)
			continue
		}
		if link, ok := item.Destination(ownSources, "image", "thumbnail"); ok {
			r.answer.Images = answer.AddNew(r.answer.Images, link)
		}
	}
}

// addQueries adds search queries. The engine's name says whether a query was for a map.
func (r *reader) addQueries(value any) {
	list, _ := value.([]any)
	for _, item := range list {
		query := loosejson.AsObject(item)
		text := cmp.Or(query.Text("query"), webtext.Line(loosejson.AsText(item)))
		if engine := query.Text("engine"); strings.Contains(engine, "map") || strings.Contains(engine, "place") {
			r.answer.MapSearchQueries = answer.AddNew(r.answer.MapSearchQueries, text)
		} else {
			r.answer.SearchQueries = answer.AddNew(r.answer.SearchQueries, text)
		}
	}
}

// addRelated adds the related questions.
func (r *reader) addRelated(entries ...loosejson.Object) {
	for _, entry := range entries {
		for _, field := range []string{"related_query_items", "related_queries"} {
			r.answer.RelatedQueries = answer.AddNew(r.answer.RelatedQueries, entry.Texts(field, "text")...)
		}
	}
}

// finish adds the products outside cards and the sources to the answer.
func (r *reader) finish() {
	if len(r.loose) > 0 {
		r.answer.ShoppingCards = append(r.answer.ShoppingCards, earshot.ShoppingCard{Products: r.loose})
	}
	answer.NumberProducts(r.answer)
	r.sources.Fill(r.answer)
}
