package ext

import (
	"context"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// AdminListAccounts implements adminListAccounts.
func (h *handler) AdminListAccounts(ctx context.Context, p ext.AdminListAccountsParams) (*ext.AdminAccountList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Operating.AccountsAfter(ctx, httpedge.Actor(ctx), p.Query.Or(""), domain.UserID(at.at), at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminAccountList{}
	out.Data, out.NextCursor = listed(all, at, func(u domain.User) string { return numbered(u.ID) }, adminAccount)
	return out, nil
}

func adminAccount(u domain.User) ext.AdminAccount {
	return ext.AdminAccount{ID: int64(u.ID), Slug: u.Slug, Name: u.Name, Email: u.Email, Tier: ext.AdminAccountTier(u.Tier), Role: ext.AdminAccountRole(u.Office),
		Suspended: u.SuspendedAt != nil, CreatedAt: wire.Time{Time: u.CreatedAt}}
}

// account returns the response with an account.
func account(u domain.User, err error) (*ext.AdminAccount, error) {
	if err != nil {
		return nil, err
	}
	return new(adminAccount(u)), nil
}

// AdminCreateAccount implements adminCreateAccount.
func (h *handler) AdminCreateAccount(ctx context.Context, r *ext.AdminCreateAccountReq) (*ext.AdminAccount, error) {
	return account(h.app.Operating.CreateAccount(ctx, operator(ctx), accounts.CreateUserInput{Slug: r.Slug.Or(""), Name: r.Name, Email: r.Email,
		Password: r.Password.Or(""), Tier: domain.Tier(r.Tier.Or(""))}))
}

// AdminGetAccount implements adminGetAccount.
func (h *handler) AdminGetAccount(ctx context.Context, p ext.AdminGetAccountParams) (*ext.AdminAccountDetails, error) {
	ref := domain.ParseRef(p.ID)
	d, err := h.app.Operating.AccountDetails(ctx, operator(ctx), ref)
	if err != nil {
		return nil, err
	}
	_, preview, err := h.app.Operating.PreviewDeletion(ctx, operator(ctx), ref)
	if err != nil {
		return nil, err
	}
	return &ext.AdminAccountDetails{Account: adminAccount(d.User), LastSeenAt: instant(d.LastSeen), HasPassword: d.HasPassword, Passkeys: int64(d.Passkeys),
		RecoveryCodes: int64(d.RecoveryCodes), Identities: int64(len(d.Identities)), Sessions: int64(d.Sessions), Tokens: int64(d.Tokens), Applications: int64(d.Applications),
		Blocks: d.Blocks, Channels: d.Channels(), StoredBytes: d.Usage.Total, QuotaBytes: d.Quota.Total, Deletion: adminDeletion(preview)}, nil
}

func adminDeletion(f accounts.DeletionPreview) ext.AdminDeletion {
	slugs := func(groups []domain.Group) []string {
		all := make([]string, len(groups))
		for i, g := range groups {
			all[i] = g.Slug
		}
		return all
	}
	return ext.AdminDeletion{Channels: f.Channels, Blocks: f.Blocks, SharedBlocks: f.SharedBlocks, Comments: f.Comments,
		GroupsHandedOver: slugs(f.GroupsHanded), GroupsDeleted: slugs(f.GroupsDeleted), Possible: !f.OnlyOperator}
}

// AdminUpdateAccount implements adminUpdateAccount.
func (h *handler) AdminUpdateAccount(ctx context.Context, r *ext.AdminUpdateAccountReq, p ext.AdminUpdateAccountParams) (*ext.AdminAccount, error) {
	u, err := h.app.Operating.Account(ctx, operator(ctx), domain.ParseRef(p.ID))
	if err != nil {
		return nil, err
	}
	return account(h.app.Operating.SetAccount(ctx, httpedge.Actor(ctx), u.ID, operating.AccountChange{Tier: given(domain.Tier(r.Tier.Value), r.Tier.Set),
		Suspended: given(r.Suspended.Value, r.Suspended.Set), Hide: r.Hide.Or(false), Office: given(domain.Office(r.Role.Value), r.Role.Set)}))
}

// AdminDeleteAccount implements adminDeleteAccount.
func (h *handler) AdminDeleteAccount(ctx context.Context, p ext.AdminDeleteAccountParams) (*ext.Receipt, error) {
	u, err := h.app.Operating.DeleteAccountOf(ctx, operator(ctx), domain.ParseRef(p.ID), p.Slug)
	if err != nil {
		return nil, err
	}
	r, err := h.app.Accounts.ErasureReceipt(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	return new(showReceipt(r)), nil
}

// AdminStartExport implements adminStartExport.
func (h *handler) AdminStartExport(ctx context.Context, p ext.AdminStartExportParams) error {
	_, err := h.app.Transfer.StartExportFor(ctx, httpedge.Actor(ctx), domain.ParseRef(p.ID))
	return err
}

// AdminListReceipts implements adminListReceipts.
func (h *handler) AdminListReceipts(ctx context.Context, p ext.AdminListReceiptsParams) (*ext.AdminReceiptList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Operating.Receipts(ctx, operator(ctx), domain.DataReceiptID(at.at), at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminReceiptList{}
	out.Data, out.NextCursor = listed(all, at, func(r domain.DataReceipt) string { return numbered(r.ID) }, func(r domain.DataReceipt) ext.AdminReceipt {
		return ext.AdminReceipt{ID: int64(r.ID), AccountID: int64(r.UserID), Receipt: showReceipt(r)}
	})
	return out, nil
}

// AdminSetEmail implements adminSetEmail.
func (h *handler) AdminSetEmail(ctx context.Context, r *ext.AdminSetEmailReq, p ext.AdminSetEmailParams) (*ext.AdminAccount, error) {
	return account(h.app.Operating.SetEmail(ctx, operator(ctx), domain.ParseRef(p.ID), r.Email))
}

// AdminSetPassword implements adminSetPassword.
func (h *handler) AdminSetPassword(ctx context.Context, r *ext.AdminSetPasswordReq, p ext.AdminSetPasswordParams) (*ext.AdminAccount, error) {
	return account(h.app.Operating.SetPassword(ctx, operator(ctx), domain.ParseRef(p.ID), r.Password))
}

// AdminResetPassword implements adminResetPassword.
func (h *handler) AdminResetPassword(ctx context.Context, r *ext.AdminResetPasswordReq, p ext.AdminResetPasswordParams) (*ext.AdminAddress, error) {
	_, address, err := h.app.Operating.SendReset(ctx, operator(ctx), domain.ParseRef(p.ID), r.Mail)
	if err != nil {
		return nil, err
	}
	return &ext.AdminAddress{Address: nonEmpty(address)}, nil
}

// AdminSignOut implements adminSignOut.
func (h *handler) AdminSignOut(ctx context.Context, r *ext.AdminSignOutReq, p ext.AdminSignOutParams) (*ext.AdminAccount, error) {
	return account(h.app.Operating.SignOutAccount(ctx, operator(ctx), domain.ParseRef(p.ID), r.Tokens))
}

// AdminRemoveSecondFactor implements adminRemoveSecondFactor.
func (h *handler) AdminRemoveSecondFactor(ctx context.Context, p ext.AdminRemoveSecondFactorParams) error {
	_, err := h.app.Operating.RemoveSecondFactor(ctx, operator(ctx), domain.ParseRef(p.ID))
	return err
}

// AdminListTokens implements adminListTokens.
func (h *handler) AdminListTokens(ctx context.Context, p ext.AdminListTokensParams) (*ext.AdminTokenList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Operating.TokensOf(ctx, operator(ctx), domain.ParseRef(p.ID), domain.TokenID(at.at), at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminTokenList{}
	out.Data, out.NextCursor = listed(all, at, func(t domain.Token) string { return numbered(t.ID) }, func(t domain.Token) ext.AdminToken {
		return ext.AdminToken{ID: int64(t.ID), Name: t.Name, Hint: t.Hint, Scope: t.Limits.ScopeText(t.Scope), CreatedAt: moment(t.CreatedAt),
			ExpiresAt: instant(t.ExpiresAt), LastUsedAt: instant(t.LastUsedAt), RevokedAt: instant(t.RevokedAt)}
	})
	return out, nil
}

// AdminRevokeToken implements adminRevokeToken.
func (h *handler) AdminRevokeToken(ctx context.Context, p ext.AdminRevokeTokenParams) error {
	return h.app.Operating.RevokeToken(ctx, operator(ctx), domain.TokenID(p.ID))
}

// AdminListStorage implements adminListStorage.
func (h *handler) AdminListStorage(ctx context.Context, p ext.AdminListStorageParams) (*ext.AdminStorageList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Operating.UsageOfAll(ctx, operator(ctx), domain.UserID(at.at), at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminStorageList{}
	out.Data, out.NextCursor = listed(all, at, func(s operating.StoredBy) string { return numbered(s.ID) }, func(s operating.StoredBy) ext.AdminStorage {
		return ext.AdminStorage{ID: int64(s.ID), Slug: s.Slug, StoredBytes: s.Usage.Total, QuotaBytes: s.Quota.Total, Blocks: s.Blocks}
	})
	return out, nil
}

// AdminListInvitations implements adminListInvitations.
func (h *handler) AdminListInvitations(ctx context.Context, p ext.AdminListInvitationsParams) (*ext.AdminLinkList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Operating.InvitationsBelow(ctx, operator(ctx), domain.SignUpLinkID(at.at), at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminLinkList{}
	out.Data, out.NextCursor = listed(all, at, func(l operating.SignUpLinkView) string { return numbered(l.ID) }, adminLink)
	return out, nil
}

func adminLink(l operating.SignUpLinkView) ext.AdminLink {
	out := ext.AdminLink{ID: int64(l.ID), Email: nonEmpty(l.Email), Name: nonEmpty(l.Name), Slug: nonEmpty(l.Slug), Note: nonEmpty(l.Note), Group: nonEmpty(""),
		Places: l.Places, Taken: l.Taken, Live: l.Live, UsedBy: []string{}, Address: nonEmpty(""), CreatedAt: moment(l.CreatedAt), ExpiresAt: moment(l.ExpiresAt)}
	if l.Group != nil {
		out.Group = nonEmpty(l.Group.Slug)
	}
	for _, p := range l.Came {
		out.UsedBy = append(out.UsedBy, p.Slug)
	}
	return out
}

// AdminInvite implements adminInvite.
func (h *handler) AdminInvite(ctx context.Context, r *ext.AdminInviteReq) (*ext.AdminInvited, error) {
	got, err := h.app.Operating.InvitePerson(ctx, operator(ctx), operating.PersonInput{Email: r.Email, Name: r.Name.Or(""), Slug: r.Slug.Or(""), Group: r.Group.Or(""),
		Days: r.Days.Or(0), Mail: r.Mail, Again: r.Again.Or(false)})
	if err != nil {
		return nil, err
	}
	return &ext.AdminInvited{Outcome: ext.AdminInvitedOutcome(got.Outcome), Account: nonEmpty(got.Account), InvitationID: nilID(got.Link.ID), Address: nonEmpty(got.Address)}, nil
}

// AdminEndInvitation implements adminEndInvitation.
func (h *handler) AdminEndInvitation(ctx context.Context, p ext.AdminEndInvitationParams) error {
	return h.app.Operating.EndSignUpLink(ctx, operator(ctx), domain.SignUpLinkID(p.ID))
}

// AdminListSignUpLinks implements adminListSignUpLinks.
func (h *handler) AdminListSignUpLinks(ctx context.Context) (*ext.AdminLinkList, error) {
	all, err := h.app.Operating.SignUpLinks(ctx, operator(ctx))
	if err != nil {
		return nil, err
	}
	out := &ext.AdminLinkList{}
	out.Data, out.NextCursor = listed(all, place{limit: len(all)}, nil, adminLink)
	return out, nil
}

// AdminCreateSignUpLink implements adminCreateSignUpLink.
func (h *handler) AdminCreateSignUpLink(ctx context.Context, r *ext.AdminCreateSignUpLinkReq) (*ext.AdminLink, error) {
	token, l, err := h.app.Operating.CreateSignUpLink(ctx, operator(ctx), operating.SignUpLinkInput{Note: r.Note.Or(""), Places: r.Places, Days: r.Days.Or(0),
		Group: r.Group.Or(""), Vouched: r.Vouched.Or(false)})
	if err != nil {
		return nil, err
	}
	out := adminLink(operating.SignUpLinkView{SignUpLink: l, Live: true})
	out.Address = nonEmpty(h.app.Operating.SignUpAddress(token))
	return &out, nil
}

// AdminEndSignUpLink implements adminEndSignUpLink.
func (h *handler) AdminEndSignUpLink(ctx context.Context, p ext.AdminEndSignUpLinkParams) error {
	return h.app.Operating.EndSignUpLink(ctx, operator(ctx), domain.SignUpLinkID(p.ID))
}

// AdminListApplications implements adminListApplications.
func (h *handler) AdminListApplications(ctx context.Context, p ext.AdminListApplicationsParams) (*ext.AdminApplicationList, error) {
	at, err := placeOf(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	all, err := h.app.Operating.Applications(ctx, operator(ctx), domain.ApplicationID(at.at), at.limit+1)
	if err != nil {
		return nil, err
	}
	out := &ext.AdminApplicationList{}
	out.Data, out.NextCursor = listed(all, at, func(a domain.Application) string { return numbered(a.ID) }, adminApplication)
	return out, nil
}

func adminApplication(a domain.Application) ext.AdminApplication {
	addresses := a.RedirectURIs
	if addresses == nil {
		addresses = []string{}
	}
	return ext.AdminApplication{ID: int64(a.ID), ClientID: a.ClientID, ClientSecret: nonEmpty(""), Name: a.Name, Owner: nonEmpty(a.Owner), RedirectUris: addresses,
		Public: a.Public, CreatedAt: moment(a.CreatedAt)}
}

// AdminCreateApplication implements adminCreateApplication.
func (h *handler) AdminCreateApplication(ctx context.Context, r *ext.AdminCreateApplicationReq) (*ext.AdminApplication, error) {
	secret, app, err := h.app.Operating.CreateApplication(ctx, operator(ctx), domain.ParseRef(r.Account), accounts.ApplicationInput{Name: r.Name,
		RedirectURIs: r.RedirectUris, Public: r.Public.Or(false), ForV2: r.Version2.Or(false), Expiring: r.Expiring.Or(false)})
	if err != nil {
		return nil, err
	}
	out := adminApplication(app)
	out.ClientSecret = nonEmpty(secret)
	return &out, nil
}

// AdminDeleteApplication implements adminDeleteApplication.
func (h *handler) AdminDeleteApplication(ctx context.Context, p ext.AdminDeleteApplicationParams) error {
	return h.app.Operating.EndApplication(ctx, operator(ctx), p.ClientID)
}
