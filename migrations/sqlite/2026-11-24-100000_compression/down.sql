-- SQLite has no compression. This statement does nothing, so that both databases have the same schema
-- versions.
SELECT 1;
