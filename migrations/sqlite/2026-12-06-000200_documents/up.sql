-- Documents and profile images of workers, without their bytes.
CREATE TABLE documents (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT,
    document_category_id TEXT,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (company_id, worker_id, document_id)
) WITHOUT ROWID;
CREATE INDEX documents_of_category ON documents (company_id, document_category_id);
-- The bytes of documents and profile images, in chunks.
CREATE TABLE blobs (
    company_id TEXT NOT NULL,
    blob_id TEXT NOT NULL,
    chunk BIGINT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (company_id, blob_id, chunk)
);
-- Blobs without a document, because the upload is not complete or the document was deleted. `since` is the
-- start of the upload or the instant of the deletion.
CREATE TABLE unused_blobs (
    company_id TEXT NOT NULL,
    blob_id TEXT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (company_id, blob_id)
) WITHOUT ROWID;
CREATE INDEX unused_blobs_since ON unused_blobs (since);
