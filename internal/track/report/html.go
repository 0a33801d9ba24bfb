package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

// Policy is the Content-Security-Policy of a report: it holds all that it shows.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

//go:embed report.html
var htmlText string

//go:embed report.css
var styleText string

// HTML is a report as a page that stands alone: it fetches nothing and runs nothing.
func HTML(in *Input) ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"shape":    func(color int) string { return shapes[min(max(color, 0), lastColor)] },
		"glossary": func() []sentence { return glossary }, "plus": func(a, b int) int { return a + b },
	}).Parse(strings.Replace(htmlText, "{{style}}", styleText, 1))
	if err != nil {
		return nil, fmt.Errorf("read the report's template: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, pageOf(in)); err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return out.Bytes(), nil
}

// shapes stand beside the colours, which not everybody can tell apart.
var shapes = [lastColor + 1]string{"●", "■", "▲", "◆", "✚", "▼", "▬"}
