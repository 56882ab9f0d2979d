package v3

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/v3"
)

// GetMyNotifications implements getMyNotifications.
func (h *handler) GetMyNotifications(ctx context.Context, p v3.GetMyNotificationsParams) (*v3.NotificationListResponse, error) {
	who, in := httpedge.Actor(ctx), cursorInput(p.Limit, p.Next, p.Prev)
	page, err := h.app.People.Notifications(ctx, who, p.Unread.Or(false), in)
	if err != nil {
		return nil, err
	}
	w := &v3.NotificationListResponse{Data: make([]v3.Notification, len(page.Items)),
		Meta: cursorMeta(in, page.Next, page.Prev, page.More)}
	for i, n := range page.Items {
		w.Data[i] = h.notification(who, n)
	}
	return w, nil
}

// MarkAllMyNotificationsRead implements markAllMyNotificationsRead.
func (h *handler) MarkAllMyNotificationsRead(ctx context.Context) (*v3.NotificationsReadAllResponse, error) {
	unread, err := h.app.People.ReadAllNotifications(ctx, httpedge.Actor(ctx))
	if err != nil {
		return nil, err
	}
	return &v3.NotificationsReadAllResponse{Meta: v3.NotificationReadMeta{Notifications: unread}}, nil
}

// MarkMyNotificationRead implements markMyNotificationRead.
func (h *handler) MarkMyNotificationRead(ctx context.Context, p v3.MarkMyNotificationReadParams) (*v3.NotificationReadResponse, error) {
	who := httpedge.Actor(ctx)
	n, unread, err := h.app.People.ReadNotification(ctx, who, domain.ActivityID(p.ID))
	if err != nil {
		return nil, err
	}
	return &v3.NotificationReadResponse{Data: h.notification(who, n), Meta: v3.NotificationReadMeta{Notifications: unread}}, nil
}
