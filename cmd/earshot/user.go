package main

import (
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/notify/mail"
)

type userCmd struct {
	Invite   userInviteCmd   `cmd:"" help:"Invite a person to an organization."`
	List     userListCmd     `cmd:"" help:"List users and pending invitations."`
	Role     userRoleCmd     `cmd:"" help:"Change the role of a user."`
	Remove   userRemoveCmd   `cmd:"" help:"Remove a user from an organization."`
	Reset    userResetCmd    `cmd:"" help:"Let a user set a new password, and end the user's sessions."`
	Sessions userSessionsCmd `cmd:"" help:"List browsers that are signed in."`
	Revoke   userRevokeCmd   `cmd:"" help:"End a session."`
}

// mailFlags are the operator's SMTP server.
type mailFlags struct {
	SMTPServer string `name:"smtp-server" help:"SMTP server for mail: alerts, reports and invitations. The password of --smtp-user is read from EARSHOT_SMTP_PASSWORD." placeholder:"HOST:PORT" env:"EARSHOT_SMTP_SERVER"`
	SMTPFrom   string `name:"smtp-from" help:"Sender address of mail." placeholder:"ADDRESS" env:"EARSHOT_SMTP_FROM"`
	SMTPUser   string `name:"smtp-user" help:"User name for the SMTP server; without it, there is no authentication." placeholder:"NAME" env:"EARSHOT_SMTP_USER"`
	SMTPTLS    string `name:"smtp-tls" help:"Encryption of the connection to the SMTP server." enum:"starttls,tls,none" default:"starttls" env:"EARSHOT_SMTP_TLS"`
}

// smtp returns the configuration of mail.
func (f *mailFlags) smtp() mail.Config {
	return mail.Config{Server: f.SMTPServer, From: f.SMTPFrom, User: f.SMTPUser, TLS: f.SMTPTLS}
}

