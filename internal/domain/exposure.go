package domain

// Exposure defines what guests and search engines can see. By default guests see everything that
// the API shows them, and closed channels are not indexed.
type Exposure struct {
	GuestsClosed bool // guests do not see collections
	IndexClosed  bool // search engines may also index closed channels
}

// Admits returns an error if guests are closed out and the actor is a guest, or an application that
// acts as itself, which anyone can register.
func (e Exposure) Admits(a Actor) error {
	if e.GuestsClosed && !a.SignedIn() {
		return NewUnauthenticated("A user's token is required")
	}
	return nil
}

// Indexes reports whether search engines may index a channel.
func (e Exposure) Indexes(v Visibility) bool {
	return !e.GuestsClosed && (v == Public || v == Closed && e.IndexClosed)
}
