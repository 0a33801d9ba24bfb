// Package har takes the answers out of HAR files, in which browsers save what a
// page fetched.
package har

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
)

// maxSize bounds a file.
const maxSize = 16 << 20

// entry is the part of a file's entry that counts. Browsers store bodies without
// the encoding in which they were sent, as text or, where they are none, in base64.
type entry struct {
	Response struct {
		Status  int `json:"status"`
		Content struct {
			Text     string `json:"text"`
			Encoding string `json:"encoding"`
		} `json:"content"`
	} `json:"response"`
}

// Bodies are the bodies of the responses in a HAR file, in its order; none for any
// other document. Entries that cannot be read are left out, and so are calls that
// were not answered, which have no status.
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
