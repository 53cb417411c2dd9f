//! Template files with the common columns and a fictitious example row.

use super::columns::RowKind;

impl RowKind {
    /// Returns the template: a header and one row.
    #[must_use]
    pub const fn csv_template(self) -> &'static str {
        match self {
            Self::Workers => {
                "workerId,employeeId,workerType,exemptionType,name.givenName,name.familyName,hireDate,\
                 currentStatus.statusType,currentStatus.effectiveDate,homeAddress.streetLineOne,homeAddress.city,\
                 homeAddress.countrySubdivisionCode,homeAddress.postalCode,homeAddress.countryCode,workEmail.uri\n\
                 EXAMPLE-W1,1001,EMPLOYEE,NON_EXEMPT,Sample,Worker,2026-01-01,ACTIVE,2026-01-01,1 Sample Street,\
                 ALBANY,NY,12207,US,sample.worker@example.org\n"
            }
            Self::Checks => {
                "workerId,check,section,componentId,payHours,payAmount\nEXAMPLE-W1,,earnings,hourly,40,\n"
            }
            Self::Rates => {
                "workerId,rateNumber,rateType,amount,default,startDate\n\
                 EXAMPLE-W1,RATE_1,HOURLY_RATE,21.50,true,2026-01-01\n"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ColumnMap, FileFaults, header, text};
    use super::*;

    #[test]
    fn a_template_has_known_columns_and_a_matching_row() {
        for kind in RowKind::ALL {
            let mut faults = FileFaults::default();
            let records = text::parse_records(kind.csv_template(), &mut faults);
            let [head, row] = records.as_slice() else { panic!("{records:?}") };
            let header = header::CsvHeader::read(head, kind, &ColumnMap::default(), &mut faults).unwrap();
            assert_eq!((row.count, header.used_columns().count()), (head.count, head.count));
            assert!(faults.is_empty());
        }
    }

    #[test]
    fn a_map_names_columns_and_ignores_the_others() {
        let map = |columns: [(&str, &str); 2]| {
            let columns = columns.map(|(name, target)| (name.to_owned(), target.to_owned()));
            ColumnMap::new(columns.into(), RowKind::Workers)
        };
        let good = map([("Emp No", "workerId"), ("Notes", "")]).unwrap();
        let reported = |head: &str| {
            let mut faults = FileFaults::default();
            let records = text::parse_records(head, &mut faults);
            let header = header::CsvHeader::read(&records[0], RowKind::Workers, &good, &mut faults);
            (
                header.map(|it| {
                    it.used_columns().map(|(at, name, _)| (at, name.to_owned())).collect::<Vec<_>>()
                }),
                faults.sorted_faults().into_iter().map(ToString::to_string).collect::<Vec<_>>(),
            )
        };
        assert_eq!(reported("Notes,Emp No").0, Some(vec![(1, "Emp No".to_owned())]));
        let expected = "line 1, column workerId: columns 2 and 3 are both workerId";
        assert_eq!(reported("Notes,Emp No,workerId").1, [expected]);
        assert_eq!(
            reported("Emp No").1,
            ["line 1: the map names a column \"Notes\" that the header does not have"]
        );
        let unknown = map([("Emp No", "employeeid"), ("Notes", "")]).unwrap_err();
        assert_eq!((unknown.name.as_str(), unknown.target.as_str()), ("Emp No", "employeeid"));
        assert!(unknown.known_columns.contains("employeeId"), "{unknown:?}");
    }
}