// linkFlags are of the commands that print a link.
type linkFlags struct {
	BaseURL string `help:"Public URL of the service, for the link. The default is the --base-url of the service." placeholder:"URL" env:"EARSHOT_BASE_URL"`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// link returns a link of the service with the public URL that was given.
func (f *linkFlags) link(made string) string {
	if base, path, ok := strings.Cut(made, "/#/"); ok && f.BaseURL != "" && base != f.BaseURL {
		return strings.TrimRight(f.BaseURL, "/") + "/#/" + path
	}
	return made
}

type userInviteCmd struct {
	Email string `arg:"" help:"The person's email address."`
	Org   string `required:"" help:"The name of the organization." placeholder:"NAME"`
	Role  string `help:"viewer reads, editor also runs calls and changes trackers, admin also manages keys and users." enum:"viewer,editor,admin" default:"viewer"`
	linkFlags
	operator
}

// Help returns the command's long help.
func (c *userInviteCmd) Help() string {
	return `Invites a person to an organization and prints the link with which the person joins. With an SMTP server, the link is sent by mail
instead. The link works once, within 7 days. An earlier invitation of the person is revoked.

Exit status: 0 the person was invited, 1 anything else.

Examples:
  earshot user invite ana@example.com --org default --role editor --base-url https://earshot.example`
}

// Run invites the person.
func (c *userInviteCmd) Run(in *invocation) error {
	email, err := account.ReadEmail(c.Email)
	if err != nil {
		return fmt.Errorf("%q %w", c.Email, err)
	}
	return c.forOrganization(in, c.Org, func(s *service, _ *earshot.Organization) error {
		made, err := s.Invite(in, earshot.InvitationRequest{Email: email, Role: earshot.Role(c.Role)})
		if err != nil {
			return err
		}
		made.URL = c.link(made.URL)
		switch {
		case c.JSON:
			return in.json(made)
		case made.Mailed:
			_, err = fmt.Fprintf(in.out, "The invitation was sent to %s.\n", email)
		default:
			_, err = fmt.Fprintf(in.out, "link: %s\nSend it to %s. It works once, until %s.\n", made.URL, email, timeOf(&made.Invitation.ExpiresAt))
		}
		return err
	})
}

type userListCmd struct {
	Org string `help:"List only the users of this organization." placeholder:"NAME"`
	output
	operator
}

// Help returns the command's long help.
func (c *userListCmd) Help() string {
	return `Lists the users of organizations with their role and its source, an invitation or an identity provider, and the invitations that
nobody has accepted yet.

Exit status: 0 they were listed, 1 anything else.

Examples:
  earshot user list --org default`
}

// listedUser is a user with the name of an organization.
type listedUser struct {
	Organization string `json:"organization"`
	*earshot.User
}

// listedInvitation is an invitation with the name of its organization.
type listedInvitation struct {
	Organization string `json:"organization"`
	earshot.Invitation
}

// Run lists the users.
func (c *userListCmd) Run(in *invocation) error {
	return c.with(in, func(s *service) error {
		all, err := s.organizations(in, c.Org)
		if err != nil {
			return err
		}
		var users []listedUser
		var invitations []listedInvitation
		t := &table{head: []string{"ORGANIZATION", "EMAIL", "NAME", "ROLE", "FROM", "JOINED", "LAST SEEN"}}
		for _, o := range all {
			acting := s.actingFor(o.ID)
			members, err := acting.Users(in)
			if err != nil {
				return err
			}
			for _, u := range members {
				users = append(users, listedUser{o.Name, u})
				t.rows = append(t.rows, []any{o.Name, u.Email, u.Name, u.Role, strings.Join(u.Sources, ","), u.JoinedAt, optional(u.LastSeenAt)})
			}
			pending, err := acting.Invitations(in)
			if err != nil {
				return err
			}
			for _, i := range pending {
				invitations = append(invitations, listedInvitation{o.Name, i})
				t.rows = append(t.rows, []any{o.Name, i.Email, nil, i.Role, "invitation", "invited until " + timeOf(&i.ExpiresAt), nil})
			}
		}
		t.items = slices.Concat(itemsOf(users), itemsOf(invitations))
		t.report = map[string]any{"users": earshot.List[listedUser](users), "invitations": earshot.List[listedInvitation](invitations)}
		return c.print(in, t)
	})
}

// memberArgs name a user of an organization.
type memberArgs struct {
	Email string `arg:"" help:"The user's email address."`
	Org   string `required:"" help:"The name of the organization." placeholder:"NAME"`
	operator
}

// forMember calls work with the id of the user.
func (m *memberArgs) forMember(in *invocation, work func(s *service, id string) error) error {
	return m.forOrganization(in, m.Org, func(s *service, _ *earshot.Organization) error {
		users, err := s.Users(in)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(users, func(u *earshot.User) bool { return strings.EqualFold(u.Email, m.Email) })
		if i < 0 {
			return fmt.Errorf("%s is no user of %s; 'earshot user list' lists all", m.Email, m.Org)
		}
		return work(s, users[i].ID)
	})
}

type userRoleCmd struct {
	memberArgs
	Role string `arg:"" help:"viewer, editor or admin." enum:"viewer,editor,admin"`
}

// Help returns the command's long help.
func (c *userRoleCmd) Help() string {
	return `Changes the role of a user in an organization, within one second. A role that comes from the groups of an identity provider can
be changed only there.

Exit status: 0 the role was changed, 1 anything else, such as a user who does not exist.

Examples:
  earshot user role ana@example.com admin --org default`
}

// Run changes the role.
func (c *userRoleCmd) Run(in *invocation) error {
	return c.forMember(in, func(s *service, id string) error {
		if _, err := s.ChangeUser(in, id, earshot.UserPatch{Role: new(earshot.Role(c.Role))}); err != nil {
			return err
		}
		_, err := fmt.Fprintf(in.out, "%s has the role %s\n", c.Email, c.Role)
		return err
	})
}

type userRemoveCmd struct {
	memberArgs
}

// Help returns the command's long help.
func (c *userRemoveCmd) Help() string {
	return `Removes a user from an organization and erases what is stored about the person there. With the last organization, name, address and
identities are erased, too. The person returns at the next sign-in if groups of an identity provider give a role.

Exit status: 0 the user was removed, 1 anything else, such as a user who does not exist.

Examples:
  earshot user remove ana@example.com --org default`
}

// Run removes the user.
func (c *userRemoveCmd) Run(in *invocation) error {
	return c.forMember(in, func(s *service, id string) error {
		if err := s.RemoveUser(in, id); err != nil {
			return err
		}
		_, err := fmt.Fprintf(in.out, "%s no longer belongs to %s\n", c.Email, c.Org)
		return err
	})
}

type userResetCmd struct {
	Email string `arg:"" help:"The user's email address."`
	linkFlags
	operator
}

// Help returns the command's long help.
func (c *userResetCmd) Help() string {
	return `Deletes the password of a user, ends all sessions of the user, and prints a link with which the user sets a new password. The link
works once, within 24 hours.

Exit status: 0 the password was deleted, 1 anything else, such as a user who does not exist.

Examples:
  earshot user reset ana@example.com --base-url https://earshot.example`
}

// Run deletes the password.
func (c *userResetCmd) Run(in *invocation) error {
	return c.with(in, func(s *service) error {
		link, err := s.ResetPassword(in, c.Email)
		if err != nil {
			return orList(err, "earshot user list")
		}
		link = c.link(link)
		if c.JSON {
			return in.json(map[string]string{"url": link})
		}
		_, err = fmt.Fprintf(in.out, "link: %s\nSend it to %s. It works once, within 24 hours.\n", link, c.Email)
		return err
	})
}

type userSessionsCmd struct {
	Org string `help:"List only the sessions in this organization." placeholder:"NAME"`
	output
	operator
}

// Help returns the command's long help.
func (c *userSessionsCmd) Help() string {
	return `Lists the browsers that are signed in to the dashboard as a user, with their address and last use.

Exit status: 0 they were listed, 1 anything else.

Examples:
  earshot user sessions --org default`
}

// listedSession is a session with the name of its organization.
type listedSession struct {
	Organization string `json:"organization"`
	*earshot.BrowserSession
}

// Run lists the sessions.
func (c *userSessionsCmd) Run(in *invocation) error {
	return c.with(in, func(s *service) error {
		all, err := s.organizations(in, c.Org)
		if err != nil {
			return err
		}
		var found []listedSession
		for _, o := range all {
			sessions, err := s.actingFor(o.ID).Sessions(in)
			if err != nil {
				return err
			}
			for _, one := range sessions {
				found = append(found, listedSession{o.Name, one})
			}
		}
		t := tableOf("ORGANIZATION|ID|EMAIL|VIA|ADDRESS|SIGNED IN|LAST SEEN|BROWSER", found, func(l *listedSession) []any {
			return []any{l.Organization, l.ID, l.Email, l.Via, l.Address, l.CreatedAt, l.LastSeenAt, l.Browser}
		})
		t.report = map[string]any{"sessions": earshot.List[listedSession](found)}
		return c.print(in, t)
	})
}

type userRevokeCmd struct {
	ID  string `arg:"" help:"The session's id, as listed by 'earshot user sessions'."`
	Org string `required:"" help:"The organization of the session." placeholder:"NAME"`
	operator
}

// Help returns the command's long help.
func (c *userRevokeCmd) Help() string {
	return `Ends a session. Every node rejects it within one second.

Exit status: 0 it was ended, 1 anything else, such as a session that does not exist.

Examples:
  earshot user revoke "$(earshot user sessions --org default --jq '.sessions[0].id')" --org default`
}

// Run ends the session.
func (c *userRevokeCmd) Run(in *invocation) error {
	return c.forOrganization(in, c.Org, func(s *service, _ *earshot.Organization) error {
		if err := s.EndSession(in, c.ID); err != nil {
			return orList(err, "earshot user sessions")
		}
		_, err := fmt.Fprintf(in.out, "session %s has ended\n", c.ID)
		return err
	})
}
