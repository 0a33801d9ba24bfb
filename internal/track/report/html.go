package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// Policy is the Content-Security-Policy of a report, which loads nothing.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

//go:embed report.html
var htmlText string

//go:embed report.css
var styleText string

// HTML renders a report as a self-contained page without scripts.
func HTML(in *Input) ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"shape":    func(color int) string { return shapes[min(max(color, 0), lastColor)] },
		"glossary": func() []sentence { return glossary }, "plus": func(a, b int) int { return a + b },
	}).Parse(strings.Replace(htmlText, "{{style}}", styleText, 1))
	return render(t, err, pageOf(in))
}

// parsed is a template of html/template or text/template.
type parsed interface {
	Execute(w io.Writer, data any) error
}

// render executes a template; err is the error of parsing it.
func render(t parsed, err error, data any) ([]byte, error) {
	if err != nil {
		return nil, fmt.Errorf("parse the report's template: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("render the report: %w", err)
	}
	return out.Bytes(), nil
}

// shapes mark brands in addition to colours, for people who cannot tell the colours apart.
var shapes = [lastColor + 1]string{"●", "■", "▲", "◆", "✚", "▼", "▬"}
