DROP TABLE assignment_distributions;
