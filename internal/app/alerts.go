package app

import (
	"context"
	"fmt"

	"earshot/internal/files/exportfile"
	"earshot/internal/notify/mail"
	"earshot/internal/track"
	"earshot/internal/track/alert"
)

// openMail returns the function that sends mail, or nil if no SMTP server is configured.
func (c Config) openMail() (func(context.Context, *alert.Mail) (int, error), error) {
	if c.SMTP.Server == "" {
		return nil, nil
	}
	if c.SMTP.Password == "" {
		c.SMTP.Password = c.getenv("EARSHOT_SMTP_PASSWORD")
	}
	sender, err := mail.New(c.SMTP)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, m *alert.Mail) (int, error) { return sender.Send(ctx, *m) }, nil
}

// openExports returns the place for exported files of trackers, or nil if none is
// configured.
func (a *App) openExports(ctx context.Context) (track.Exports, error) {
	if a.cfg.Exports == "" {
		return nil, nil
	}
	return exportfile.Open(ctx, a.cfg.Exports)
}

// channelMessage returns the message of a delivery to a channel.
func (a *App) channelMessage(ctx context.Context, organization, delivery string) (*alert.Message, error) {
	return a.trackers.ChannelMessage(ctx, organization, delivery)
}

// plainMail returns the function that sends a mail without HTML, or nil if no SMTP server is
// configured.
func plainMail(send func(context.Context, *alert.Mail) (int, error)) func(ctx context.Context, to, subject, text string) error {
	if send == nil {
		return nil
	}
	return func(ctx context.Context, to, subject, text string) error {
		code, err := send(ctx, &alert.Mail{To: []string{to}, Subject: subject, Text: text})
		if err == nil && code != 250 {
			err = fmt.Errorf("the mail server replied %d", code)
		}
		return err
	}
}
