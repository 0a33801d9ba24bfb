package guard

import (
	"errors"
	"testing"
)

// Dial checks addresses before the control hook does, so only a direct call shows that
// the hook works.
func TestControlHook(t *testing.T) {
	t.Parallel()
	for address, allowed := range map[string]bool{
		"93.184.215.14:443":           true,
		"[2606:4700:4700::1111]:8443": true,

		"127.0.0.1:443":              false,
		"10.0.0.1:80":                false,
		"93.184.215.14:22":           false,
		"[::1]:80":                   false,
		"[::ffff:93.184.215.14]:80":  false,
		"[fe80::1%lo]:80":            false,
		"[64:ff9b::5db8:d70e]:80":    false,
		"[2606:4700::5efe:a00:1]:80": false,
		"/run/docker.sock":           false,
		"hooks.example:80":           false,
		"":                           false,
	} {
		err := Guard{}.control(t.Context(), "tcp", address, nil)
		if allowed && err != nil || !allowed && !errors.Is(err, ErrRefused) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
