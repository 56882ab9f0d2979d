package search

import (
	"fmt"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
)

// addedAt is the time of the last addition to the channel `ch`, or of its creation if nothing was ever added to it. It
// is the expression of the indexes channels_added_user and channels_added_owner.
const addedAt = "CASE WHEN ch.last_connected_at = 0 THEN ch.created_at ELSE ch.last_connected_at END"

// added writes a plan for an owner's channels by their last addition. It reads channels instead of their documents,
// because the documents of an owner's channels are scattered among many more blocks.
func (r *renderer) added() string {
	var owner string
	if r.q.Group != 0 {
		owner = "ch.owner_type = 'Group' AND ch.owner_id = " + r.args.Add(r.q.Group)
	} else {
		owner = "ch.user_id = " + r.args.Add(r.q.Author)
	}
	var parts []string
	read := func(v domain.Visibility, more string) {
		parts = append(parts, "SELECT 'Channel' AS type, ch.id AS item_id, "+addedAt+" AS k FROM channels ch WHERE "+
			owner+" AND ch.visibility = '"+string(v)+"' AND ch.state = 'available' AND "+more)
	}
	for _, p := range r.plan.parts {
		switch {
		case p.show == showOpen:
			read(domain.Public, touchViewer)
			read(domain.Closed, touchViewer)
		case p.from == privateChannels:
			read(domain.Private, touchViewer+" AND "+r.In("ch.id", r.privateIDs()))
		case p.show == showClosedChannels || p.show == showClosedSeen:
			read(domain.Private, access.VisibleChannel)
		case p.show == showClosed && p.from == documents:
			read(domain.Private, touchViewer)
		case p.show == showClosedBlocks || p.from == privateBlocks: // they contain no channels
		default:
			panic(noSuchPart)
		}
	}
	return r.mergeSorted(parts, fmt.Sprintf(" ORDER BY k %[1]s, item_id %[1]s", r.dir()))
}
