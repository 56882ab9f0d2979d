package middleware

import (
	"encoding/binary"
	"net/netip"
	"strconv"
)

// Key identifies a client for rate limits (behaviour.md section 9). Keys are comparable and need no
// allocation.
type Key struct {
	kind keyKind
	id   uint64
}

type keyKind byte

const (
	unknownKey keyKind = iota
	userKey
	applicationKey
	guestKey4
	guestKey6
	badTokenKey4
	badTokenKey6
)

// UserKey returns the key of a user, shared by all of their tokens.
func UserKey(id int64) Key { return Key{userKey, uint64(id)} }

// ApplicationKey returns the key of an application that acts as itself.
func ApplicationKey(id int64) Key { return Key{applicationKey, uint64(id)} }

// GuestKey returns the key of a guest's address: the whole IPv4 address, or the /64 of an IPv6
// address, which is what one household gets. Guests without a known address share the zero Key.
func GuestKey(addr netip.Addr) Key { return addressKey(addr, guestKey4, guestKey6) }

// BadTokenKey returns the key for invalid tokens from a guest's address. It differs from the
// guest's own key, so that a guest who reads a lot can still sign in.
func BadTokenKey(addr netip.Addr) Key { return addressKey(addr, badTokenKey4, badTokenKey6) }

func addressKey(addr netip.Addr, kind4, kind6 keyKind) Key {
	switch addr = addr.Unmap(); {
	case addr.Is4():
		b := addr.As4()
		return Key{kind4, uint64(binary.BigEndian.Uint32(b[:]))}
	case addr.Is6():
		b := addr.As16()
		return Key{kind6, binary.BigEndian.Uint64(b[:8])}
	default:
		return Key{}
	}
}

// shared returns the key for limits shared between servers.
func (k Key) shared() string {
	return strconv.Itoa(int(k.kind)) + ":" + strconv.FormatUint(k.id, 36)
}

// String returns the key for logs: u:1, a:2, g:192.0.2.1 or g:2001:db8::/64.
func (k Key) String() string {
	switch k.kind {
	case userKey:
		return "u:" + strconv.FormatUint(k.id, 10)
	case applicationKey:
		return "a:" + strconv.FormatUint(k.id, 10)
	case guestKey4:
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(k.id))
		return "g:" + netip.AddrFrom4(b).String()
	case guestKey6:
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], k.id)
		return "g:" + netip.PrefixFrom(netip.AddrFrom16(b), 64).String()
	default:
		return "g:unknown"
	}
}
