package domain

// Exposure is what the operator lets strangers and search engines see. The zero value
// shows guests all that the API shows them, and keeps closed channels out of indexes.
type Exposure struct {
	GuestsClosed bool // guests see nothing of collections
	IndexClosed  bool // closed channels may be indexed by search engines, too
}

// Admits refuses who may see nothing here: a guest where guests are closed out, and so
// an application that acts as itself, which anyone may register.
func (e Exposure) Admits(a Actor) error {
	if e.GuestsClosed && !a.SignedIn() {
		return NewUnauthenticated("A user's token is required")
	}
	return nil
}

// Indexes reports whether search engines may keep a channel.
func (e Exposure) Indexes(v Visibility) bool {
	return !e.GuestsClosed && (v == Public || v == Closed && e.IndexClosed)
}
