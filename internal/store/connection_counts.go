package store

import (
	"cmp"
	"context"
	"strings"
	"time"

	"vitrine/internal/domain"
)

// Of the connections of a channel whose items are not private, adder_counts has how many
// each user made. Private items are not counted: of these, it depends on the viewer which
// ones count.

type adderKey struct {
	channel domain.ChannelID
	user    domain.UserID
}

var adderCounts = countTable[adderKey]{
	name:   "adder_counts",
	key:    []string{"channel_id", "user_id"},
	sums:   []string{"n"},
	sparse: true,
	compare: func(a, b adderKey) int {
		return cmp.Or(cmp.Compare(a.channel, b.channel), cmp.Compare(a.user, b.user))
	},
	values: func(k adderKey) []any { return []any{k.channel, k.user} },
}

// tallyConnection notes a connection of an item that is not private, which comes (by 1),
// goes, or turns so.
func (tx *Tx) tallyConnection(channel domain.ChannelID, user domain.UserID, by int64) {
	tx.adders.add(adderKey{channel, user}, tallies{open: by})
}

// touchBlock carries the time of change of a locked block to its connections, which sort
// by it.
func (tx *Tx) touchBlock(ctx context.Context, id domain.BlockID, now time.Time) error {
	return tx.exec(ctx, `UPDATE connections SET item_updated_at = $2 WHERE item_type = 'Block' AND item_id = $1`, id, micros(now))
}

// adderRows are what adder_counts counts, for all channels.
const adderRows = `SELECT c.channel_id, c.user_id FROM connections c WHERE c.item_private = FALSE`

// missing gives what must be added to the counts of channel $1. As one statement it sees
// connections and counts at the same moment.
func missing[K comparable](t countTable[K], rows string) string {
	key := strings.Join(t.key, ", ")
	return `SELECT ` + key + `, CAST(sum(n) AS BIGINT) FROM (
			SELECT counted.*, 1 AS n FROM (` + rows + ` AND c.channel_id = $1) AS counted
			UNION ALL SELECT ` + key + `, -n FROM ` + t.name + ` WHERE channel_id = $1) AS sides
		GROUP BY ` + key + ` HAVING sum(n) <> 0 ORDER BY ` + key
}

// connectionCountChecks compare the counts with the connections.
var connectionCountChecks = []check{miscountedConnections(adderCounts, adderRows)}

func miscountedConnections[K comparable](t countTable[K], rows string) check {
	key := strings.Join(t.key, ", ")
	return check{t.name + ".n", `SELECT channel_id, CAST(sum(stored) AS BIGINT), CAST(sum(actual) AS BIGINT) FROM (
			SELECT ` + key + `, n AS stored, 0 AS actual FROM ` + t.name + `
			UNION ALL SELECT counted.*, 0, 1 FROM (` + rows + `) AS counted) AS sides
		GROUP BY ` + key + ` HAVING sum(stored) <> sum(actual)`}
}

// recountConnections counts the connections of a channel anew. It adds what is missing,
// so that others may change items meanwhile.
func (tx *Tx) recountConnections(ctx context.Context, id domain.ChannelID) error {
	if err := tx.writeCounts(ctx); err != nil { // what is noted is neither missing nor stored
		return err
	}
	if err := tx.exec(ctx, adderCounts.adding(missing(adderCounts, adderRows)), id); err != nil {
		return err
	}
	return tx.exec(ctx, `DELETE FROM adder_counts WHERE channel_id = $1 AND n = 0`, id)
}
