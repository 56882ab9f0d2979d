package domain

// ReservedSlug reports whether users may not have this slug, because the website or API has or may
// get a path of that name, or because its owner could pose as the service.
func ReservedSlug(s string) bool {
	switch s {
	// First segments of the API and of files at the root.
	case "api", "v1", "v2", "v3", "v4", "ext", "oauth", "token", "authorize", "graphql",
		"rss", "atom", "feeds", "cards", "oembed", "embed", "embeds", "robots", "sitemap", "sitemaps", "favicon", "manifest", "well-known",
		"assets", "static", "public", "images", "media", "files", "uploads", "upload", "cdn",
		"healthz", "livez", "readyz", "health", "status", "metrics", "debug", "ping", "system", "batch":
		return true
	// Account pages.
	case "account", "accounts", "settings", "preferences", "profile", "me", "you", "my", "self",
		"login", "logout", "log-in", "log-out", "signin", "signout", "sign-in", "sign-out",
		"signup", "sign-up", "register", "join", "session", "sessions", "password", "passwords",
		"reset", "reset-password", "forgot-password", "confirm", "verify", "invite", "invites", "invitation", "invitations",
		"notifications", "feed", "inbox", "messages", "import", "export",
		"billing", "pricing", "premium", "supporter", "upgrade", "subscribe", "unsubscribe":
		return true
	// Entities and actions.
	case "block", "blocks", "channel", "channels", "connection", "connections",
		"comment", "comments", "group", "groups", "user", "users", "member", "members",
		"follow", "following", "followers", "search", "explore", "discover", "browse", "random",
		"new", "create", "edit", "undo", "language", "pages", "update", "delete", "destroy", "add", "save", "share", "index",
		"move", "connect", "print", "slideshow", "preview", "offline",
		"home", "all", "tools", "apps", "applications", "developer", "developers", "tokens":
		return true
	// Names that could pose as the service.
	case "about", "help", "support", "contact", "docs", "documentation", "blog", "news", "press",
		"jobs", "careers", "team", "terms", "privacy", "policy", "legal", "license", "copyright",
		"guidelines", "security", "abuse", "report", "admin", "administrator", "root",
		"moderator", "operator", "operators", "staff", "official", "vitrine", "www", "mail", "postmaster", "webmaster",
		"noreply", "no-reply", "anonymous", "guest", "nobody", "null", "undefined", "none",
		"true", "false", "deleted", "unknown", "error", "errors":
		return true
	}
	return false
}
