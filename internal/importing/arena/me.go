package arena

import "context"

// Me returns the slug of the token's user.
func (s *Source) Me(ctx context.Context) (string, error) {
	var me person
	err := s.get(ctx, "/v3/me", nil, &me)
	if err == nil && me.Slug == "" {
		err = &Error{Where: s.base + "/v3/me", Why: "The token is nobody's: name what is to be imported"}
	}
	return me.Slug, err
}
