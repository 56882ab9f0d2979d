package domain

// Entity is an entry of a list of mixed types: at most one of its fields is set. Principal is a user
// or group with only the fields that are embedded in other resources.
type Entity struct {
	Block     *Block
	Channel   *Channel
	User      *User
	Group     *Group
	Principal *Principal
	Comment   *Comment
	Revision  *BlockRevision // of a block that was not read
}
