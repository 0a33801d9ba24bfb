// Package har extracts response bodies from HAR files, in which browsers save the
// requests and responses of a page.
package har

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
)

// maxSize is the maximum size of a HAR file in bytes.
const maxSize = 16 << 20

// entry has the fields of an entry that we use. Browsers store decompressed bodies, as
// text, or in base64 if they are binary.
type entry struct {
	Response struct {
		Status  int `json:"status"`
		Content struct {
			Text     string `json:"text"`
			Encoding string `json:"encoding"`
		} `json:"content"`
	} `json:"response"`
}

// Bodies returns the response bodies in a HAR file, in the order of the file. It returns
// nil for any other document. It skips invalid entries and requests without a response,
// whose status is 0.
func Bodies(document []byte) [][]byte {
	document = bytes.TrimSpace(bytes.TrimPrefix(document, []byte("\ufeff")))
	if len(document) > maxSize || !bytes.HasPrefix(document, []byte("{")) || !bytes.Contains(document, []byte(`"entries"`)) {
		return nil
	}
	var file struct {
		Log struct {
			Entries []json.RawMessage `json:"entries"`
		} `json:"log"`
	}
	if json.Unmarshal(document, &file) != nil {
		return nil
	}
	var bodies [][]byte
	for _, raw := range file.Log.Entries {
		var e entry
		if json.Unmarshal(raw, &e) != nil || e.Response.Status == 0 {
			continue
		}
		body := []byte(e.Response.Content.Text)
		if e.Response.Content.Encoding == "base64" {
			decoded, err := base64.StdEncoding.DecodeString(e.Response.Content.Text)
			if err != nil {
				continue
			}
			body = decoded
		}
		bodies = append(bodies, body)
	}
	return bodies
}
