package domain

// Limits of what is given from outside, by the API, a page or the command line. Where a
// description of the API states one it has the same number: api/limits_test.go holds them
// against each other, and wants every limit here in its table.
const (
	MaxTitle           = 255     // characters of a title or of the name of a person, group or application
	MaxDescription     = 20_000  // characters of a description, or of what people say of themselves
	MaxMarkdown        = 200_000 // characters of what a block is made from
	MaxComment         = 10_000  // characters
	MaxAnnouncement    = 2_000   // characters of what an operator announces on every page
	MaxAltText         = 2_000   // characters
	MaxURL             = 4_096   // bytes
	MaxSourceURL       = 2_048   // characters of the address that a block says it is from
	MaxEmail           = 254     // bytes: RFC 5321 can carry no more
	MaxSearchQuery     = 4_096   // characters
	MaxInvitationToken = 200     // characters
	MaxFilename        = 255     // characters
	MinContentType     = 3       // characters: a type, "/" and a subtype
	MaxContentType     = 255     // characters
	MaxSlugLength      = 100     // characters
	MaxOnceKey         = 200     // characters of the key of a request that is sent again
	MaxAuditLabel      = 255     // characters by which the audit log names a thing
	MaxReportText      = 2_000   // characters of what is said with a report, or with the decision about it

	MaxTargets        = 20     // channels in one request
	MaxBatch          = 50     // blocks in one batch
	MaxUploads        = 50     // files in one request for places to send them to
	MaxCollaborators  = 100    // collaborators named in one request
	MaxOrdered        = 10_000 // items that are put in order at once
	MaxRemoved        = 100    // connections that are taken out of a channel at once
	MaxPerPage        = 100    // items of a page, or of a stretch of a feed
	MaxMentions       = 50     // people that one comment links and notifies
	MaxApplications   = 100    // live ones of a user
	MaxOwnTokens      = 100    // live personal access tokens of a user
	MaxPasskeys       = 20     // of a user
	MaxSignUpLinks    = 200    // that can be used at once, those for one address not counted
	MaxPlaces         = 1_000  // people whom one link lets in
	MaxLinkDays       = 365    // that a link for signing up works
	MaxPeople         = 2_000  // people of one file who are invited
	MaxLegalPages     = 20     // of a site
	MaxPins           = 24     // channels that a user keeps at hand
	MaxExports        = 3      // that a user keeps
	MaxImportWhat     = 100    // channels, users and groups named for one import
	MaxImportName     = 200    // characters of each
	MaxImportToken    = 4_096  // characters of a token for another server
	MaxImportChannels = 5_000  // of one import
	MaxRefusedNoted   = 1_000  // failed sign-ins that the audit log notes in an hour
	MaxUnread         = 1_000  // notifications of a user; older ones count as read

	MaxMetadataKeys        = 50
	MaxMetadataBytes       = 32 * 1024 // of canonical JSON
	MaxMetadataKeyLength   = 40        // characters
	MaxMetadataValueLength = 2_000     // characters of a string

	MinPassword      = 8         // bytes
	MaxPassword      = 200       // bytes
	MaxPasskeyName   = 100       // characters
	MaxPasskeyAnswer = 16 * 1024 // bytes of what a browser answers for a passkey
	MaxRedirectURIs  = 10        // of an application
	MaxRedirectURI   = 2_000     // bytes
	MaxClientID      = 200       // bytes
	MaxState         = 4_096     // bytes that a client has passed through an authorization
)
