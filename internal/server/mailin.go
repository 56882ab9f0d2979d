package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emersion/go-smtp"
	"golang.org/x/net/netutil"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/mailin"
)

// Limits of receiving mails.
const (
	mailInterval    = 10 * time.Second // between readings of a folder
	mailAgain       = 10 * time.Minute // until a file is read again that could not be added
	maxMailClients  = 4                // connections at once, which hold a mail each
	maxMailTo       = 50               // recipients of a mail
	maxMailLine     = 1 << 20          // bytes, longer than RFC 5321 allows
	mailReadTimeout = 5 * time.Minute
)

// mailIn receives the mails for channels by LMTP or from a folder, as --mail-in says.
type mailIn struct {
	s      *Server
	lmtp   *smtp.Server
	cancel context.CancelFunc // ends what LMTP clients are sending
	folder background

	later map[string]time.Time // when to read a file again that could not be added
}

// start starts receiving mails if --mail-in is set.
func (m *mailIn) start() error {
	in := m.s.cfg.MailIn
	if in.Folder == "" && in.Address == "" {
		return nil
	}
	if in.Folder != "" {
		m.folder.start(mailInterval, func(ctx context.Context) bool {
			m.readFolder(ctx)
			return true
		})
		return nil
	}
	l, err := Listen("mail-in", in.Address, m.s.cfg.SocketMode)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	m.lmtp = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &mailSession{m: m, ctx: ctx}, nil }))
	m.lmtp.LMTP, m.lmtp.Domain, m.lmtp.EnableSMTPUTF8 = true, in.Domain, true
	m.lmtp.MaxMessageBytes, m.lmtp.MaxRecipients, m.lmtp.MaxLineLength = mailin.MaxBytes, maxMailTo, maxMailLine
	m.lmtp.ReadTimeout, m.lmtp.WriteTimeout = mailReadTimeout, mailReadTimeout
	m.lmtp.ErrorLog = mailLog{m.s}
	m.s.log.Info("receiving mails by LMTP", "addr", l.Addr().String())
	go m.s.watch(func() error {
		err := m.lmtp.Serve(netutil.LimitListener(l, maxMailClients))
		if errors.Is(err, smtp.ErrServerClosed) {
			return http.ErrServerClosed
		}
		return err
	})
	return nil
}

// end stops receiving mails. It closes all connections, since mail servers keep them open. Mails that were not confirmed are
// sent again later.
func (m *mailIn) end() {
	if m.lmtp != nil {
		_ = m.lmtp.Close()
		m.cancel()
	}
	m.folder.end()
}

// mailLog writes the errors of connections to the log.
type mailLog struct{ s *Server }

// Printf implements smtp.Logger.
func (l mailLog) Printf(format string, v ...any) {
	l.s.log.Warn("cannot receive a mail", "error", fmt.Sprintf(format, v...))
}

// Println implements smtp.Logger.
func (l mailLog) Println(v ...any) { l.s.log.Warn("cannot receive a mail", "error", fmt.Sprint(v...)) }

// token returns the part of an address before the @ if it is at the domain of --mail-in-domain.
func (m *mailIn) token(address string) (string, bool) {
	at := strings.LastIndex(address, "@")
	if at < 0 || !strings.EqualFold(strings.TrimSuffix(address[at+1:], "."), m.s.cfg.MailIn.Domain) {
		return "", false
	}
	return address[:at], true
}

// errAutomatic is returned for bounces, replies of programs and mails of this server, which may answer other mails.
var errAutomatic = domain.NewForbidden("This address does not accept bounces and automatic replies")

// deliver adds a mail to the channel of a token.
func (m *mailIn) deliver(ctx context.Context, token string, mail mailin.Message) error {
	if own, err := netmail.ParseAddress(m.s.cfg.MailFrom); mail.Automatic != "" || err == nil && strings.EqualFold(own.Address, mail.Sender) {
		return errAutomatic
	}
	return m.s.App.Collections.ReceiveMail(ctx, token, collections.MailInput{ID: mail.ID, From: mail.From, Subject: mail.Subject, Date: mail.Date,
		Text: mail.Text, HTML: mail.HTML})
}

// mailSession is an LMTP connection.
type mailSession struct {
	m      *mailIn
	ctx    context.Context
	tokens []string // of the recipients
	to     []string // as the client wrote them
}

// Reset implements smtp.Session.
func (s *mailSession) Reset() { s.tokens, s.to = nil, nil }

// Logout implements smtp.Session.
func (s *mailSession) Logout() error { return nil }

// Mail implements smtp.Session. Bounces have no sender.
func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	if from == "" {
		return mailReply(errAutomatic)
	}
	return nil
}

// Rcpt implements smtp.Session.
func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	token, ok := s.m.token(to)
	if !ok {
		return mailReply(domain.NewNotFound())
	}
	if _, err := s.m.s.App.Collections.Mailbox(s.ctx, token); err != nil {
		return s.reply(err)
	}
	s.tokens, s.to = append(s.tokens, token), append(s.to, to)
	return nil
}

