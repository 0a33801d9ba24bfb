package rawdoc

import (
	"bytes"
	"strings"
)

// codeNames are the elements whose text no reader looks for in a page's tree. On
// result pages they are two thirds of all bytes, and the HTML parser takes them one by
// one.
var codeNames = []string{"script", "style"}

// cutCode splits a page around the text of its next script or style: shown ends with
// the tag that opens it, rest begins with the one that closes it. Without such text
// all of the page is shown. What only may be code, since it stands in a comment or in
// an attribute, say, is shown too.
func cutCode(page []byte) (shown, rest []byte) {
	for at := 0; ; {
		next := bytes.Index(page[at:], []byte("<s"))
		if next < 0 {
			return page, nil
		}
		at += next
		if at+2 < len(page) && page[at+2] != 'c' && page[at+2] != 't' { // spans, mostly
			at += len("<s")
			continue
		}
		name := codeName(page[at+1:])
		if name == "" || !followsTag(page[:at]) {
			at += len("<s")
			continue
		}
		opened := at + tagLength(page[at:])
		length, closed := codeLength(page[opened:], name)
		if closed && length > 0 {
			return page[:opened], page[opened+length:]
		}
		at = opened + length
	}
}

// codeName is the name that the tag begins with, "" where that is no element of code.
func codeName(tag []byte) string {
	for _, name := range codeNames {
		if len(tag) > len(name) && string(tag[:len(name)]) == name && strings.IndexByte("> \n", tag[len(name)]) >= 0 {
			return name
		}
	}
	return ""
}

// followsTag tells whether nothing but space stands between a tag and the end, as
// before a script.
func followsTag(page []byte) bool {
	page = bytes.TrimRight(page, " \t\r\n")
	return len(page) == 0 || page[len(page)-1] == '>'
}

// tagLength is how many bytes the tag has that the page begins with.
func tagLength(page []byte) int {
	var quote byte
	for i, c := range page {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return len(page)
}

// codeLength is how many bytes of code there are before the tag that closes it. closed
// is false where there may be none: the code has what an HTML parser takes for more
// than text. Then so many bytes were looked at.
func codeLength(code []byte, name string) (length int, closed bool) {
	for at := 0; ; at++ {
		next := bytes.IndexByte(code[at:], '<')
		if next < 0 {
			return len(code), false
		}
		at += next
		tag := code[at+1:]
		if len(tag) > len(name) && tag[0] == '/' && strings.EqualFold(string(tag[1:1+len(name)]), name) {
			return at, !bytes.Contains(code[:at], []byte("-->"))
		}
		if bytes.HasPrefix(tag, []byte("!--")) || codeName(tag) != "" {
			return at, false
		}
	}
}
