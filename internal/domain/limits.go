package domain

// Limits of input from the API, the website and the command line. Limits in the API descriptions
// must be equal: api/limits_test.go compares them, and must list every limit here.
const (
	MaxTitle           = 255     // characters of a title or of the name of a user, group or application
	MaxDescription     = 20_000  // characters of a description or a user's bio
	MaxMarkdown        = 200_000 // characters of the value that a block is created from
	MaxComment         = 10_000  // characters
	MaxAnnouncement    = 2_000   // characters of an operator's announcement
	MaxReadOnlyReason  = 500     // characters of why a site is read-only
	MaxAltText         = 2_000   // characters
	MaxURL             = 4_096   // bytes
	MaxSourceURL       = 2_048   // characters of a block's source URL
	MaxEmail           = 254     // bytes (RFC 5321)
	MaxSearchQuery     = 4_096   // characters
	MaxSavedQuery      = 1_000   // characters of a saved search
	MaxQuote           = 2_000   // characters of a highlighted passage
	MaxNote            = 5_000   // characters of the note about one
	MaxInvitationToken = 200     // characters
	MaxFilename        = 255     // characters
	MinContentType     = 3       // characters: a type, "/" and a subtype
	MaxContentType     = 255     // characters
	MaxSlugLength      = 100     // characters
	MaxOnceKey         = 200     // characters of an idempotency key of a form
	MaxAuditLabel      = 255     // characters of a name in the audit log
	MaxReportText      = 2_000   // characters of a report, or of the decision about it

	MaxTargets         = 20     // channels in one request
	MaxBatch           = 50     // blocks in one batch
	MaxUploads         = 50     // files in one request for upload URLs
	MaxCollaborators   = 100    // collaborators in one request
	MaxOrdered         = 10_000 // items to arrange at once
	MaxRemoved         = 100    // connections to remove at once
	MaxPerPage         = 100    // items of a page of a list or feed
	MaxMentions        = 50     // users that one comment links and notifies
	MaxApplications    = 100    // live ones per user
	MaxOwnTokens       = 100    // live personal access tokens per user
	MaxPasskeys        = 20     // per user
	MaxSignUpLinks     = 200    // usable ones at a time, except those for one address
	MaxPlaces          = 1_000  // people per sign-up link
	MaxLinkDays        = 365    // days until a sign-up link expires
	MaxPeople          = 2_000  // people to invite from one file
	MaxLegalPages      = 20     // per site
	MaxPins            = 24     // pinned channels per user
	MaxFeatured        = 12     // channels on the start page of a site
	MaxExports         = 3      // per user
	MaxImportWhat      = 100    // channels, users and groups per import
	MaxImportName      = 200    // characters of each of them
	MaxImportToken     = 4_096  // characters of another server's token
	MaxImportChannels  = 5_000  // per import
	MaxRefusedNoted    = 1_000  // failed sign-ins per hour in the audit log
	MaxSavedSearches   = 100    // per user
	MaxBlockHighlights = 200    // per user and block
	MaxSelectors       = 10     // of one highlight in a request
	MaxHighlights      = 5_000  // per user
	MaxPositions       = 500    // remembered positions in texts per user; older ones are forgotten
	MaxUnread          = 1_000  // notifications per user; older ones count as read
	MaxSnapshots       = 50     // saved copies per block
	MaxChangesWait     = 30     // seconds that a request waits for a change
	MaxChangesCursor   = 100    // bytes
	MaxBulk            = 100    // operations of a bulk request
	MaxWebhooks        = 20     // per user
	MaxWebhookEvents   = 100    // types of events that a webhook selects
	MaxWebhookTests    = 20     // test events and repeated deliveries that wait, per webhook

	MaxConditions          = 32    // on metadata in one search
	MaxCondition           = 2_048 // characters of one
	MaxMetadataKeys        = 50
	MaxMetadataBytes       = 32 * 1024 // of canonical JSON
	MaxMetadataKeyLength   = 40        // characters
	MaxMetadataValueLength = 2_000     // characters of a string

	MinPassword      = 8         // bytes
	MaxPassword      = 200       // bytes
	MaxPasskeyName   = 100       // characters
	MaxPasskeyAnswer = 16 * 1024 // bytes of a browser's response for a passkey
	MaxRedirectURIs  = 10        // per application
	MaxRedirectURI   = 2_000     // bytes
	MaxClientID      = 200       // bytes
	MaxState         = 4_096     // bytes of the state parameter of an authorization
)
