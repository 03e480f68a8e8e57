CREATE TABLE runs (
    n INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, at REAL NOT NULL,
    session TEXT NOT NULL, event TEXT NOT NULL, workspace TEXT NOT NULL, verdict TEXT NOT NULL,
    failed INTEGER NOT NULL, object TEXT NOT NULL);
CREATE INDEX runs_at ON runs (at);
CREATE INDEX runs_session ON runs (session, n);
CREATE TABLE hooks (
    n INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, dialect TEXT NOT NULL, at REAL NOT NULL,
    status TEXT NOT NULL, verdict TEXT NOT NULL, ran INTEGER NOT NULL, failed INTEGER NOT NULL,
    duration_ms REAL NOT NULL);
CREATE INDEX hooks_n ON hooks (n);
CREATE INDEX hooks_id ON hooks (id, n);
CREATE TABLE once (session TEXT, hook TEXT, at REAL, PRIMARY KEY (session, hook)) WITHOUT ROWID;
CREATE TABLE answers (
    session TEXT, event TEXT, call TEXT, at REAL, answer TEXT, PRIMARY KEY (session, event, call));
CREATE TABLE stops (session TEXT, agent TEXT, count INTEGER, PRIMARY KEY (session, agent)) WITHOUT ROWID;
-- next
-- a row per hook cost more to write than all the rest: the hooks of a run now stand in its own row, and
-- those that were kept before are seen through the same view until they are too old.
ALTER TABLE runs ADD COLUMN hooks TEXT;
CREATE VIEW hooks_of_runs AS
    SELECT n, id, name, dialect, at, status, verdict, ran, failed, duration_ms FROM hooks
    UNION ALL
    SELECT n, json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'), at,
        json_extract(value, '$[3]'), json_extract(value, '$[4]'), json_extract(value, '$[5]'),
        json_extract(value, '$[6]'), json_extract(value, '$[7]')
    FROM runs, json_each(runs.hooks);
-- next
-- each record is bound to the one before it; those of older versions are not, and the chain begins behind them.
ALTER TABLE runs ADD COLUMN facts TEXT;
ALTER TABLE runs ADD COLUMN previous BLOB;
ALTER TABLE runs ADD COLUMN digest BLOB;
CREATE TABLE anchor (n INTEGER NOT NULL, digest BLOB NOT NULL);
INSERT INTO anchor SELECT coalesce(max(n), 0), zeroblob(32) FROM runs;
