package rowmap

import (
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// fileRow holds the columns of a file.
type fileRow struct {
	*domain.File
	created int64
}

// Files declares the columns of the file `f` with its blob `bl`.
var Files = sqlx.Table[fileRow]{Name: "files", Alias: "f", Columns: slices.Concat(
	sqlx.Col("id", 0, func(r *fileRow) *domain.FileID { return &r.ID }),
	sqlx.Col("key", sqlx.Insert, func(r *fileRow) *string { return &r.Key }),
	sqlx.Col("user_id", sqlx.Insert, func(r *fileRow) *domain.UserID { return &r.Owner }),
	sqlx.Col("blob_id", sqlx.Insert, func(r *fileRow) *domain.BlobID { return &r.BlobID }),
	sqlx.Joined("bl.object", func(r *fileRow) *string { return &r.Object }),
	sqlx.Col("name", sqlx.Insert, func(r *fileRow) *string { return &r.Name }),
	sqlx.Col("content_type", sqlx.Insert, func(r *fileRow) *string { return &r.ContentType }),
	sqlx.Col("extension", sqlx.Insert, func(r *fileRow) *string { return &r.Extension }),
	sqlx.Col("size", sqlx.Insert, func(r *fileRow) *int64 { return &r.Size }),
	sqlx.Computed("width", sqlx.Insert, "COALESCE(f.width, 0)", func(r *fileRow) *int64 { return &r.Width }).
		Writing(func(r *fileRow) any { return sqlx.OrNull(r.Width) }),
	sqlx.Computed("height", sqlx.Insert, "COALESCE(f.height, 0)", func(r *fileRow) *int64 { return &r.Height }).
		Writing(func(r *fileRow) any { return sqlx.OrNull(r.Height) }),
	sqlx.Col("blurhash", sqlx.Insert, func(r *fileRow) **string { return &r.Blurhash }),
	sqlx.Col("resized", sqlx.Insert, func(r *fileRow) *string { return &r.Resized }),
	sqlx.Col("created_at", sqlx.Insert, func(r *fileRow) *int64 { return &r.created }),
	sqlx.Col("keep_metadata", sqlx.Insert, func(r *fileRow) *bool { return &r.KeepsMetadata }),
	sqlx.Computed("animated", sqlx.Insert, "COALESCE(f.animated, FALSE)", func(r *fileRow) *bool { return &r.Animated }),
	sqlx.Joined("COALESCE(bl.clean_size, -2)", func(r *fileRow) *int64 { return &r.CleanSize }),
	sqlx.Joined("bl.clean_plan IS NOT NULL", func(r *fileRow) *bool { return &r.CleanPlanned }),
)}

// SelectFiles begins a statement that selects files.
var SelectFiles = "SELECT " + Files.Select() + " FROM files f JOIN blobs bl ON bl.id = f.blob_id "

// ScanFile reads a row of SelectFiles.
func ScanFile(row sqlx.Row) (f domain.File, err error) {
	r := fileRow{File: &f}
	err = row.Scan(Files.Targets(&r)...)
	f.CreatedAt = sqlx.Time(r.created)
	return f, err
}

// InsertFile returns the arguments of Files.Insert.
func InsertFile(f *domain.File) []any {
	r := fileRow{File: f, created: sqlx.Micros(f.CreatedAt)}
	return Files.Args(sqlx.Insert, &r)
}
