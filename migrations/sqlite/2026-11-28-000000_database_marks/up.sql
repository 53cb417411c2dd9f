-- Marks of the database. Only a database with the mark `sandbox` can be served as a sandbox and be reset.
CREATE TABLE database_marks (
    mark TEXT NOT NULL PRIMARY KEY
) WITHOUT ROWID;
