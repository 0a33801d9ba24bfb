package earshot

import (
	"encoding/json"
	"time"
)

// Role is what a user may do in an organization. A `viewer` reads, an `editor` also runs calls and
// tasks and changes trackers, an `admin` also changes keys, users, channels and webhooks.
type Role string

// The roles.
const (
	RoleViewer Role = "viewer"
	RoleEditor Role = "editor"
	RoleAdmin  Role = "admin"
)

// Values lists the roles.
func (Role) Values() []Role { return []Role{RoleViewer, RoleEditor, RoleAdmin} }

// User is a person who belongs to the organization.
type User struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	// The person's name; empty when it is not known.
	Name string `json:"name"`
	Role Role   `json:"role"`
	// Where the role comes from: `invitation`, or the names of identity providers whose groups give it.
	Sources  List[string] `json:"sources"`
	JoinedAt Timestamp    `json:"joinedAt"`
	// When the user last used the dashboard in this organization, accurate to one minute; `null` when never.
	LastSeenAt *Timestamp `json:"lastSeenAt"`
	// The version of the user's role, for `If-Match`.
	ETag string `json:"etag"`
	// Whether this user made the request.
	Current bool `json:"current"`
}

// UserList is the users of an organization, by email.
type UserList struct {
	Users List[*User] `json:"users"`
}

// UserPatch is a change of a user. A field that is left out keeps its value.
type UserPatch struct {
	Role *Role `json:"role,omitempty"`
}

// ChangedUser is the user after the change.
type ChangedUser struct {
	Succeeded
	User User `json:"user"`
}

// Tag returns the version of the user's role.
func (u User) Tag() string { return u.ETag }

// Tag returns the version of the user's role.
func (c ChangedUser) Tag() string { return c.User.ETag }

// UserRemoved is the id of the user who was removed from the organization.
type UserRemoved struct {
	Succeeded
	ID string `json:"id"`
}

// Invitation is an offer to join the organization.
type Invitation struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Role  Role   `json:"role"`
	// The email of the user or the name of the key that sent the invitation.
	InvitedBy string    `json:"invitedBy"`
	CreatedAt Timestamp `json:"createdAt"`
	ExpiresAt Timestamp `json:"expiresAt"`
}

// InvitationList is the invitations that nobody has accepted yet, newest first.
type InvitationList struct {
	Invitations List[Invitation] `json:"invitations"`
}

// InvitationRequest is an invitation to send.
type InvitationRequest struct {
	Email string `json:"email" schema:"maxLength=254"`
	Role  Role   `json:"role"`
}

// NewInvitation is an invitation with its link.
type NewInvitation struct {
	Succeeded
	Invitation Invitation `json:"invitation"`
	// The link with which the person joins. It is shown only once.
	URL string `json:"url"`
	// Whether the link was also sent by mail.
	Mailed bool `json:"mailed"`
}

// InvitationRevoked is the id of the invitation that was revoked.
type InvitationRevoked struct {
	Succeeded
	ID string `json:"id"`
}

// InvitationToken is the token in the link of an invitation.
type InvitationToken struct {
	Token string `json:"token" schema:"maxLength=200"`
}

// OpenedInvitation is an invitation as the invited person sees it.
type OpenedInvitation struct {
	Organization string `json:"organization"`
	// Whether the link only sets a new password of a user, instead of adding the user to an organization.
	Reset bool   `json:"reset"`
	Email string `json:"email"`
	Role  Role   `json:"role"`
	// Whether the person has a password already, which is then required to join.
	HasPassword bool `json:"hasPassword"`
	// Whether the person has an account with an identity provider, and accepts the invitation by signing in there.
	UsesProvider bool `json:"usesProvider"`
}

// AcceptRequest accepts an invitation.
type AcceptRequest struct {
	Token string `json:"token" schema:"maxLength=200"`
	// The person's name, for a new user.
	Name string `json:"name,omitempty" schema:"maxLength=100"`
	// The password to set, or the current password of a user who has one.
	Password string `json:"password" schema:"maxLength=200"`
}

// BrowserSession is a browser that is signed in to the dashboard as a user.
type BrowserSession struct {
	ID     string `json:"id"`
	UserID string `json:"userId"`
	Email  string `json:"email"`
	// How the user signed in: `password`, or the name of the identity provider.
	Via string `json:"via"`
	// The IP address at sign-in.
	Address string `json:"address"`
	// The browser's `User-Agent`.
	Browser    string    `json:"browser"`
	CreatedAt  Timestamp `json:"createdAt"`
	LastSeenAt Timestamp `json:"lastSeenAt"`
	ExpiresAt  Timestamp `json:"expiresAt"`
	// Whether this session made the request.
	Current bool `json:"current"`
}

// SessionList is the open sessions, newest first.
type SessionList struct {
	Sessions List[*BrowserSession] `json:"sessions"`
}

// SessionRevoked is the id of the session that was ended.
type SessionRevoked struct {
	Succeeded
	ID string `json:"id"`
}

// SessionPatch switches the session to another organization of the user.
type SessionPatch struct {
	// The organization's id; left out, the session stays in its organization.
	Organization *string `json:"organization,omitempty" schema:"uuid"`
}

// PasswordChange is a new password of the signed-in user.
type PasswordChange struct {
	Current string `json:"current" schema:"maxLength=200"`
	New     string `json:"new" schema:"maxLength=200"`
}

// PasswordChanged says that the password was changed. All other sessions of the user have ended.
type PasswordChanged struct {
	Succeeded
}

