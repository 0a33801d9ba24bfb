package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/account"
)

// Tag returns a strong ETag: the hash of the fields of a resource that clients can change.
func Tag(fields ...any) string {
	text, err := json.Marshal(fields)
	if err != nil {
		panic(fmt.Sprintf("encode a version: %v", err)) // they are texts, numbers and times
	}
	hash := sha256.Sum256(text)
	return `"` + base64.RawURLEncoding.EncodeToString(hash[:12]) + `"`
}

// Expect returns CodePrecondition unless the header If-Match of the request allows changing a resource
// with the given tag, which is "" if the resource does not exist. Call it in the transaction of the change.
func Expect(by account.Actor, tag string) error {
	tags := strings.Split(by.IfMatch, ",")
	matches := func(one string) bool { one = strings.TrimSpace(one); return tag != "" && (one == tag || one == "*") }
	if by.IfMatch == "" || slices.ContainsFunc(tags, matches) {
		return nil
	}
	message := "it was changed meanwhile; read it again"
	if tag == "" {
		message = "it does not exist"
	}
	return &earshot.Error{Code: earshot.CodePrecondition, Message: message, Details: earshot.VersionDetails{ETag: tag}}
}
