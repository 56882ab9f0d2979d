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

// tick is the unit of times in /proc, 1/100 s on current Linux systems.
const tick = 10 * time.Millisecond

// ProcessTime returns the processor time of a process, in ticks (proc(5), Linux only).
func ProcessTime(pid int) (used time.Duration, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// After the name, which may contain any characters, the twelfth and the thirteenth fields: user and system time.
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

// PostgresTime returns the processor time of the PostgreSQL processes that serve other connections to the same database.
// Processes that have ended are not included.
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

// PeakMemory returns the peak resident memory of a process in bytes (proc(5), Linux only).
func PeakMemory(pid int) (int64, error) { return memory(pid, "VmHWM") }

// AnonymousMemory returns the resident memory of a process that no file backs, in bytes (proc(5), Linux only).
func AnonymousMemory(pid int) (int64, error) { return memory(pid, "RssAnon") }

func memory(pid int, name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("this system does not report %s", name)
}

// ResetPeakMemory makes PeakMemory report the peak from now on.
func ResetPeakMemory(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}
