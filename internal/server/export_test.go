package server

import "context"

// ReadMails reads the folder of --mail-in once.
func (s *Server) ReadMails(ctx context.Context) { s.mailIn.readFolder(ctx) }
