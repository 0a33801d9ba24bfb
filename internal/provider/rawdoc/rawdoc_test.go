package rawdoc_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/upstream"
)

func TestReadHTMLRefuses(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"deep":      strings.Repeat("<div>", 600),
		"many tags": strings.Repeat("<p>", 70_000),
		"large":     strings.Repeat("x", 9<<20),
	} {
		err := rawdoc.ReadHTML([]byte(document), func(*goquery.Document) error { return nil })
		var failure *upstream.Failure
		if !errors.As(err, &failure) || failure.Reason != earshot.ReasonUnreadable {
			t.Errorf("%s: got %v, want unreadable", name, err)
		}
	}
}

func TestReadEvents(t *testing.T) {
	t.Parallel()
	var got []rawdoc.Event
	stream := ": comment\n\nevent: delta\ndata: a\ndata: b\n\nid: 1\ndata: c\r\n\r\ndata: unfinished"
	err := rawdoc.ReadEvents([]byte(stream), func(events []rawdoc.Event) error {
		got = events
		return nil
	})
	want := []rawdoc.Event{{Type: "delta", Data: "a\nb"}, {Data: "c"}, {Data: "unfinished"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := rawdoc.ReadEvents([]byte(strings.Repeat("data:\n\n", 50_001)), func([]rawdoc.Event) error { return nil }); err == nil {
		t.Error("a stream with too many events was accepted")
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		"{\"a\":1}":                 "1 alone",
		"{\"a\":1}\r\n\n{\"a\":2}":  "1 2",
		"[{\"a\":1}, 7, {\"a\":2}]": "1 2",
		"[{\"a\":1}]":               "1",
		"{\"a\":1}\n{\"a\":":        "1",
		"event: x\ndata: {\"a\":1}\n\ndata: [DONE]\n\n": "1 done",
		"data: nonsense\n\ndata: {\"a\":2}":             "2",
		"nonsense":                                      "",
	} {
		var said []string
		err := rawdoc.ReadPieces([]byte(document), func(p rawdoc.Pieces) error {
			for _, o := range p.Objects {
				said = append(said, o.Amount("a"))
			}
			if p.Alone {
				said = append(said, "alone")
			}
			if p.Done {
				said = append(said, "done")
			}
			return nil
		})
		if got := strings.Join(said, " "); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", document, got, err, want)
		}
	}
	if first := rawdoc.FirstPiece([]byte("event: x\ndata: {\"a\":1}\n\n")); first.Text("type") != "x" || first.Amount("a") != "1" {
		t.Errorf("first piece is %v", first)
	}
	if first := rawdoc.FirstPiece([]byte(" [ {\"a\":1}, {")); first.Amount("a") != "1" {
		t.Errorf("first piece of the list is %v", first)
	}
}

func TestRawResponseOfGuardedStream(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string][]string{
		")]}'\n\n5\n[\"a\"]\n12\n[[\"b\",\n1]]\n": {`["a"]`, "[[\"b\",\n1]]"},
		"\ufeff)]}'\n[1]\n9\n[\"cut":              {`[1]`, `"[\"cut"`},
	} {
		raw, err := rawdoc.RawResponse([]byte(stream))
		var got []string
		for _, element := range raw {
			got = append(got, string(element))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", stream, got, err)
		}
	}
}

func TestCapturedDocument(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"data: {}\n\n--><script>", "<p>a</p>", "\xff\x00", ""} {
		page := []byte("<html><body><p>shown</p>" + rawdoc.EmbedDocument([]byte(document)) + "\n</body></html>")
		if got := rawdoc.CapturedDocument(page); string(got) != document {
			t.Errorf("%q became %q", document, got)
		}
	}
	if page := []byte("<html><!-- document: not one --></html>"); !bytes.Equal(rawdoc.CapturedDocument(page), page) {
		t.Error("a page with another comment was changed")
	}
}

// TestRawAfterByteOrderMark checks that a byte order mark and white space do not hide the kind of a
// document.
func TestRawAfterByteOrderMark(t *testing.T) {
	t.Parallel()
	raw, err := rawdoc.RawResponse([]byte("\ufeff\n data: {}\n\ndata: x\n\n"))
	if err != nil || len(raw) != 2 || string(raw[0]) != "{}" || string(raw[1]) != `"x"` {
		t.Errorf("raw is %s, %v", raw, err)
	}
	if page := []byte("\ufeff <p>a"); !bytes.Equal(rawdoc.CapturePage(page), page) {
		t.Error("a page was changed")
	}
}
