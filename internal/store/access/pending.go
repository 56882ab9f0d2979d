package access

import "strings"

// The effect of a connection on the counts in the channel `ch`. The *Applied ones are what the
// counts contain so far; `pt` is the run that contains the connection, if there is one.
const (
	OpenNow        = `CASE WHEN ch.state = 'available' AND ch.visibility <> 'private' THEN 1 ELSE 0 END`
	privateNow     = `CASE WHEN ch.state = 'available' AND ch.visibility = 'private' THEN 1 ELSE 0 END`
	OpenApplied    = `COALESCE(pt.open_n, ` + OpenNow + `)`
	PrivateApplied = `COALESCE(pt.private_n, ` + privateNow + `)`
	GroupApplied   = `COALESCE(pt.group_id, CASE WHEN ch.state = 'available' AND ch.owner_type = 'Group' THEN ch.owner_id ELSE 0 END)`
)

// Run is a range of the connections of a channel: those created after one time and up to another.
type Run struct{ After, Upto int64 }

// OfRun finds the connections `c` of the channel $1 that were created after $2 and up to $3. An
// index begins with these columns. The last condition is always true. It names a column that the
// index of pages lacks, because SQLite would otherwise choose that one if it needs no rows, and
// read the whole channel.
const OfRun = `c.channel_id = $1 AND c.item_private IN (FALSE, TRUE) AND c.created_at > $2 AND c.created_at <= $3 AND c.updated_at > 0`

// InRun joins connections `c` to the run `pt` that contains them.
const InRun = `pt.channel_id = c.channel_id AND c.created_at > pt.after_at AND c.created_at <= pt.upto`

// Pending reports whether any transition is pending. It is evaluated once per statement.
const Pending = `EXISTS (SELECT 1 FROM pending_transitions WHERE channel_id > 0)`

// Settled returns a text in which the counts of the block `b` are those in its columns. The statement
// must select nothing while transitions are pending. PostgreSQL prepares the subqueries of
// OpenCount for each execution, which takes longer than reading a block.
func Settled(text string) string { return settled.Replace(text) }

var settled = strings.NewReplacer(OpenCount, "b.open_count", PrivateCount, "b.private_count")

// openAhead and privateAhead are the changes that pending transitions will make to the counts of
// the block `b`.
const (
	openAhead    = aheadBy + OpenNow + ` - pt.open_n` + aheadOf + `pc.item_type = 'Block' AND pc.item_id = b.id), 0)`
	privateAhead = aheadBy + privateNow + ` - pt.private_n` + aheadOf + `pc.item_type = 'Block' AND pc.item_id = b.id), 0)`

	aheadBy = `COALESCE((SELECT CAST(sum(`
	aheadOf = `) AS BIGINT) FROM connections pc CROSS JOIN pending_transitions pt CROSS JOIN channels ch
		WHERE pt.channel_id = pc.channel_id AND pc.created_at > pt.after_at AND pc.created_at <= pt.upto AND ch.id = pc.channel_id AND `
)

// EffectiveLinks is the number of open channels that contain the item of a document. It is correct
// while transitions are pending.
func EffectiveLinks(d string) string {
	return "(" + d + ".links + " + aheadBy + OpenNow + " - pt.open_n" + aheadOf +
		"pc.item_type = " + d + ".kind AND pc.item_id = " + d + ".item_id), 0))"
}

// EffectiveOpen reports whether everyone may see the item of a document. It is correct while
// transitions are pending. The visibility of a channel itself is never pending.
func EffectiveOpen(d string) string {
	return "(CASE WHEN " + d + ".kind = 'Block' THEN " + EffectiveLinks(d) + " > 0 ELSE " + d + ".open END)"
}
