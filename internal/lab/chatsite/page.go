package chatsite

import (
	"bytes"
	_ "embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"net/url"

	"earshot/internal/lab/world"
)

//go:embed page.gohtml
var pageSource string

// page is the template of the mobile page. It escapes whatever is put into it
// for the place where it stands.
var page = template.Must(template.New("").Funcs(template.FuncMap{
	"tracked": tracked,
	"icon":    icon,
}).Parse(pageSource))

// Page writes the answer to prompt as the mobile page.
func Page(prompt string, answer *world.Answer) ([]byte, error) {
	id := conversationID(prompt, answer)
	var out bytes.Buffer
	err := page.ExecuteTemplate(&out, "page", map[string]any{
		"Answer":    answer,
		"Language":  answer.Language,
		"Title":     prompt,
		"Prompt":    prompt,
		"Model":     world.Model,
		"ID":        id,
		"Canonical": "http://" + Host + "/c/" + id,
	})
	if err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return out.Bytes(), nil
}

// tracked is the link as the site shows it, with its own name added, so that
// the destination can tell where its visitors come from.
func tracked(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	query := u.Query()
	query.Set("utm_source", Host)
	u.RawQuery = query.Encode()
	return u.String()
}

// icon is the small picture beside a link.
func icon(link string) string {
	return "http://" + Host + "/icons?site=" + url.QueryEscape(link)
}

// conversationID looks like an id and depends on the question alone.
func conversationID(prompt string, answer *world.Answer) string {
	h := fnv.New128a()
	_, _ = fmt.Fprint(h, prompt, answer.Language, answer.Sources, answer.Cards) // a hash takes everything
	sum := h.Sum(nil)
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:])
}
