package domain

// Thing is an entry of a list of mixed kinds: one of its fields is set, or none where there
// is nothing. Principal is a user or group of whom no more is shown than inside other things.
type Thing struct {
	Block     *Block
	Channel   *Channel
	User      *User
	Group     *Group
	Principal *Principal
	Comment   *Comment
}
