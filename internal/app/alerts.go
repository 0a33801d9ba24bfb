package app

import (
	"context"

	"earshot/internal/alert"
	"earshot/internal/mail"
)

// openMail is how mail is sent, nil without a server for that.
func (a *App) openMail() (func(context.Context, *alert.Mail) (int, error), error) {
	if a.cfg.SMTP.Server == "" {
		return nil, nil //nolint:nilnil // said so above
	}
	cfg := a.cfg.SMTP
	if cfg.Password == "" {
		cfg.Password = a.cfg.getenv("EARSHOT_SMTP_PASSWORD")
	}
	sender, err := mail.New(cfg)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, m *alert.Mail) (int, error) { return sender.Send(ctx, mail.Message(*m)) }, nil
}

// alertMessage is what a delivery tells a channel.
func (a *App) alertMessage(ctx context.Context, organization, delivery string) (*alert.Message, error) {
	return a.trackers.AlertMessage(ctx, organization, delivery)
}
