package api_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// matrixRow contains the statuses for everyone on channels of some visibilities.
type matrixRow struct{ operation, in, statuses string }

// matrixRows are behaviour.md section 2 as statuses. Where that is silent: collaborators may change a channel's texts,
// but only the owner its visibility and owner; everyone may end their own collaboration; a read token is refused before
// its target is read.
var matrixRows = []matrixRow{
	//                                                guest stranger  /read owner/read author owner collab. crew partner
	{"getChannel", "public closed", "                  200     200     200     200     200    200    200   200   200"},
	{"getChannel", "private", "                        404     404     404     200     404    200    200   200   200"},
	{"updateChannel title", "public closed", "         401     403     403     403     403    200    200   200   200"},
	{"updateChannel title", "private", "               401     404     403     403     404    200    200   200   200"},
	{"updateChannel visibility", "public closed", "    401     403     403     403     403    200    403   403   200"},
	{"updateChannel visibility", "private", "          401     404     403     403     404    200    403   403   200"},
	{"updateChannel owner", "public closed", "         401     403     403     403     403    200    403   403   200"},
	{"updateChannel owner", "private", "               401     404     403     403     404    200    403   403   200"},
	{"deleteChannel", "public closed", "               401     403     403     403     403    204    403   403   204"},
	{"deleteChannel", "private", "                     401     404     403     403     404    204    403   403   204"},
	{"getChannelContents", "public closed", "          200     200     200     200     200    200    200   200   200"},
	{"getChannelContents", "private", "                404     404     404     200     404    200    200   200   200"},
	{"getChannelConnections", "public closed", "       200     200     200     200     200    200    200   200   200"},
	{"getChannelConnections", "private", "             404     404     404     200     404    200    200   200   200"},
	{"createBlock", "public", "                        401     201     403     403     201    201    201   201   201"},
	{"createBlock", "closed", "                        401     403     403     403     403    201    201   201   201"},
	{"createBlock", "private", "                       401     404     403     403     404    201    201   201   201"},
	{"getBlock", "public closed", "                    200     200     200     200     200    200    200   200   200"},
	{"getBlock", "private", "                          404     404     404     200     200    200    200   200   200"},
	{"updateBlock", "public closed", "                 401     403     403     403     200    403    403   403   403"},
	{"updateBlock", "private", "                       401     404     403     403     200    403    403   403   403"},
	{"getBlockConnections", "public closed", "         200     200     200     200     200    200    200   200   200"},
	{"getBlockConnections", "private", "               404     404     404     200     200    200    200   200   200"},
	{"connect a block here", "public", "               401     201     403     403     201    201    201   201   201"},
	{"connect a block here", "closed", "               401     403     403     403     403    201    201   201   201"},
	{"connect a block here", "private", "              401     404     403     403     404    201    201   201   201"},
	{"connect a channel here", "public", "             401     201     403     403     201    201    201   201   201"},
	{"connect a channel here", "closed", "             401     403     403     403     403    201    201   201   201"},
	{"connect a channel here", "private", "            401     404     403     403     404    201    201   201   201"},
	{"connect its block elsewhere", "public closed", " 401     201     403     403     201    201    201   201   201"},
	{"connect its block elsewhere", "private", "       401     404     403     403     201    201    201   201   201"},
	{"connect it elsewhere", "public closed", "        401     201     403     403     201    201    201   201   201"},
	{"connect it elsewhere", "private", "              401     404     403     403     404    201    201   201   201"},
	{"getConnection", "public closed", "               200     200     200     200     200    200    200   200   200"},
	{"getConnection", "private", "                     404     404     404     200     404    200    200   200   200"},
	{"updateConnection", "public closed", "            401     403     403     403     403    200    200   200   200"},
	{"updateConnection", "private", "                  401     404     403     403     404    200    200   200   200"},
	{"moveConnection", "public closed", "              401     403     403     403     403    200    200   200   200"},
	{"moveConnection", "private", "                    401     404     403     403     404    200    200   200   200"},
	{"deleteConnection by author", "public closed", "  401     403     403     403     204    204    204   204   204"},
	{"deleteConnection by author", "private", "        401     404     403     403     404    204    204   204   204"},
	{"deleteConnection by owner", "public closed", "   401     403     403     403     403    204    204   204   204"},
	{"deleteConnection by owner", "private", "         401     404     403     403     404    204    204   204   204"},
	{"getCollaborators", "public closed", "            200     200     200     200     200    200    200   200   200"},
	{"getCollaborators", "private", "                  404     404     404     200     404    200    200   200   200"},
	{"addCollaborator", "public closed", "             401     403     403     403     403    201    403   403   201"},
	{"addCollaborator", "private", "                   401     404     403     403     404    201    403   403   201"},
	{"removeCollaborator crew", "public closed", "     401     403     403     403     403    204    403   403   204"},
	{"removeCollaborator crew", "private", "           401     404     403     403     404    204    403   403   204"},
	{"removeCollaborator oneself", "public closed", "  401     204     403     403     204    204    204   204   204"},
	{"removeCollaborator oneself", "private", "        401     404     403     403     404    204    204   204   204"},
}

// TestMatrix tries every operation as everyone: first all reads and refusals on one stage, which must not change, and
// then each of the others on a stage of its own.
func TestMatrix(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		m := newMatrix(r)
		everyone(func(as, visibility string) {
			s := m.stage(as, visibility)
			before := m.state(s)
			for _, row := range matrixRows {
				if strings.Contains(row.in, visibility) && !row.changes(as) {
					m.try(row, s, as, visibility)
				}
			}
			if now := m.state(s); now != before {
				t.Errorf("%s, as %q: after what should change nothing,\n%s became\n%s", visibility, as, before, now)
			}
			for _, row := range matrixRows {
				if strings.Contains(row.in, visibility) && row.changes(as) {
					m.try(row, m.stage(as, visibility), as, visibility)
				}
			}
		})
	})
}

// try performs the operation of a row on a stage.
func (m *matrix) try(row matrixRow, s *stage, as, visibility string) {
	m.T.Helper()
	res := operations[row.operation](m, s, as)
	if want := row.status(as); strconv.Itoa(res.Status) != want {
		m.T.Errorf("%s, %s, as %q: status %d, want %s: %s", row.operation, visibility, as, res.Status, want, res.Body)
	}
}

// changes reports whether the actor should change the stage.
func (row matrixRow) changes(as string) bool {
	return row.status(as)[0] == '2' && !strings.HasPrefix(row.operation, "get")
}

// status returns the status in the actor's column.
func (row matrixRow) status(as string) string {
	return strings.Fields(row.statuses)[slices.Index(actors, as)]
}

// TestMatrixIsWhole checks that each operation has a row for every visibility.
func TestMatrixIsWhole(t *testing.T) {
	t.Parallel()
	rows := map[string]string{}
	for _, row := range matrixRows {
		if operations[row.operation] == nil {
			t.Errorf("there is no operation %q", row.operation)
		}
		if n := len(strings.Fields(row.statuses)); n != len(actors) {
			t.Errorf("%s, %s: %d statuses for %d actors", row.operation, row.in, n, len(actors))
		}
		rows[row.operation] = strings.TrimSpace(rows[row.operation] + " " + row.in)
	}
	for operation := range operations {
		if rows[operation] != "public closed private" {
			t.Errorf("%s has rows for %q", operation, rows[operation])
		}
	}
}
