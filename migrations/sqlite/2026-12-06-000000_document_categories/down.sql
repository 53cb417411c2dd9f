DROP TABLE users;
DROP TABLE document_categories;
