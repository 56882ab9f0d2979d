package database

import "context"

// LockMigrations lets a test stand in for a program that migrates.
func LockMigrations(db *DB, ctx context.Context) (unlock func(), err error) {
	return db.lockMigrations(ctx)
}
