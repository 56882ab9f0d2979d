package transfer

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"strconv"

	"vitrine/internal/domain"
)

// sealer returns the cipher for tokens of sources. Its key is derived from the installation's, so that a log or a copy
// of only the table of imports reveals no token.
func (a *Transfer) sealer(ctx context.Context) (cipher.AEAD, error) {
	secret, err := a.Secret(ctx, &a.importKey, "imports")
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "tokens of imports, AES-256-GCM", 32)
	if err != nil {
		return nil, fmt.Errorf("app: derive the key of imports: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("app: the key of imports: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// openToken decrypts the token of one import. It fails for any other import.
func (a *Transfer) openToken(ctx context.Context, id domain.ImportID, sealed []byte) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	aead, err := a.sealer(ctx)
	if err != nil {
		return "", err
	}
	token, err := aead.Open(nil, nil, sealed, boundTo(id))
	if err != nil {
		return "", fmt.Errorf("app: open the token of import %d: %w", id, err)
	}
	return string(token), nil
}

func boundTo(id domain.ImportID) []byte { return []byte("import " + strconv.FormatInt(int64(id), 10)) }
