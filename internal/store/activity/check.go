package activity

import "vitrine/internal/store/sqlx"

// Checks recompute the values derived from followings and notifications.
var Checks = []sqlx.Check{
	{What: "inboxes.unread", Query: `SELECT id, stored, actual FROM (SELECT i.user_id AS id, i.unread AS stored, (
		SELECT count(*) FROM notifications n WHERE n.user_id = i.user_id AND n.read_at IS NULL
			AND n.activity_id > i.read_upto) AS actual FROM inboxes i) AS d WHERE stored <> actual`},
	{What: "notifications without an inbox", Query: `SELECT n.user_id, count(*), 0 FROM notifications n
		WHERE NOT EXISTS (SELECT 1 FROM inboxes i WHERE i.user_id = n.user_id) GROUP BY n.user_id`},
	{What: "notifications to the actor", Query: `SELECT a.id, 1, 0 FROM notifications n JOIN activities a
		ON a.id = n.activity_id AND a.actor_id = n.user_id`},
	{What: "feed_sources.followers", Query: `SELECT id, stored, actual FROM (SELECT s.source_id AS id, s.followers AS stored, (
		SELECT count(*) FROM follows f WHERE f.followed_type = s.source_type AND f.followed_id = s.source_id) AS actual
		FROM feed_sources s) AS d WHERE stored <> actual`},
	{What: "follows without their source", Query: `SELECT f.id, 1, 0 FROM follows f WHERE NOT EXISTS (
		SELECT 1 FROM feed_sources s WHERE s.source_type = f.followed_type AND s.source_id = f.followed_id)`},
	{What: "follower_ranks.followings", Query: `SELECT followed_id, stored, actual FROM (
		SELECT r.followed_id, r.followings AS stored, (SELECT count(*) FROM follows f WHERE f.followed_type = r.followed_type
			AND f.followed_id = r.followed_id AND f.id >= r.first_follow AND f.id < r.below) AS actual
		FROM (SELECT followed_type, followed_id, first_follow, followings, COALESCE(lead(first_follow) OVER (
			PARTITION BY followed_type, followed_id ORDER BY first_follow), 9223372036854775807) AS below
			FROM follower_ranks) AS r) AS d WHERE stored <> actual`},
	{What: "follower_ranks: followers that are not counted", Query: `SELECT id, stored, actual FROM (
		SELECT s.source_id AS id, s.followers AS actual, (SELECT CAST(COALESCE(sum(r.followings), 0) AS BIGINT) FROM follower_ranks r
			WHERE r.followed_type = s.source_type AND r.followed_id = s.source_id) AS stored
		FROM feed_sources s) AS d WHERE stored <> actual`},
}
