package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"earshot"
)

// ErrSignature means that a webhook has no valid and recent signature. Anybody may have
// sent it, so do not act on it.
var ErrSignature = errors.New("the webhook has no valid signature")

// VerifyWebhook verifies a webhook and returns its task. The webhook must have been signed
// with one of the secrets within the last five minutes. body must be the unmodified request
// body. While a secret is being rotated, pass both the new and the previous secret.
//
// The service sends a webhook again until it is acknowledged with a 2xx status, so the same
// task may arrive more than once.
func VerifyWebhook(header http.Header, body []byte, secrets ...string) (*earshot.TaskRecord, error) {
	if err := verify(header, body, secrets); err != nil {
		return nil, err
	}
	record := &earshot.TaskRecord{}
	if err := json.Unmarshal(body, record); err != nil {
		return nil, fmt.Errorf("decode the webhook: %w", err)
	}
	return record, nil
}

func verify(header http.Header, body []byte, secrets []string) error {
	err := errors.New("no secret was given")
	for _, secret := range secrets {
		key, unreadable := standardwebhooks.NewWebhook(secret)
		if unreadable != nil || strings.TrimPrefix(secret, "whsec_") == "" { // anybody can sign with an empty secret
			return errors.New("a webhook secret is not of the form whsec_…") // the cause could contain the secret
		}
		if err = key.Verify(body, header); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: %w", ErrSignature, err)
}
