// Command generate writes the files that are generated from the types of package earshot
// and from the providers' definitions. `make generate` runs it in the module's root. With the
// argument `clients`, it writes only the files that are not in git.
//
//	goclient.go   the methods of the Go client
//	typescript.go and typescriptclient.go, python*.go   the types and methods of the other clients
//	n8n.go        the providers, parameters and advice that the nodes for n8n show
//	tables.go     the Markdown tables of the docs
//	syntax.go     how TypeScript and Python write types
//	read.go       reads operations from the document
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"earshot/internal/api/openapi"
	"earshot/internal/app"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

func main() {
	log.SetFlags(0)
	kept, clients, err := generate()
	if err != nil {
		log.Fatal(err)
	}
	files := clients
	if len(os.Args) == 1 {
		maps.Copy(files, kept)
	}
	for path, content := range files {
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			continue // go test runs a test again if a file that it reads is newer
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// generate returns the contents of the generated files by path: the files that are kept in git,
// and the files of the clients, which are not.
func generate() (kept, clients map[string][]byte, err error) {
	sources, err := openapi.SourcesOf(app.Providers())
	if err != nil {
		return nil, nil, err
	}
	if sources.Comments, err = readComments(); err != nil {
		return nil, nil, err
	}
	document, err := sources.Describe()
	if err != nil {
		return nil, nil, err
	}
	if kept, err = keptFiles(sources, document); err != nil {
		return nil, nil, err
	}
	clients, err = clientFiles(document)
	return kept, clients, err
}

func keptFiles(sources openapi.Sources, document schema.Map) (map[string][]byte, error) {
	files, err := docs(tables(sources.Providers, document))
	if err != nil {
		return nil, err
	}
	described, err := json.MarshalIndent(sources.Comments, "", "\t")
	if err != nil {
		return nil, fmt.Errorf("encode the comments: %w", err)
	}
	files["internal/api/openapi/comments.json"] = append(described, '\n')
	if files["docs/openapi.yaml"], err = openAPI(document); err != nil {
		return nil, err
	}
	introduction, err := openapi.LLMs(document)
	if err != nil {
		return nil, err
	}
	files["docs/llms.txt"] = []byte(introduction)
	if files["sdk/typescript/package.json"], err = withVersion("sdk/typescript/package.json", document); err != nil {
		return nil, err
	}
	if files["client/operation_gen.go"], err = goClient(sources.Operations, document); err != nil {
		return nil, err
	}
	requests, client := goCode(sources.Providers)
	for path, code := range map[string][]byte{"request_gen.go": requests, "client/provider_gen.go": client} {
		if files[path], err = format.Source(code); err != nil {
			return nil, fmt.Errorf("format %s: %w", path, err)
		}
	}
	return files, nil
}

// clientFiles returns the generated files of the clients in TypeScript and Python and of the nodes for n8n.
func clientFiles(document schema.Map) (map[string][]byte, error) {
	files := map[string][]byte{"sdk/typescript/src/types.gen.ts": []byte(typeScript(document))}
	methods, err := typeScriptClient(document)
	if err != nil {
		return nil, err
	}
	files["sdk/typescript/src/methods.gen.ts"] = []byte(methods)
	modules, err := python(document)
	if err != nil {
		return nil, err
	}
	for name, text := range modules {
		files["sdk/python/src/earshot/"+name] = []byte(text)
	}
	files["integrations/n8n/nodes/Earshot/api.gen.ts"], err = n8nSource(document)
	return files, err
}

// docs returns the documents with their tables replaced.
func docs(tables map[string]string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, path := range []string{"README.md", "docs/pricing.md", "docs/live-answers.md", "docs/mcp.md", "docs/api-guide.md"} {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read: %w", err)
		}
		for name, table := range tables {
			marked := regexp.MustCompile(`(?s)(<!-- table: ` + name + ` -->\n).*?(<!-- end -->)`)
			text = marked.ReplaceAll(text, []byte("${1}"+strings.ReplaceAll(table, "$", "$$")+"${2}"))
		}
		files[path] = text
	}
	return files, nil
}

var jsonVersion = regexp.MustCompile(`"version": "[^"]*"`)

// withVersion returns a JSON file with the version of the document.
func withVersion(path string, document schema.Map) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	info, _ := document.Get("info").(schema.Map)
	return jsonVersion.ReplaceAll(text, fmt.Appendf(nil, `"version": %q`, info.Get("version"))), nil
}

