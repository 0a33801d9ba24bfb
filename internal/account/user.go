package account

import (
	"crypto/rand"
	"errors"
	"net/mail"
	"strings"
)

// User is a person who can sign in to the dashboard.
type User struct {
	ID       string // see NewUserID
	Email    string // in lower case
	Name     string // may be empty
	Password string // see HashPassword; empty for a person without a password
}

const userPrefix = "u_"

// NewUserID returns the id of a new user. Ids of users and of keys differ, so a job can have
// either as its KeyID.
func NewUserID() string { return userPrefix + strings.ToLower(rand.Text()[:idLength]) }

// IsUserID reports whether text can be the id of a user.
func IsUserID(text string) bool {
	id, found := strings.CutPrefix(text, userPrefix)
	return found && IsKeyID(id)
}

// ReadEmail returns an email address in lower case, as it is stored and compared.
func ReadEmail(text string) (string, error) {
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Address != text || len(text) > 254 {
		return "", errors.New("must be an email address such as ana@example.com, of at most 254 characters")
	}
	return strings.ToLower(text), nil
}

// ActorKind is what kind of client has made a change.
type ActorKind string

// The kinds of actors.
const (
	ActorKey      ActorKind = "key"
	ActorUser     ActorKind = "user"
	ActorOperator ActorKind = "operator" // the operator, on the socket or with an operator key
	ActorSystem   ActorKind = "system"   // the service itself
	ActorGuest    ActorKind = "guest"    // somebody who is not signed in
)

// Actor is who makes a change, for the audit log, and on which conditions.
type Actor struct {
	Kind    ActorKind
	ID      string // of the key or user; empty on the socket
	Name    string // name of the key, or email of the user
	Address string // IP address; empty on the socket
	Request string // X-Request-Id

	IfMatch string // the header If-Match: the versions that may be changed; empty for any
	Once    *Once  // nil without an Idempotency-Key
}

// Title returns the name of the actor, or its kind and id.
func (a Actor) Title() string {
	switch {
	case a.Name != "":
		return a.Name
	case a.ID != "":
		return string(a.Kind) + " " + a.ID
	}
	return string(a.Kind)
}

// Operator returns the operator as an actor.
func Operator() Actor { return Actor{Kind: ActorOperator} }

// System returns the service itself as an actor.
func System() Actor { return Actor{Kind: ActorSystem} }

// Actor returns the principal as an actor. The address and the request are left out.
func (p *Principal) Actor() Actor {
	if p.UserID != "" {
		return Actor{Kind: ActorUser, ID: p.UserID, Name: p.KeyName, Once: p.Once}
	}
	if p.IsOperator() {
		return Actor{Kind: ActorOperator, ID: p.KeyID, Name: p.KeyName, Once: p.Once}
	}
	return Actor{Kind: ActorKey, ID: p.KeyID, Name: p.KeyName, Once: p.Once}
}
