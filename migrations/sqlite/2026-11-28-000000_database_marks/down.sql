DROP TABLE database_marks;
