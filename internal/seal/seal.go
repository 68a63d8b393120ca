// Package seal encrypts and authenticates data that a client carries from one request to the next:
// the requestState. The client can neither read nor change the data.
//
//	base64url( version, salt, AES-256-GCM( plaintext ) )
//
// The key and the nonce of each message are derived from one of the server's
// keys and a random salt that is long enough never to repeat.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

const (
	version   = 1
	saltSize  = 32
	keySize   = 32
	nonceSize = 12
	header    = 1 + saltSize
)

// Binding identifies the request that a sealed message belongs to. It is
// authenticated with the message and not contained in it.
type Binding [sha256.Size]byte

var encoding = base64.RawURLEncoding.Strict()

func Seal(key, plaintext []byte, to Binding) (string, error) {
	sealed := make([]byte, header, header+len(plaintext)+16)
	sealed[0] = version
	_, _ = rand.Read(sealed[1:]) // never fails
	aead, nonce, err := derive(key, sealed[1:])
	if err != nil {
		return "", err
	}
	return encoding.EncodeToString(aead.Seal(sealed, nonce, plaintext, to[:])), nil
}

// Open decrypts a message that one of the keys sealed for the same binding. It is not ok for any
// other text. It does not call keys for text that no key can have sealed.
func Open(keys func() ([][]byte, error), text string, to Binding) (plaintext []byte, ok bool, err error) {
	if strings.ContainsAny(text, "\r\n") { // which the decoder skips
		return nil, false, nil
	}
	sealed, err := encoding.DecodeString(text)
	if err != nil || len(sealed) <= header || sealed[0] != version {
		return nil, false, nil
	}
	all, err := keys()
	if err != nil {
		return nil, false, err
	}
	for _, key := range all {
		aead, nonce, err := derive(key, sealed[1:header])
		if err != nil {
			return nil, false, err
		}
		if plaintext, err := aead.Open(nil, nonce, sealed[header:], to[:]); err == nil {
			return plaintext, true, nil
		}
	}
	return nil, false, nil
}

// derive returns the cipher and the nonce of the one message with this salt.
func derive(key, salt []byte) (cipher.AEAD, []byte, error) {
	derived, err := hkdf.Key(sha256.New, key, salt, "github.com/mcp-prompts/prompts requestState", keySize+nonceSize)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(derived[:keySize])
	if err != nil {
		return nil, nil, err
	}
	aead, err := cipher.NewGCM(block)
	return aead, derived[keySize:], err
}
