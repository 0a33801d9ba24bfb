package channel

import (
	"fmt"
	"regexp"
	"slices"

	"earshot"
	"earshot/internal/schema"
)

// field is a field of a channel's request that some kinds use.
type field struct {
	name     string
	value    func(*earshot.ChannelRequest) string
	required []earshot.ChannelKind
	optional []earshot.ChannelKind
	form     *regexp.Regexp
	rule     string // follows the name of a field that is missing or does not match form
}

var fields = []field{
	{
		name: "url", value: func(c *earshot.ChannelRequest) string { return c.URL }, rule: "must be the URL of the receiver",
		required: []earshot.ChannelKind{earshot.ChannelWebhook, earshot.ChannelSlack, earshot.ChannelDiscord, earshot.ChannelTeams},
		optional: []earshot.ChannelKind{earshot.ChannelTelegram, earshot.ChannelPagerDuty},
	},
	{
		name: "botToken", value: func(c *earshot.ChannelRequest) string { return c.BotToken }, required: []earshot.ChannelKind{earshot.ChannelTelegram},
		form: regexp.MustCompile(`^\d+:[\w-]{20,}$`), rule: "must be the token that BotFather shows, a number, a colon and letters",
	},
	{
		name: "chatId", value: func(c *earshot.ChannelRequest) string { return c.ChatID }, required: []earshot.ChannelKind{earshot.ChannelTelegram},
		form: regexp.MustCompile(`^(-?\d+|@\w+)$`), rule: "must be the number of a chat, or @ and the name of a public channel",
	},
	{
		name: "routingKey", value: func(c *earshot.ChannelRequest) string { return c.RoutingKey }, required: []earshot.ChannelKind{earshot.ChannelPagerDuty},
		form: regexp.MustCompile(`^[0-9A-Za-z]{32}$`), rule: "must be an integration key of 32 letters and digits",
	},
}

// CheckChannel checks a channel and rejects its invalid fields in in.
func (s *Directory) CheckChannel(in *schema.Object, c *earshot.ChannelRequest) {
	for _, f := range fields {
		value, required := f.value(c), slices.Contains(f.required, c.Kind)
		switch {
		case required && (value == "" || f.form != nil && !f.form.MatchString(value)):
			in.Reject(f.name, "%s", f.rule)
		case value != "" && !required && !slices.Contains(f.optional, c.Kind):
			in.Reject(f.name, "cannot be used with a %s channel", c.Kind)
		case f.name == "url" && value != "":
			if err := s.CheckWebhook(value); err != nil {
				in.Reject(f.name, "%s", err)
			}
		}
	}
	switch mail := c.Kind == earshot.ChannelMail; {
	case !mail && len(c.To) > 0:
		in.Reject("to", "cannot be used with a %s channel", c.Kind)
	case mail && !s.Mail:
		in.Reject("kind", "must not be mail, because this service has no SMTP server; its operator can set one with --smtp-server")
	case mail && len(c.To) == 0:
		in.Reject("to", "must have at least one address")
	case mail:
		for i, address := range c.To {
			if err := s.CheckAddress(address); err != nil {
				in.Reject(fmt.Sprintf("to[%d]", i), "%s", err)
			}
		}
	}
}