// SessionUser is the user who is signed in.
type SessionUser struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
	Role  Role   `json:"role"`
	// Whether the user has a password.
	HasPassword bool `json:"hasPassword"`
}

// SessionOrganization is an organization that the user belongs to.
type SessionOrganization struct {
	ID   string `json:"id" schema:"uuid"`
	Name string `json:"name"`
	Role Role   `json:"role"`
	// Whether the session is about this organization.
	Current bool `json:"current"`
}

// SignInWays is how people can sign in.
type SignInWays struct {
	// Whether users can sign in with a password.
	Passwords bool `json:"passwords"`
	// The identity providers, in the order of the settings.
	Providers List[SignInProvider] `json:"providers"`
}

// SignInProvider is an identity provider. Signing in begins at `/signin/{name}`.
type SignInProvider struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// AuditActor is who made a change.
type AuditActor struct {
	// `operator` is the command line, `system` the service itself, and `guest` somebody who is not signed in.
	Kind string `json:"kind" schema:"enum=key|user|operator|system|guest"`
	// The id of the key or user; empty for others.
	ID string `json:"id"`
	// The name of the key, or the email of the user or of the refused sign-in; empty for a user who was removed.
	Name string `json:"name"`
}

// AuditEntry is one change or sign-in.
type AuditEntry struct {
	ID    string     `json:"id" schema:"uuid"`
	At    Timestamp  `json:"at"`
	Actor AuditActor `json:"actor"`
	// The name of the action, such as `key.create`.
	Action string `json:"action"`
	// The id or name of what was changed.
	Subject string `json:"subject"`
	// The IP address of the client; empty for the command line and the service itself.
	Address string `json:"address"`
	// The `X-Request-Id` of the request; empty for the command line and the service itself.
	RequestID string `json:"requestId"`
	// The fields that changed, with their values before and after; `null` where there was nothing. Secrets are left out.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// AuditPage is entries of the audit log, newest first.
type AuditPage struct {
	Entries List[AuditEntry] `json:"entries"`
	// The `cursor` of the next page; `null` on the last page.
	NextCursor *string `json:"nextCursor"`
}

// AuditQuery is a filter of the audit log.
type AuditQuery struct {
	// An action such as `key.create`, or its first part, such as `key`.
	Action string `json:"action,omitempty" schema:"maxLength=50"`
	// The id of a key or user, or an email.
	Actor string `json:"actor,omitempty" schema:"maxLength=254"`
	// The id or name of what was changed.
	Subject string `json:"subject,omitempty" schema:"maxLength=254"`
	// Only entries at or after this time or UTC day.
	From string `json:"from,omitempty" schema:"moment"`
	// Only entries before this time, or up to the end of this UTC day.
	To string `json:"to,omitempty" schema:"moment"`
	// `csv` for a file of all entries that match; `json`, the default, for a page.
	Format string `json:"format,omitempty" schema:"enum=json|csv"`
	Limit  int    `json:"limit,omitempty" schema:"min=1,max=500,default=100"`
	Cursor string `json:"cursor,omitempty" schema:"maxLength=100"`
}

// ShareLink is an address at which anybody can read the report of one tracker.
type ShareLink struct {
	ID string `json:"id"`
	// The tracker's name; empty after the tracker was deleted.
	Tracker string `json:"tracker"`
	// The heading of the page; empty for the tracker's title.
	Title string `json:"title"`
	// The fixed period of the report; `null` when the page always shows the last days.
	From *string `json:"from" schema:"date"`
	To   *string `json:"to" schema:"date"`
	// How many days the page shows; 0 for a fixed period.
	Days        int       `json:"days" schema:"min=0"`
	HasPassword bool      `json:"hasPassword"`
	CreatedBy   string    `json:"createdBy"`
	CreatedAt   Timestamp `json:"createdAt"`
	ExpiresAt   Timestamp `json:"expiresAt"`
	// `null` while the link works.
	RevokedAt *Timestamp `json:"revokedAt"`
	// When the page was last read, accurate to one minute; `null` when never.
	ViewedAt *Timestamp `json:"viewedAt"`
	Views    int64      `json:"views" schema:"min=0"`
}

// ShareList is the share links of an organization: first the ones that work, then revoked and
// expired ones, each newest first.
type ShareList struct {
	Shares List[*ShareLink] `json:"shares"`
}

// ShareRequest is a share link to create.
type ShareRequest struct {
	// The tracker's name.
	Tracker string `json:"tracker" schema:"maxLength=100"`
	Title   string `json:"title,omitempty" schema:"title"`
	// The page shows the last days up to the day on which it is read.
	Days int `json:"days,omitempty" schema:"min=1,max=366,default=28"`
	// The first and the last day of a fixed period, instead of `days`.
	From string `json:"from,omitempty" schema:"date"`
	To   string `json:"to,omitempty" schema:"date"`
	// When the link stops working; at most a year from now.
	ExpiresAt time.Time `json:"expiresAt"`
	// A password that readers must enter, of at least 8 characters.
	Password string `json:"password,omitempty" schema:"maxLength=200"`
}

// NewShare is a share link with its address.
type NewShare struct {
	Succeeded
	Share ShareLink `json:"share"`
	// The address of the page. It is shown only once.
	URL string `json:"url"`
}

// ShareRevoked is the link after it was revoked.
type ShareRevoked struct {
	Succeeded
	Share ShareLink `json:"share"`
}
