package drive

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// tick is the unit of times in /proc, of which a second has a hundred on every Linux of today.
const tick = 10 * time.Millisecond

// ProcessTime is what a process has used of all processors, in ticks (proc(5), on Linux alone).
func ProcessTime(pid int) (used time.Duration, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// After the name, which may hold anything, the twelfth and the thirteenth: user and system.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	for _, field := range fields[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		used += time.Duration(ticks) * tick
	}
	return used, nil
}

// PostgresTime is what the processes of PostgreSQL have used that serve others in the database of a
// connection; those that have ended count no more.
func PostgresTime(ctx context.Context, db *pgx.Conn) (used time.Duration, err error) {
	rows, err := db.Query(ctx, `SELECT pid FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`)
	if err != nil {
		return 0, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	for _, pid := range pids {
		text, gone := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if gone != nil {
			continue
		}
		on, _, _ := strings.Cut(string(text), " ")
		spent, _ := strconv.ParseInt(on, 10, 64)
		used += time.Duration(spent)
	}
	return used, err
}
