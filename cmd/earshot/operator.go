package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"earshot"
	"earshot/client"
	"earshot/internal/app"
)

// operator is how the commands of the operator find the service.
type operator struct {
	URL    string `help:"The address of the service. By default, the commands use the socket of a service on this machine, in its data folder." env:"EARSHOT_URL" placeholder:"URL"`
	APIKey string `help:"An operator key, for a service on another machine. Prefer the environment variable, which other users of the machine cannot see." env:"EARSHOT_API_KEY" placeholder:"KEY"`
}

// service is the running service, called as its operator.
type service struct {
	*client.Client

	options []client.Option
	url     string
	key     string // empty on the socket
}

// with calls work with the running service: on a socket in the data folder, if the service there is the
// one at the URL, or otherwise by the URL.
func (o *operator) with(in *invocation, work func(*service) error) error {
	s, err := o.find(in)
	if err != nil {
		return err
	}
	s.Client = client.New(s.url, s.key, s.options...)
	return s.explain(work(s))
}

func (o *operator) find(in *invocation) (*service, error) {
	local, err := app.OnSocket(in, in.cfg.Data, strings.TrimRight(o.URL, "/"))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w: run the command as the user of the service, or give --url and an operator key", err)
	case err != nil:
		return nil, err
	case local != nil:
		return &service{url: "http://earshot", options: []client.Option{client.WithUserAgent("earshot-cli"), client.WithRetries(0), client.WithHTTPClient(local)}}, nil
	case o.URL == "":
		return nil, fmt.Errorf("no service is running on %s; start 'earshot serve', or give --url and an operator key", in.cfg.Data)
	case o.APIKey == "":
		return nil, errors.New("there is no API key: set EARSHOT_API_KEY to an operator key; 'earshot key create --operator' creates one on the server's machine")
	}
	server := remote{URL: o.URL, APIKey: o.APIKey}
	if _, err := server.connect(); err != nil {
		return nil, err
	}
	return &service{url: o.URL, key: o.APIKey, options: []client.Option{client.WithUserAgent("earshot-cli"), client.WithRetries(0)}}, nil
}

// explain adds advice to an error of the service. It returns the command's own errors unchanged.
func (s *service) explain(err error) error {
	answer, answered := errors.AsType[*client.Error](err)
	_, lost := errors.AsType[*url.Error](err)
	switch {
	case answered && (answer.Code == earshot.CodeInvalidKey || answer.Code == earshot.CodeNoPermission):
		return advised{err, sentence(answer.Message, answer.Details) + "; set EARSHOT_API_KEY to an operator key of " + s.url +
			", or run the command on the server's machine with the --data of 'earshot serve'"}
	case answered && answer.Code != "":
		return advised{err, sentence(answer.Message, answer.Details)}
	case answered || lost || errors.Is(err, context.Canceled):
		return (&remote{URL: s.url}).explain(err)
	}
	return err
}

// actingFor returns a client that acts for an organization.
func (s *service) actingFor(organization string) *client.Client {
	return client.New(s.url, s.key, append(s.options[:len(s.options):len(s.options)], client.WithOrganization(organization))...)
}

// organization returns the organization with a name.
func (s *service) organization(in *invocation, name string) (*earshot.Organization, error) {
	found, err := s.Organizations(in, earshot.OrganizationQuery{Name: name})
	if err != nil {
		return nil, err
	}
	if name == "" || len(found.Organizations) == 0 {
		return nil, fmt.Errorf("organization %q: not found; 'earshot org list' lists all organizations", name)
	}
	return &found.Organizations[0], nil
}

// organizations returns the organization with a name, or all of them if the name is "".
func (s *service) organizations(in *invocation, name string) ([]earshot.Organization, error) {
	if name != "" {
		o, err := s.organization(in, name)
		if err != nil {
			return nil, err
		}
		return []earshot.Organization{*o}, nil
	}
	all, err := s.all(in)
	if err != nil {
		return nil, err
	}
	return all.Organizations, nil
}

// all returns all organizations, after a warning about organizations that cannot be reached.
func (s *service) all(in *invocation) (*earshot.OrganizationList, error) {
	all, err := s.Organizations(in, earshot.OrganizationQuery{})
	if err == nil && len(all.Unreachable) > 0 {
		fmt.Fprintf(in.errOut, "warning: the data of %d organizations cannot be reached: %s\n", len(all.Unreachable), strings.Join(all.Unreachable, ", "))
	}
	return all, err
}

// forOrganization is with for a command on one organization, for which the client acts.
func (o *operator) forOrganization(in *invocation, name string, work func(*service, *earshot.Organization) error) error {
	return o.with(in, func(s *service) error {
		organization, err := s.organization(in, name)
		if err != nil {
			return err
		}
		s.Client = s.actingFor(organization.ID)
		return work(s, organization)
	})
}

// orList adds the command that lists what exists to the error for what does not exist.
func orList(err error, command string) error {
	answer, ok := errors.AsType[*client.Error](err)
	if ok && answer.Code == earshot.CodeNotFound {
		return fmt.Errorf("%s; '%s' lists all", oneLine(answer.Message), command)
	}
	return err
}
