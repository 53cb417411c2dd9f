DROP TABLE direct_deposits;
