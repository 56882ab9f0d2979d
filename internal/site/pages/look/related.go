package look

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// maxRelated is how many channels of each kind are listed as related to a channel.
const maxRelated = 6

// relatedView is a channel with the lists of other channels. They cost more than the channel's own page, which therefore
// loads them from here when the reader reaches them.
type relatedView struct {
	Channel present.Channel
	In      web.Cells // channels that contain it
	Shared  web.Cells // channels that have items in common with it
}

// relatedPage lists the channels that are related to a channel.
func relatedPage(v *web.Visit) error {
	c, moved, err := findChannel(v, v.Actor())
	if moved || err != nil {
		return err
	}
	ctx, ref := v.R.Context(), domain.Ref{ID: int64(c.ID)}
	in, err := v.App().Collections.ChannelConnections(ctx, v.Actor(), ref,
		collections.ItemChannelsInput{Ownership: domain.AnyOwner, Desc: true, Page: domain.Page{Number: 1, Per: maxRelated}})
	if err != nil {
		return err
	}
	related, err := v.App().Collections.RelatedChannels(ctx, v.Actor(), ref, maxRelated)
	if err != nil {
		return err
	}
	shared := make([]domain.Channel, len(related))
	for i := range related {
		shared[i] = related[i].Channel
	}
	shown := relatedView{Channel: v.Addresses().Channel(&c.Channel), In: channelCells(v, in.Items), Shared: channelCells(v, shared)}
	if err := v.Cover(&shown.In, &shown.Shared); err != nil {
		return err
	}
	v.Wide = true
	if v.Fresh(pageTags.Channel(v.Actor(), c.Channel, nil), shown.In.Tag(), shown.Shared.Tag()) {
		return nil
	}
	return v.Page("related", v.T("look.related.of", c.Title), nil, shown)
}
