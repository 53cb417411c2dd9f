DROP TABLE unused_blobs;
DROP TABLE blobs;
DROP TABLE documents;
