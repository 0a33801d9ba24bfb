package socialassistant

import (
	"cmp"
	"regexp"
	"strings"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
)

// markStarts are the characters with which a mark can begin.
const markStarts = "<["

// A card appears in the text as an element with the card's id; the element's prefix varies. A
// citation can also be a link whose label is a number or empty.
const (
	element = `<[a-z]+:render\b[^<>]*>(?:\s*<argument\b[^<>]*>[^<>]*</argument>)*\s*</[a-z]+:render>`
	closed  = `<[a-z]+-card\b[^<>]*>\s*</[a-z]+-card>`
	cited   = `\[(?:\[[0-9]{1,3}\])?\]\(<?https?://[^\s()<>]*>?\)`
)

var (
	mark      = regexp.MustCompile(`^(?:` + element + `|` + closed + `|` + cited + `)`)
	cardID    = regexp.MustCompile(`\b(?:card_id|data-id)="([^"<>]*)"`)
	citedLink = regexp.MustCompile(`\(<?(https?://[^\s()<>]*)`)
)

// maxMarks limits how many consecutive marks are read as one chip; real chips have up to ten.
const maxMarks = 40

// cardsByID decodes the cards, which are JSON, and returns them by id.
func cardsByID(list []string) map[string]loosejson.Object {
	cards := map[string]loosejson.Object{}
	for _, data := range list {
		value, _ := loosejson.Decode(data)
		if card := loosejson.AsObject(value); card.Text("id") != "" {
			cards[card.Text("id")] = card
		}
	}
	return cards
}

// addGenerated adds the images that the assistant generated, once they are complete. Until then the
// stream repeats their cards.
func (r *reader) addGenerated(list []string) {
	for _, data := range list {
		value, _ := loosejson.Decode(data)
		picture := loosejson.AsObject(value).Object("image_chunk")
		if picture.Int("progress") == donePercent && !picture.Is("moderated") {
			r.addImage(picture.Text("imageUrl"))
		}
	}
}

// donePercent is the progress of a complete image.
const donePercent = 100

// replaceMark returns the replacement for the mark at the start of text: the name of an entity, or a
// chip for all consecutive citations. Marks of images and other cards are removed.
func (r *reader) replaceMark(text string) (shown mdtext.Replacement, length int) {
	card, length := r.mark(text)
	if length == 0 {
		return shown, 0
	}
	if entity := card.Object("entity"); entity != nil {
		return r.entityName(entity), length
	}
	var citations []answer.Citation
	for range maxMarks {
		if picture := card.Object("image"); picture != nil {
			if link, ok := picture.Destination(ownSources, "original", "link", "url", "thumbnail"); ok {
				r.addImage(link)
			}
		} else if link, ok := card.Destination(ownSources, "url", "link"); ok {
			page := r.page(link)
			page.Source.Label = cmp.Or(page.Source.Label, card.Text("title"))
			citations = append(citations, page)
		}
		rest := strings.TrimLeft(text[length:], " \t")
		further, more := r.mark(rest)
		if more == 0 || further.Object("entity") != nil {
			break
		}
		card, length = further, len(text)-len(rest)+more
	}
	return r.sources.Cite(citations), length
}

// mark returns the card of the mark at the start of text, or an object with the URL of a link, and
// the length of the mark. The length is 0 if there is no mark.
func (r *reader) mark(text string) (card loosejson.Object, length int) {
	if !markStart(text) {
		return nil, 0
	}
	found := mark.FindString(text)
	if strings.HasPrefix(found, "[") {
		link := citedLink.FindStringSubmatch(found)
		return loosejson.Object{"url": link[1]}, len(found)
	}
	if id := cardID.FindStringSubmatch(found); id != nil {
		return r.cards[id[1]], len(found)
	}
	return nil, len(found)
}

// markStart reports whether a mark can begin at the start of text. It is cheaper than the regular
// expression.
func markStart(text string) bool {
	if strings.HasPrefix(text, "<") {
		end := 1
		for end < len(text) && text[end] >= 'a' && text[end] <= 'z' {
			end++
		}
		return strings.HasPrefix(text[end:], ":render") || strings.HasPrefix(text[end:], "-card")
	}
	return strings.HasPrefix(text, "[](") || len(text) > 2 && text[:2] == "[[" && text[2] >= '0' && text[2] <= '9'
}

// entityName adds an entity and returns its name.
func (r *reader) entityName(entity loosejson.Object) mdtext.Replacement {
	name := entity.Text("name", "title")
	r.answer.Entities = answer.AddEntity(r.answer.Entities, name, entity.Text("type", "category"))
	name = mdtext.Escape(name)
	return mdtext.Replacement{Text: name, Markdown: name}
}
