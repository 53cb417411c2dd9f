-- What a database as a whole is marked as: `sandbox` allows a server to serve it as one, and to reset it.
CREATE TABLE database_marks (
    mark TEXT NOT NULL PRIMARY KEY
) WITHOUT ROWID;
