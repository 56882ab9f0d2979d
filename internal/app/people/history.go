package people

import (
	"cmp"
	"context"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ProfileHistory lists the versions of the actor's profile.
func (a *People) ProfileHistory(ctx context.Context, actor domain.Actor) (core.History, error) {
	return a.Versions(ctx, profileHistory(ctx, actor))
}

// GroupHistory lists the versions of a group for its owner.
func (a *People) GroupHistory(ctx context.Context, actor domain.Actor, ref domain.Ref) (core.History, error) {
	return a.Versions(ctx, groupHistory(ctx, actor, ref))
}

// ProfileVersion reads a version of the actor's profile, or the current one if number is 0, and the texts of the one before it.
func (a *People) ProfileVersion(ctx context.Context, actor domain.Actor, number int64) (core.History, domain.TextVersion, *domain.Texts, error) {
	return a.Version(ctx, number, profileHistory(ctx, actor))
}

// GroupVersion reads a version of a group, or the current one if number is 0, and the texts of the one before it.
func (a *People) GroupVersion(ctx context.Context, actor domain.Actor, ref domain.Ref, number int64) (core.History, domain.TextVersion, *domain.Texts, error) {
	return a.Version(ctx, number, groupHistory(ctx, actor, ref))
}

func profileHistory(ctx context.Context, actor domain.Actor) func(*store.Snapshot) (core.History, error) {
	return func(v *store.Snapshot) (h core.History, err error) {
		if !actor.SignedIn() {
			return h, domain.NewUnauthenticated("A user's token is required")
		}
		u, err := v.Users().User(ctx, domain.Ref{ID: int64(actor.UserID)})
		if err != nil {
			return h, err
		}
		return core.ReadHistory(ctx, v, core.SourceOf(domain.UserRef(u.ID)), domain.TextsOfUser(u), domain.UserRef(u.ID), u.CreatedAt)
	}
}

func groupHistory(ctx context.Context, actor domain.Actor, ref domain.Ref) func(*store.Snapshot) (core.History, error) {
	return func(v *store.Snapshot) (h core.History, err error) {
		g, err := v.Groups().Group(ctx, actor.UserID, ref)
		if err != nil {
			return h, err
		}
		if !domain.CanOwnGroup(actor, g) {
			return h, core.Forbidden("see the history of this group")
		}
		creator, err := v.Membership().FirstMember(ctx, g)
		if err != nil {
			return h, err
		}
		return core.ReadHistory(ctx, v, core.SourceOf(domain.GroupRef(g.ID)), domain.TextsOfGroup(g), domain.UserRef(creator), g.CreatedAt)
	}
}

// RestoreProfile replaces the name and biography of the actor by those of an earlier version. It returns a Conflict error if
// they no longer have the digest seen.
func (a *People) RestoreProfile(ctx context.Context, actor domain.Actor, number int64, seen string) error {
	_, is, _, err := a.ProfileVersion(ctx, actor, number)
	if err != nil {
		return err
	}
	_, err = a.UpdateMe(ctx, actor, UpdateMeInput{Name: is.Texts.Title, Bio: core.Patch{Set: true, Value: is.Texts.Description}, restoring: cmp.Or(seen, "-")})
	return err
}

// RestoreGroup replaces the name and description of a group by those of an earlier version. It returns a Conflict error if
// they no longer have the digest seen.
func (a *People) RestoreGroup(ctx context.Context, actor domain.Actor, ref domain.Ref, number int64, seen string) (domain.Group, error) {
	_, is, _, err := a.GroupVersion(ctx, actor, ref, number)
	if err != nil {
		return domain.Group{}, err
	}
	return a.UpdateGroup(ctx, actor, ref, UpdateGroupInput{Name: is.Texts.Title, Description: core.Patch{Set: true, Value: is.Texts.Description}, restoring: cmp.Or(seen, "-")})
}
