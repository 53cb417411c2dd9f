-- An embedded database compresses nothing; this keeps the versions of both schemas the same.
SELECT 1;
