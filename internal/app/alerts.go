package app

import (
	"context"

	"earshot/internal/files/exportfile"
	"earshot/internal/notify/mail"
	"earshot/internal/track"
	"earshot/internal/track/alert"
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

// openExports is where files of trackers are written, nil for nowhere.
func (a *App) openExports(ctx context.Context) (track.Exports, error) {
	if a.cfg.Exports == "" {
		return nil, nil //nolint:nilnil // said so above
	}
	return exportfile.Open(ctx, a.cfg.Exports)
}

// channelMessage is what a delivery tells a channel.
func (a *App) channelMessage(ctx context.Context, organization, delivery string) (*alert.Message, error) {
	return a.trackers.ChannelMessage(ctx, organization, delivery)
}
