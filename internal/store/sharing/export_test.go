package sharing

// MaxLinks is the maximum number of working links of an organization.
const MaxLinks = maxLinks
