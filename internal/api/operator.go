package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
)

// operatorOperations are about all organizations. For other work, an operator acts for one organization
// (act) with the operations that its admins use.
func operatorOperations() []Operation {
	const o = account.ScopeOperator
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/operator/organizations", Scope: o, Client: Method{Name: "Organizations"}}, (*Server).organizations),
		operation(Operation{Method: "POST", Path: "/v1/operator/organizations", Claims: true, Scope: o, Audit: "organization.create", Client: Method{Name: "CreateOrganization"}}, (*Server).createOrganization),
		operation(Operation{Method: "PATCH", Path: "/v1/operator/organizations/{id}", Scope: o, Finds: "organization", Audit: "plan.change,credits.set", Client: Method{Name: "ChangeOrganization", Returns: "Organization"}}, (*Server).changeOrganization),
		operation(Operation{Method: "POST", Path: "/v1/operator/organizations/{id}/credits", Scope: o, Finds: "organization", Audit: "credits.grant", Client: Method{Name: "GrantCredits", Takes: []string{"Credits"}, Returns: "Organization"}}, (*Server).grantCredits),
		operation(Operation{Method: "POST", Path: "/v1/operator/keys", Scope: o, Audit: "key.create", Client: Method{Name: "CreateOperatorKey"}}, (*Server).createOperatorKey),
		operation(Operation{Method: "DELETE", Path: "/v1/operator/keys/{id}", Scope: o, Finds: "key", Audit: "key.revoke", Client: Method{Name: "RevokeAnyKey", Returns: "Key"}}, (*Server).revokeAnyKey),
		operation(Operation{Method: "POST", Path: "/v1/operator/users/reset", Claims: true, Scope: o, Audit: "user.reset", Client: Method{Name: "ResetPassword", Takes: []string{"Email"}, Returns: "URL"}}, (*Server).resetPassword),
		operation(Operation{Method: "GET", Path: "/v1/operator/balances", Scope: o, Client: Method{Name: "AuditBalances"}}, (*Server).auditBalances),
		special(Operation{Method: "GET", Path: "/v1/operator/audit", Scope: o, Response: earshot.AuditPage{}, Client: Method{Name: "OperatorAudit"}},
			func(s *Server, c *call, q earshot.AuditQuery, _ none) error { return s.auditOf(c, "", q) }),
	}
}

// onSocket is the context key of requests on the operator's socket.
type onSocket struct{}

func isOnSocket(r *http.Request) bool { return r.Context().Value(onSocket{}) != nil }

// Socket returns the handler for the operator's socket. A client that can open the socket is the
// operator and needs no key. The header Earshot-Url tells the command line which service this is.
func (s *Server) Socket() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Earshot-Url", s.BaseURL)
		r.RemoteAddr = "" // a socket has no address
		s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), onSocket{}, true)))
	})
}

// act lets an operator act for the organization that the request names, with the scopes of its settings.
// The operator cannot run calls or tasks, which would cost the organization credits.
func (s *Server) act(c *call) error {
	named := c.r.Header.Get(earshot.OrganizationHeader)
	isOperator := c.principal.IsOperator()
	if named == "" || named == c.organization() && !isOperator {
		return nil
	}
	if !isOperator {
		return errScopeMissing(c.lacks(account.ScopeOperator), account.ScopeOperator)
	}
	o, err := s.operated(c, named)
	if earshot.ErrorCode(err) == earshot.CodeNotFound {
		return errScopeMissing("there is no organization "+validText(named)+" to act for", account.ScopeAdmin)
	}
	if err != nil {
		return err
	}
	acting := *c.principal // the original is cached
	acting.OrganizationID, acting.Scopes = o.ID, []account.Scope{account.ScopeOperator, account.ScopeRead, account.ScopeAdmin}
	c.principal = &acting
	return nil
}

// operated returns the organization that an operator names by its id.
func (s *Server) operated(c *call, id string) (*account.Organization, error) {
	if uuid.Validate(id) != nil {
		return nil, errNotFound("organization", validText(id))
	}
	o, err := s.Orgs.Organization(c.context(), id, s.Store.Now())
	return o, notFoundAs(err, "organization", id)
}

func (s *Server) organizations(c *call, q earshot.OrganizationQuery, _ none) (list earshot.OrganizationList, err error) {
	if q.Name != "" {
		o, err := s.Orgs.OrganizationByName(c.context(), q.Name)
		if err == nil {
			list.Organizations = []earshot.Organization{orgs.Shown(o)}
		}
		if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return list, err
	}
	names, err := s.Orgs.Names(c.context())
	if err != nil {
		return list, err
	}
	all, err := s.Orgs.Organizations(c.context())
	for _, o := range all {
		list.Organizations = append(list.Organizations, orgs.Shown(o))
		delete(names, o.Name)
	}
	list.Unreachable = slices.Sorted(maps.Keys(names))
	return list, err
}

