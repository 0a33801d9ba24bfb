package api

import (
	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
)

func userOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/users", Scope: account.ScopeAdmin, Client: Method{Name: "Users", Returns: "Users"}},
			func(s *Server, c *call, _, _ none) (list earshot.UserList, err error) {
				list.Users, err = s.People.Members(c.context(), c.organization())
				for _, u := range list.Users {
					u.Current = u.ID == c.principal.UserID
				}
				return list, err
			}),
		operation(Operation{Method: "GET", Path: "/v1/users/{id}", Scope: account.ScopeAdmin, Finds: "user", Client: Method{Name: "User"}},
			func(s *Server, c *call, _, _ none) (*earshot.User, error) {
				u, err := s.People.Member(c.context(), c.organization(), c.subject())
				if err == nil {
					u.Current = u.ID == c.principal.UserID
				}
				return u, err
			}),
		operation(Operation{Method: "PATCH", Path: "/v1/users/{id}", Scope: account.ScopeAdmin, Audit: "user.role", Finds: "user", Client: Method{Name: "ChangeUser", Returns: "User"}}, (*Server).changeUser),
		operation(Operation{Method: "DELETE", Path: "/v1/users/{id}", Scope: account.ScopeAdmin, Audit: "user.remove", Finds: "user", Client: Method{Name: "RemoveUser", Returns: nothing}}, (*Server).removeUser),
	}
}

// changeUser sets the role of another user.
func (s *Server) changeUser(c *call, _ none, patch earshot.UserPatch) (*earshot.ChangedUser, error) {
	id, err := c.otherUser("change your own role")
	if err != nil {
		return nil, err
	}
	if err := s.People.ChangeRole(c.organization(), id, account.Role(orZero(patch.Role)), c.actor(), s.Store.Now()); err != nil {
		return nil, err
	}
	u, err := s.People.Member(c.context(), c.organization(), id)
	if err != nil {
		return nil, err
	}
	return &earshot.ChangedUser{User: *u}, nil
}

// removeUser removes another user from the organization.
func (s *Server) removeUser(c *call, _, _ none) (earshot.UserRemoved, error) {
	id, err := c.otherUser("remove yourself")
	if err == nil {
		err = s.People.RemoveMember(c.context(), c.organization(), id, c.actor(), s.Store.Now())
	}
	return earshot.UserRemoved{ID: id}, err
}

// otherUser returns the user that the operation is about. It must not be the user who makes the
// request, so that nobody locks themselves out by mistake.
func (c *call) otherUser(what string) (string, error) {
	id := c.subject()
	if id == c.principal.UserID {
		return "", &earshot.Error{Code: earshot.CodeConflict, Message: "you cannot " + what + "; ask another admin", Details: earshot.ConflictDetails{ID: id}}
	}
	if !account.IsUserID(id) {
		return "", store.ErrNotFound
	}
	return id, nil
}

// publicID returns the id of the session or invitation that the operation is about.
func (c *call) publicID() (string, error) {
	id := c.subject()
	if !account.IsKeyID(id) {
		return "", store.ErrNotFound
	}
	return id, nil
}

func invitationOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/invitations", Scope: account.ScopeAdmin, Client: Method{Name: "Invitations", Returns: "Invitations"}},
			func(s *Server, c *call, _, _ none) (list earshot.InvitationList, err error) {
				pending, err := s.People.Invitations(c.context(), c.organization(), s.Store.Now())
				for _, i := range pending {
					list.Invitations = append(list.Invitations, i.Shown())
				}
				return list, err
			}),
		operation(Operation{Method: "POST", Path: "/v1/invitations", Scope: account.ScopeAdmin, Audit: "user.invite", Client: Method{Name: "Invite"}}, (*Server).invite),
		operation(Operation{Method: "DELETE", Path: "/v1/invitations/{id}", Scope: account.ScopeAdmin, Audit: "invitation.revoke", Finds: "invitation", Client: Method{Name: "RevokeInvitation", Returns: nothing}},
			func(s *Server, c *call, _, _ none) (earshot.InvitationRevoked, error) {
				id, err := c.publicID()
				if err == nil {
					err = s.People.RevokeInvitation(c.organization(), id, c.actor(), s.Store.Now())
				}
				return earshot.InvitationRevoked{ID: id}, err
			}),
		operation(Operation{Method: "POST", Path: "/v1/invitation", Public: true, Unaudited: changesNothing}, (*Server).openInvitation),
		operation(Operation{Method: "POST", Path: "/v1/invitation/accept", Unkeyed: signsIn, Public: true, Audit: "user.join,user.password,session.signin"}, (*Server).acceptInvitation),
	}
}

func (s *Server) invite(c *call, _ none, in unchecked[earshot.InvitationRequest]) (*earshot.NewInvitation, error) {
	email := ""
	if in.IsString("email") {
		var err error
		if email, err = account.ReadEmail(in.value.Email); err != nil {
			in.Reject("email", "%v", err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	return s.SignIn.Invite(c.context(), c.organization(), email, account.Role(in.value.Role), c.actor())
}

// openInvitation shows an invitation to the invited person.
func (s *Server) openInvitation(c *call, _ none, request earshot.InvitationToken) (*earshot.OpenedInvitation, error) {
	if err := s.admitSignIn(c); err != nil {
		return nil, err
	}
	if err := s.admitGuest(c); err != nil {
		return nil, err
	}
	return s.SignIn.Opened(c.context(), request.Token)
}

// acceptInvitation adds the invited person to the organization and signs in.
func (s *Server) acceptInvitation(c *call, _ none, in unchecked[earshot.AcceptRequest]) (response earshot.SessionResponse, err error) {
	if err := s.admitSignIn(c); err != nil {
		return response, err
	}
	if err := account.CheckKeyName(in.value.Name); err != nil {
		in.Reject("name", "%v", err)
	}
	if err := in.Err(); err != nil {
		return response, err
	}
	if err := s.admitGuest(c); err != nil {
		return response, err
	}
	secret, err := s.SignIn.Accept(c.context(), &in.value, s.browser(c))
	return s.signedIn(c, secret, err)
}
