package serpapi

import (
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/mdtext"
	"earshot/internal/provider/via"
	"earshot/internal/provider/webtext"
)

// readAnswer reads an answer: text blocks, which refer to a list of pages by number.
func readAnswer(o loosejson.Object, q *provider.Question) *earshot.Answer {
	a := &earshot.Answer{}
	writer := blockWriter{references: map[string]earshot.Source{}}
	var sources answer.Sources
	for _, item := range o.Objects("references") {
		if source, ok := via.Source(item); ok {
			sources.Add(source)
			writer.references[item.Amount("index")] = source
		}
	}
	if header := o.Text("header"); header != "" {
		writer.add("## "+mdtext.Escape(header)+"\n\n", nil)
	}
	writer.write(o.Objects("text_blocks"), "")
	whole := via.Multiline(o, "reconstructed_markdown")
	if len(writer.blocks) > 0 {
		sources.Write(writer.blocks).Fill(a, true)
		if whole != "" {
			a.Markdown = webtext.Clean(mdtext.KeepSafeLinks(whole))
		}
	} else {
		via.SetText(a, "", whole)
	}
	sources.Fill(a)
	addThings(a, o, q)
	return a
}

// addThings adds what an answer shows besides its text.
func addThings(a *earshot.Answer, o loosejson.Object, q *provider.Question) {
	things := answer.Things{Country: q.Locale.Country, Own: via.OwnSources()}
	if products := via.Products(things, o.Objects("shopping_results")); products != nil {
		a.ShoppingCards = []earshot.ShoppingCard{{Products: products}}
	}
	answer.NumberProducts(a)
	for _, item := range places(o) {
		a.Places = things.AddPlace(a.Places, via.PlaceFields(item))
	}
	for _, item := range via.Some(o, "inline_images") {
		if link := via.Link(item, "original", "image", "thumbnail"); link != "" {
			a.Images = answer.AddNew(a.Images, link)
		}
	}
	videos := via.Some(o, "inline_videos")
	if video := o.Object("header_video"); video != nil {
		videos = append(videos, video)
	}
	for _, item := range videos {
		a.Videos = things.AddVideo(a.Videos, via.VideoFields(item))
	}
}

// blockWriter turns text blocks into Markdown. Each part that refers to pages is followed
// by a chip.
type blockWriter struct {
	references map[string]earshot.Source // by index
	blocks     []answer.Block
}

func (w *blockWriter) add(text string, o loosejson.Object) {
	block := answer.Block{Text: text}
	list, _ := o["reference_indexes"].([]any)
	for _, item := range list {
		if source, known := w.references[(loosejson.Object{"index": item}).Amount("index")]; known {
			block.Citations = append(block.Citations, answer.Citation{Source: source, Label: source.Label})
		}
	}
	w.blocks = append(w.blocks, block)
}

// write adds text blocks. indent is the white space before the items of a nested list.
func (w *blockWriter) write(blocks []loosejson.Object, indent string) {
	for _, o := range blocks {
		text := mdtext.Escape(o.Text("snippet", "text"))
		switch o.Text("type") {
		case "heading":
			w.line("## "+text, o)
		case "code_block", "code":
			w.line("```\n"+strings.TrimRight(via.Multiline(o, "code", "snippet"), "\n")+"\n```", o)
		default:
			if title := o.Text("title"); title != "" {
				w.line("**"+mdtext.Escape(title)+"**", nil)
			}
			if text != "" {
				w.line(text, o)
			}
		}
		if list := o.Objects("list"); len(list) > 0 {
			w.list(list, indent)
			w.add("\n", nil)
		}
		w.table(o)
		w.write(o.Objects("text_blocks"), indent)
	}
}

// line adds a paragraph.
func (w *blockWriter) line(text string, o loosejson.Object) {
	w.add(text, o)
	w.add("\n\n", nil)
}

func (w *blockWriter) list(items []loosejson.Object, indent string) {
	for _, item := range items {
		title, text := item.Text("title"), mdtext.Escape(item.Text("snippet", "text"))
		switch {
		case title != "" && text != "":
			text = "**" + mdtext.Escape(title) + "** " + text
		case title != "":
			text = "**" + mdtext.Escape(title) + "**"
		}
		if text != "" {
			w.add(indent+"- "+text, item)
			w.add("\n", nil)
		}
		w.list(item.Objects("list"), indent+"  ")
		w.list(item.Objects("text_blocks"), indent+"  ")
	}
}

// table adds a table, whose rows are lists of texts, or a comparison of products by feature.
func (w *blockWriter) table(o loosejson.Object) {
	rows, _ := o["table"].([]any)
	if features := o.Objects("comparison"); len(features) > 0 {
		labels, _ := o["product_labels"].([]any)
		rows = append(rows, append([]any{""}, labels...))
		for _, feature := range features {
			values, _ := feature["values"].([]any)
			rows = append(rows, append([]any{feature["feature"]}, values...))
		}
	}
	for i, row := range rows {
		cells, _ := row.([]any)
		line := "|"
		for _, cell := range cells {
			line += " " + mdtext.Escape(webtext.Line(loosejson.AsText(cell))) + " |"
		}
		w.add(line+"\n", nil)
		if i == 0 {
			w.add("|"+strings.Repeat("---|", len(cells))+"\n", nil)
		}
	}
	if len(rows) > 0 {
		w.add("\n", nil)
	}
}
