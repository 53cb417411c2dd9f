//! Generates companies of any number and size, to test lists and programs with many objects. The same seed
//! generates the same companies. Companies are generated one at a time, so that memory use does not grow with
//! their number.

use std::io::{self, BufRead, Cursor, Read};
use std::ops::Range;

use payroll_domain::date::Date;
use serde_json::{Value, json};

use super::date_plus_days;

/// The maximum number of companies. With some workers each, an embedded database stores them within minutes.
pub const MAX_COMPANIES: u32 = 10_000;
/// The maximum number of workers of a company. An import reads the complete line of a company into memory.
pub const MAX_WORKERS: u32 = 10_000;
/// The maximum number of workers of all companies. This many workers use some gigabytes in the database.
pub const MAX_TOTAL_WORKERS: u64 = 1_000_000;

/// Given names that no real person has.
const GIVEN_NAMES: [&str; 8] =
    ["Sample", "Specimen", "Example", "Demo", "Trial", "Mock", "Placeholder", "Fixture"];
/// Family names that are names of trees. A number after the name distinguishes the workers.
const FAMILY_NAMES: [&str; 12] = [
    "Alder", "Aspen", "Birch", "Cedar", "Elder", "Hazel", "Juniper", "Larch", "Linden", "Maple", "Rowan",
    "Willow",
];
/// The trades, such as a bakery, in the names of generated companies.
const TRADES: [&str; 8] = ["Bakery", "Brewery", "Dairy", "Farm", "Foundry", "Laundry", "Mill", "Orchard"];
/// The pay components of each company: the end of the id, the name, the classification and the effect on pay.
const COMPONENTS: [(&str, &str, &str, &str); 4] = [
    ("HOURLY", "Hourly", "REGULAR", "ADDITION"),
    ("BONUS", "Bonus", "SUPPLEMENTAL", "ADDITION"),
    ("TIPS", "Tips", "TIPS", "ADDITION_WITH_IN_OUT"),
    ("DUES", "Union dues", "UNION_DUES", "REDUCTION"),
];
/// The number of days in a pay period.
const PERIOD_DAYS: i32 = 14;
/// The number of days from the end of a pay period to its check date.
const CHECK_DATE_DAYS: i32 = 5;

/// The seed and the size of the generated data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratedPopulation {
    /// The seed of all generated values.
    pub seed: u64,
    /// The number of companies to generate.
    pub companies: u32,
    /// The number of workers in each company.
    pub workers: u32,
}

impl GeneratedPopulation {
    /// Returns the id of the company with this number, counted from 0.
    #[must_use]
    pub fn company_id(&self, number: u32) -> String {
        format!("MADE-{}-{:05}", self.seed, number + 1)
    }

    /// Returns the companies as the lines of an import file, with dates relative to `today`.
    ///
    /// ```
    /// use payroll_domain::date::parse_date;
    /// use payroll_server::demo_data::GeneratedPopulation;
    /// use std::io::Read;
    /// let population = GeneratedPopulation { seed: 42, companies: 2, workers: 3 };
    /// let mut text = String::new();
    /// population.lines(parse_date("2031-01-05")?).read_to_string(&mut text)?;
    /// assert_eq!(text.lines().count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn lines(self, today: Date) -> GeneratedLines {
        GeneratedLines {
            population: self,
            today,
            remaining: 0..self.companies,
            line: Cursor::new(Vec::new()),
        }
    }

    /// Returns a company with all its objects.
    fn build_company(&self, number: u32, today: Date) -> Value {
        let id = self.company_id(number);
        let mut chance = SeededRandom::new(self.seed, number);
        let day = |days: i32| date_plus_days(today, days).unwrap_or_else(|| today.to_string());
        let trade = chance.random_element(&TRADES);
        let components = COMPONENTS.map(|(name, words, classification, effect)| {
            json!({
                "componentId": format!("{id}-{name}"), "name": words, "classificationType": classification,
                "effectOnPay": effect,
            })
        });
        let periods = [("1", -PERIOD_DAYS), ("2", 0), ("3", PERIOD_DAYS)].map(|(name, begins)| {
            let end = begins + PERIOD_DAYS - 1;
            json!({
                "payPeriodId": format!("{id}-P{name}"), "intervalCode": "BI_WEEKLY", "status": "INITIAL",
                "startDate": day(begins), "endDate": day(end), "checkDate": day(end + CHECK_DATE_DAYS),
            })
        });
        let workers: Vec<_> = (1..=self.workers).map(|at| build_worker(&id, at, &mut chance, &day)).collect();
        json!({
            "companyId": id,
            "displayId": format!("{:08}", number + 1),
            "legalName": format!("Example {trade} {} LLC", number + 1),
            "products": [{"productCode": "PAYROLL", "startDate": day(-3_650)}],
            "payComponents": components,
            "payPeriods": periods,
            "workers": workers,
        })
    }
}

