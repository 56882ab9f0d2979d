package domain

// Metadata placeholder until the real one is merged.
type Metadata string

func MergeMetadata(current Metadata, patch []byte, allowNull bool) (Metadata, error) {
	return Metadata(patch), nil
}