// openAPI returns the document as YAML. Parts of operations and of components are on
// separate lines, so that changes are easy to review.
func openAPI(document schema.Map) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("# Code generated by `make generate` from the API's types and internal/api/openapi/prose. DO NOT EDIT.\n")
	err := writeYAML(&out, document, 0)
	return out.Bytes(), err
}

// blocks is the depth down to which the document is written in block style. Deeper levels
// are JSON, which is valid YAML.
const blocks = 4

var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func writeYAML(out *bytes.Buffer, object schema.Map, depth int) error {
	for _, e := range object {
		out.WriteString(strings.Repeat("  ", depth))
		if plainKey.MatchString(e.Key) {
			out.WriteString(e.Key)
		} else {
			fmt.Fprintf(out, "%q", e.Key)
		}
		out.WriteString(":")
		if inner, ok := e.Value.(schema.Map); ok && len(inner) > 0 && depth+1 < blocks {
			out.WriteString("\n")
			if err := writeYAML(out, inner, depth+1); err != nil {
				return err
			}
			continue
		}
		text, err := json.Marshal(e.Value)
		if err != nil {
			return fmt.Errorf("encode %s: %w", e.Key, err)
		}
		fmt.Fprintf(out, " %s\n", text)
	}
	return nil
}

// readComments returns the doc comments of package earshot by Type and Type.field, where
// field is the JSON name.
func readComments() (map[string]string, error) {
	comments := map[string]string{}
	same := map[string]string{} // type name to underlying type name, as in `type A B`
	files, err := filepath.Glob("*.go")
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parse: %w", err)
		}
		for _, declaration := range file.Decls {
			types, ok := declaration.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE {
				continue
			}
			for _, spec := range types.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					noteType(comments, same, t, oneLine(types.Doc))
				}
			}
		}
	}
	for name, original := range same {
		for key, text := range comments {
			if field, ok := strings.CutPrefix(key, original+"."); ok {
				comments[name+"."+field] = text
			}
		}
	}
	return comments, nil
}

func noteType(comments, same map[string]string, t *ast.TypeSpec, doc string) {
	comments[t.Name.Name] = withoutName(t.Name.Name, doc)
	switch shape := t.Type.(type) {
	case *ast.Ident:
		same[t.Name.Name] = shape.Name
	case *ast.StructType:
		for _, field := range shape.Fields.List {
			if field.Tag == nil {
				continue
			}
			name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
			if text := cmp.Or(oneLine(field.Doc), oneLine(field.Comment)); text != "" {
				comments[t.Name.Name+"."+name] = text
			}
		}
	}
}

// withoutName turns "Answer is the answer of" into "The answer of", because users of other
// languages do not know the Go type.
func withoutName(name, doc string) string {
	text, ok := strings.CutPrefix(doc, name+" ")
	if !ok {
		return doc
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "is "), "are ")
	return strings.ToUpper(text[:1]) + text[1:]
}

func oneLine(doc *ast.CommentGroup) string { return strings.Join(strings.Fields(doc.Text()), " ") }

const header = "// Code generated by `make generate` from the providers' definitions. DO NOT EDIT.\n\n"

// goCode returns the generated code for each provider: the methods of its request type,
// and its method of the client.
func goCode(providers []provider.Provider) (methods, client []byte) {
	var m, c bytes.Buffer
	m.WriteString(header + "package earshot\n")
	fmt.Fprintf(&c, header+"package client\n\nimport (\n\"context\"\n\n%q\n)\n", modulePath)
	for _, p := range providers {
		about := p.Definition()
		request, result := reflect.TypeOf(about.Request).Name(), reflect.TypeOf(about.Result).Name()
		fmt.Fprintf(&m, "\n// Provider returns %s.\nfunc (%s) Provider() string { return %q }\n", about.Name, request, about.Name)
		fmt.Fprintf(&m, "\n// TaskType returns %s.\nfunc (%s) TaskType() string { return %q }\n", about.TaskType, request, about.TaskType)
		fmt.Fprintf(&c, "\n// %s calls %s and waits for the result.\nfunc (c *Client) %s(ctx context.Context, request earshot.%s, options ...CallOption) (*earshot.%s, Usage, error) {\nreturn monitor[earshot.%s](ctx, c, request, options)\n}\n",
			about.TypeName(), about.Name, about.TypeName(), request, result, result)
	}
	return m.Bytes(), c.Bytes()
}
