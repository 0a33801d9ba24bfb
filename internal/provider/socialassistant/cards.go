package socialassistant

import (
	"cmp"
	"regexp"
	"strings"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
)

// markStarts are the characters that a mark can begin with.
const markStarts = "<["

// A card stands in the text as an element that names it, whatever its prefix; a
// citation also as a link with a number or nothing as its label.
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

// maxMarks is how many marks of a run are read; real ones have up to ten.
const maxMarks = 40

// cardsByID are the cards, each given as JSON.
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

// made notes the pictures that the assistant made, each once it is whole. Their
// cards are told again and again until then.
func (r *reader) made(list []string) {
	for _, data := range list {
		value, _ := loosejson.Decode(data)
		picture := loosejson.AsObject(value).Object("image_chunk")
		if progress := picture.Count("progress"); progress != nil && *progress == donePercent && !picture.Is("moderated") {
			r.image(picture.Text("imageUrl"))
		}
	}
}

// donePercent is the progress of a picture that is whole.
const donePercent = 100

// marked gives what stands for the mark that text begins with: something that
// the answer names, or a chip for all citations that follow each other. Marks of
// pictures and of anything else leave no trace.
func (r *reader) marked(text string) (shown mdtext.Replacement, length int) {
	card, length := r.mark(text)
	if length == 0 {
		return shown, 0
	}
	if entity := card.Object("entity"); entity != nil {
		return r.named(entity), length
	}
	var citations []answer.Citation
	for range maxMarks {
		if picture := card.Object("image"); picture != nil {
			if link, ok := picture.Destination(ownSources, "original", "link", "url", "thumbnail"); ok {
				r.image(link)
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

// mark is the card that the mark at the beginning of text stands for, or what a
// link says in its place, and the length of the mark, 0 if there is none.
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

// markStart tells whether a mark can begin as the text does, without the closer
// look that a regular expression takes.
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

// named notes what the answer names, and gives its name.
func (r *reader) named(entity loosejson.Object) mdtext.Replacement {
	name := entity.Text("name", "title")
	r.answer.Entities = answer.AddEntity(r.answer.Entities, name, entity.Text("type", "category"))
	name = mdtext.Escape(name)
	return mdtext.Replacement{Text: name, Markdown: name}
}