/// Returns the worker with this number, counted from 1.
fn build_worker(
    company_id: &str,
    number: u32,
    chance: &mut SeededRandom,
    day: &impl Fn(i32) -> String,
) -> Value {
    let id = format!("{company_id}-W{number:05}");
    let hired = -1 - chance.random_below(3_000);
    let status = ["ACTIVE", "ACTIVE", "ACTIVE", "ACTIVE", "INACTIVE", "TERMINATED"];
    let since = hired + chance.random_below(-hired);
    let dollars = 15 + chance.random_below(30);
    json!({
        "workerId": id,
        "employeeId": format!("{:05}", 10_000 + number),
        "workerType": "EMPLOYEE",
        "exemptionType": "NON_EXEMPT",
        "hireDate": day(hired),
        "name": {
            "givenName": chance.random_element(&GIVEN_NAMES),
            "familyName": format!("{} {number}", chance.random_element(&FAMILY_NAMES)),
        },
        "currentStatus": {
            "workerStatusId": format!("{id}-S"), "statusType": chance.random_element(&status), "effectiveDate": day(since),
        },
        "payRates": [{
            "rateId": format!("{id}-R"), "rateNumber": "RATE_1", "rateType": "HOURLY_RATE",
            "amount": format!("{dollars}.00"), "default": true, "startDate": day(hired),
        }],
    })
}

/// An import file that is generated while it is read.
#[derive(Debug)]
pub struct GeneratedLines {
    population: GeneratedPopulation,
    today: Date,
    remaining: Range<u32>,
    line: Cursor<Vec<u8>>,
}

impl BufRead for GeneratedLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let is_read = self.line.fill_buf()?.is_empty();
        if let Some(number) = is_read.then(|| self.remaining.next()).flatten() {
            let mut line = self.population.build_company(number, self.today).to_string().into_bytes();
            line.push(b'\n');
            self.line = Cursor::new(line);
        }
        self.line.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.line.consume(amount);
    }
}

impl Read for GeneratedLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

/// A pseudorandom generator with a seed: `SplitMix64`, which returns the same numbers on every machine.
struct SeededRandom(u64);

impl SeededRandom {
    /// Creates the generator for one company, which depends on the company's number. The first companies
    /// therefore stay the same if more companies are requested.
    fn new(seed: u64, number: u32) -> Self {
        let mut own = Self(seed ^ (u64::from(number) + 1).wrapping_mul(0xD134_2543_DE82_EF95));
        own.next();
        own
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `end`, exclusive. `end` must be positive.
    fn random_below(&mut self, end: i32) -> i32 {
        let end = u64::try_from(end).unwrap_or(1).max(1);
        i32::try_from(self.next() % end).unwrap_or(0)
    }

    fn random_element<'a>(&mut self, all: &[&'a str]) -> &'a str {
        let at = self.next() % u64::try_from(all.len()).unwrap_or(1).max(1);
        usize::try_from(at).ok().and_then(|at| all.get(at)).copied().unwrap_or_default()
    }
}