// Data implements smtp.Session. It is not used for LMTP.
func (s *mailSession) Data(io.Reader) error { return mailReply(domain.NewNotFound()) }

// LMTPData implements smtp.LMTPSession.
func (s *mailSession) LMTPData(r io.Reader, status smtp.StatusCollector) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	mail, err := mailin.Read(raw)
	if err != nil {
		return mailReply(unreadable(err))
	}
	for i, token := range s.tokens {
		status.SetStatus(s.to[i], s.reply(s.m.deliver(s.ctx, token, mail)))
	}
	return nil
}

// unreadable returns the error for data that is not a mail.
func unreadable(err error) error {
	return domain.NewInvalid(domain.FieldError{Code: domain.FieldIncorrect, Text: err.Error()})
}

// reply logs an error of this server and returns the reply for it.
func (s *mailSession) reply(err error) error {
	if _, known := errors.AsType[*domain.Error](err); err != nil && !known {
		s.m.s.log.ErrorContext(s.ctx, "cannot receive a mail", "error", err)
	}
	return mailReply(err)
}

// mailReply returns the LMTP reply for an error. Clients try again after those that begin with 4.
func mailReply(err error) error {
	if err == nil {
		return nil
	}
	known, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "The server has failed: try again later"}
	}
	reply := &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: known.Message}
	switch known.Kind {
	case domain.NotFound:
		reply.Code, reply.EnhancedCode, reply.Message = 550, smtp.EnhancedCode{5, 1, 1}, "There is no such address"
	case domain.Forbidden:
		reply.Code, reply.EnhancedCode = 550, smtp.EnhancedCode{5, 7, 1}
	case domain.Invalid:
		reply.Code, reply.EnhancedCode = 554, smtp.EnhancedCode{5, 6, 0}
	case domain.TooMany:
		reply.EnhancedCode = smtp.EnhancedCode{4, 7, 1}
	case domain.Unprocessable: // the quota, which may change
		reply.Code, reply.EnhancedCode = 452, smtp.EnhancedCode{4, 2, 2}
	}
	return reply
}

// readFolder adds the mails in the folder new of a Maildir. It deletes those that were added, moves those that are refused
// to the folder cur, and leaves the others for later.
func (m *mailIn) readFolder(ctx context.Context) {
	folder := filepath.Join(m.s.cfg.MailIn.Folder, "new")
	files, err := os.ReadDir(folder)
	if err != nil {
		m.s.log.WarnContext(ctx, "cannot read the folder of --mail-in", "error", err)
	}
	was, now := m.later, time.Now()
	m.later = map[string]time.Time{}
	for _, f := range files {
		if ctx.Err() != nil {
			return
		}
		if now.Before(was[f.Name()]) {
			m.later[f.Name()] = was[f.Name()]
			continue
		}
		if !f.Type().IsRegular() || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		name := filepath.Join(folder, f.Name())
		err := m.readFile(ctx, name)
		switch {
		case err == nil:
			err = os.Remove(name)
		case refusedForGood(err):
			m.s.log.WarnContext(ctx, "a mail is refused and moved to the folder cur", "file", f.Name(), "error", err)
			err = os.Rename(name, filepath.Join(m.s.cfg.MailIn.Folder, "cur", f.Name()))
		default:
			m.later[f.Name()] = now.Add(mailAgain)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another server may have read it
			m.s.log.WarnContext(ctx, "cannot receive a mail", "file", f.Name(), "error", err)
		}
	}
}

// refusedForGood reports whether the same mail would be refused again.
func refusedForGood(err error) bool {
	kind := domain.KindOf(err)
	return kind == domain.NotFound || kind == domain.Forbidden || kind == domain.Invalid
}

// readFile adds a mail to the channels of its recipients. If several fail, it returns an error after which the mail is read again, if
// there is one.
func (m *mailIn) readFile(ctx context.Context, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(file, mailin.MaxBytes+1))
	_ = file.Close()
	if err != nil {
		return err
	}
	if len(raw) > mailin.MaxBytes {
		return domain.NewInvalid(domain.FieldError{Code: domain.FieldTooLong, Text: "the mail is too large"})
	}
	mail, err := mailin.Read(raw)
	if err != nil {
		return unreadable(err)
	}
	done, failed := map[string]bool{}, error(domain.NewNotFound())
	for _, to := range mail.Recipients {
		token, ok := m.token(to)
		if token = strings.ToLower(token); !ok || done[token] {
			continue
		}
		if len(done) == 0 {
			failed = nil
		}
		done[token] = true
		if err := m.deliver(ctx, token, mail); err != nil && (failed == nil || refusedForGood(failed)) {
			failed = err
		}
	}
	return failed
}