func (s *Server) createOrganization(c *call, _ none, in unchecked[earshot.OrganizationRequest]) (made earshot.NewOrganization, err error) {
	if in.IsString("name") {
		if err := account.CheckName(in.value.Name); err != nil {
			in.Reject("name", "%v", err)
		}
	}
	plan := s.plan(in.Object, cmp.Or(in.value.Plan, "free"))
	if err := in.Err(); err != nil {
		return made, err
	}
	a, err := s.Orgs.CreateAccount(in.value.Name, plan, in.value.Credits, c.actor())
	if errors.Is(err, orgs.ErrExists) {
		err = &earshot.Error{Code: earshot.CodeConflict, Message: fmt.Sprintf("organization %q exists already", in.value.Name), Details: earshot.ConflictDetails{ID: in.value.Name}}
	}
	if err != nil {
		return made, err
	}
	return earshot.NewOrganization{Organization: orgs.Shown(a.Organization), Key: a.Key.Text, WebhookSecret: a.WebhookSecret}, nil
}

// plan returns the plan with a name, or rejects the field.
func (s *Server) plan(in *schema.Object, name string) account.Plan {
	plan, err := s.Plans.Find(name)
	if err != nil && in.Valid() {
		in.Reject("plan", "%v", err)
	}
	return plan
}

func (s *Server) changeOrganization(c *call, _ none, in unchecked[earshot.OrganizationPatch]) (*earshot.ChangedOrganization, error) {
	var plan account.Plan
	if in.value.Plan != "" {
		plan = s.plan(in.Object, in.value.Plan)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	o, err := s.operated(c, c.subject())
	if err != nil {
		return nil, err
	}
	if in.value.Plan != "" {
		if err := s.Orgs.SetPlan(o.ID, plan, c.actor(), s.Store.Now()); err != nil {
			return nil, err
		}
	}
	if in.value.Credits != nil {
		if _, err := s.Orgs.SetBalance(o.ID, *in.value.Credits, c.actor(), s.Store.Now()); err != nil {
			return nil, err
		}
	}
	o, err = s.operated(c, o.ID)
	if err != nil {
		return nil, err
	}
	return &earshot.ChangedOrganization{Organization: orgs.Shown(o)}, nil
}

func (s *Server) grantCredits(c *call, _ none, grant earshot.CreditsGrant) (*earshot.ChangedOrganization, error) {
	o, err := s.operated(c, c.subject())
	if err != nil {
		return nil, err
	}
	if grant.Credits > earshot.MaxCredits-o.Balance {
		return nil, schema.Invalid("credits", "would exceed the maximum balance of %d", earshot.MaxCredits)
	}
	if o, err = s.Orgs.Grant(o.ID, grant.Credits, c.actor(), s.Store.Now()); err != nil {
		return nil, err
	}
	return &earshot.ChangedOrganization{Organization: orgs.Shown(o)}, nil
}

// createOperatorKey creates a key of the oldest organization, which a service cannot be without.
func (s *Server) createOperatorKey(c *call, _ none, in unchecked[earshot.OperatorKeyRequest]) (made earshot.NewKey, err error) {
	s.checkNewKey(in.Object, in.value.Name, in.value.ExpiresAt)
	if err := in.Err(); err != nil {
		return made, err
	}
	o, err := s.Orgs.Oldest(c.context())
	if err != nil {
		return made, err
	}
	key := account.NewKey()
	key.Name = in.value.Name
	return s.storeKey(c, o.ID, key, []account.Scope{account.ScopeOperator}, in.value.ExpiresAt)
}

func (s *Server) revokeAnyKey(c *call, _, _ none) (*earshot.RevokedKey, error) {
	return c.revoke(func(id string) (*earshot.Key, error) {
		return s.Orgs.RevokeKey(c.context(), id, c.actor(), s.Store.Now())
	})
}

func (s *Server) resetPassword(c *call, _ none, whose earshot.PasswordReset) (*earshot.PasswordResetLink, error) {
	link, err := s.SignIn.Reset(c.context(), strings.ToLower(whose.Email), c.actor())
	if err != nil {
		return nil, notFoundAs(err, "user", whose.Email)
	}
	return &earshot.PasswordResetLink{URL: link}, nil
}

// auditBalances recomputes all balances and counters. On a large database this takes minutes.
func (s *Server) auditBalances(c *call, _, _ none) (earshot.BalanceAudit, error) {
	c.turn.End() // the rest is only waiting for the database
	findings, err := s.Store.Audit(c.context())
	return earshot.BalanceAudit{OK: len(findings) == 0, Findings: findings}, err
}
