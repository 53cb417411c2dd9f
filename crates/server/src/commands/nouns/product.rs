//! `product …`: the products of a company. Products are part of the company's document, so each change
//! replaces the list of products. The server rejects the change if the company has changed since the command
//! read the company.

use clap::Args;
use futures_util::FutureExt;
use serde_json::{Value, json};

use crate::commands::context::OperatorCommandContext;
use crate::commands::output::text_member;
use crate::commands::table::{
    CommandNoun, CommandRow, CustomCommand, Invocation, TableColumn, column_heads, row_cells,
};
use crate::failure::{Failure, Outcome};
use crate::operator::{MERGE_PATCH, Method, OperatorResponse, Request};
use crate::terminal::{Table, TextTone, replace_control_characters};

const COMPANY_PATH: &str = "companies/{company}";
const PRODUCT_PATH: &str = "companies/{company}/products/{product}";

pub(in crate::commands) const PRODUCT: CommandNoun = CommandNoun {
    name: "product",
    about: "Manage the products of a company",
    extra_help: "A change of a product also changes the version (ETag) of the company.",
    example: "product change EXAMPLE-1 RETIREMENT --end-date 2026-12-31",
    rows: &[&[
        CommandRow::get("list", "List the products of a company", COMPANY_PATH).with_custom_command(
            CustomCommand {
                arguments: |command| command,
                run: |session, call| list_products(session, call).boxed_local(),
            },
        ),
        CommandRow::get("show", "Show the start and end dates of a product of a company", PRODUCT_PATH)
            .with_custom_command(CustomCommand {
                arguments: |command| command,
                run: |session, call| list_products(session, call).boxed_local(),
            }),
        CommandRow::send(Method::Post, "create", "Add a product to a company", PRODUCT_PATH)
            .with_custom_command(CustomCommand {
                arguments: NewProduct::augment_args,
                run: |session, call| create_product(session, call).boxed_local(),
            }),
        CommandRow::send(Method::Patch, "change", "Set the last day of a product", PRODUCT_PATH)
            .with_custom_command(CustomCommand {
                arguments: ProductChange::augment_args,
                run: |session, call| change_product(session, call).boxed_local(),
            }),
        CommandRow {
            needs_confirmation: true,
            ..CommandRow::send(
                Method::Delete,
                "delete",
                "Delete a product with its dates from a company",
                PRODUCT_PATH,
            )
        }
        .with_custom_command(CustomCommand {
            arguments: ProductSelector::augment_args,
            run: |session, call| delete_product(session, call).boxed_local(),
        }),
    ]],
};

const PRODUCT_COLUMNS: &[TableColumn] = &[
    TableColumn::value("PRODUCT", "/productCode"),
    TableColumn::day("START", "/startDate"),
    TableColumn::day("END", "/endDate").with_tone(TextTone::Off),
];

/// The first and the last day of a new product.
#[derive(Debug, Args)]
struct NewProduct {
    /// The first day on which the company has the product, as yyyy-MM-dd.
    #[arg(long, value_name = "DATE")]
    start_date: String,
    /// The last day on which the company has the product. Default: no last day.
    #[arg(long, value_name = "DATE")]
    end_date: Option<String>,
}

/// The arguments of the command that changes the last day of a product.
#[derive(Debug, Args)]
struct ProductChange {
    /// The last day on which the company has the product, as yyyy-MM-dd.
    #[arg(long, value_name = "DATE", required_unless_present = "clear")]
    end_date: Option<String>,
    /// Remove the last day of the product.
    #[arg(long, conflicts_with = "end_date")]
    clear: bool,
    #[command(flatten)]
    which: ProductSelector,
}

/// Selects one of several products with the same code.
#[derive(Debug, Args)]
struct ProductSelector {
    /// The first day of the product, if the company has the product several times.
    #[arg(long, value_name = "DATE")]
    start_date: Option<String>,
}

/// The products of a company, and the response with the products. The server accepts the next change only if
/// the company still has the version of this response.
struct ListedProducts {
    response: OperatorResponse,
    products: Vec<Value>,
}

impl ListedProducts {
    async fn read(session: &OperatorCommandContext<'_>, call: &Invocation) -> Outcome<Self> {
        let response = session.operator.send(Request::get(call.fill_path(COMPANY_PATH))).await?;
        let products = response.single_object()?.get("products").and_then(Value::as_array).cloned();
        Ok(Self { response, products: products.unwrap_or_default() })
    }

    /// Returns the index of the selected product.
    fn find_index(&self, call: &Invocation, selector: &ProductSelector) -> Outcome<usize> {
        let (company, code) =
            (replace_control_characters(call.required_text("company")), call.required_text("product"));
        let is_meant = |product: &Value| {
            let begins = selector
                .start_date
                .as_deref()
                .is_none_or(|day| is_same_day(text_member(product, "startDate"), day));
            text_member(product, "productCode") == code && begins
        };
        let mut found = self.products.iter().enumerate().filter(|(_, product)| is_meant(product));
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Ok(at),
            (None, _) => Err(Failure::unknown_object(format!(
                "company {company} has no product with this code. `product list` shows its products"
            ))),
            (Some(_), Some(_)) => Err(Failure::refused(format!(
                "company {company} had the product several times. Select one with --start-date"
            ))),
        }
    }

    /// Replaces the company's list of products by `products`.
    async fn replace_products(
        self,
        session: &mut OperatorCommandContext<'_>,
        call: &Invocation,
        products: Vec<Value>,
        message: &str,
    ) -> Outcome {
        let patch = json!({"products": products}).to_string().into_bytes();
        let request = Request::new(Method::Patch, call.fill_path(COMPANY_PATH)).body(MERGE_PATCH, patch);
        let request = match call.optional_text("if-match") {
            Some(version) => request.if_match(version.to_owned()),
            None => request.if_unchanged_since(&self.response),
        };
        let response = session.operator.send(request).await?;
        let (company, product) = (
            replace_control_characters(call.required_text("company")),
            replace_control_characters(call.required_text("product")),
        );
        session
            .output
            .print_result(&response, format!("Product {product} of company {company} is {message}."))
    }
}

/// Lists all products of a company, or those with the given code.
async fn list_products(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let mut products = ListedProducts::read(session, call).await?.products;
    if let Some(code) = call.optional_text("product") {
        products.retain(|product| text_member(product, "productCode") == code);
        if products.is_empty() {
            let company = replace_control_characters(call.required_text("company"));
            return Err(Failure::unknown_object(format!(
                "company {company} has no product with this code. `product list` shows its products"
            )));
        }
    }
    if session.output.is_json() {
        return session
            .output
            .print_document(json!({"content": products, "links": []}).to_string().as_bytes());
    }
    if products.is_empty() {
        return session.output.print_line("Nothing was found.");
    }
    let mut table = Table::new(&column_heads(PRODUCT_COLUMNS));
    products.iter().for_each(|product| table.add_row(row_cells(PRODUCT_COLUMNS, product)));
    session.output.print_table(&table)
}

async fn create_product(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let NewProduct { start_date, end_date } = call.read()?;
    let seen = ListedProducts::read(session, call).await?;
    let mut product = json!({"productCode": call.required_text("product"), "startDate": start_date});
    if let (Some(members), Some(day)) = (product.as_object_mut(), end_date) {
        members.insert("endDate".to_owned(), day.into());
    }
    let products = seen.products.iter().cloned().chain([product]).collect();
    seen.replace_products(session, call, products, "created").await
}

async fn change_product(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let ProductChange { end_date, clear: _, which } = call.read()?;
    let seen = ListedProducts::read(session, call).await?;
    let at = seen.find_index(call, &which)?;
    let mut products = seen.products.clone();
    if let Some(members) = products.get_mut(at).and_then(Value::as_object_mut) {
        members.remove("endDate");
        members.extend(end_date.map(|day| ("endDate".to_owned(), day.into())));
    }
    seen.replace_products(session, call, products, "changed").await
}

async fn delete_product(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let which = call.read()?;
    let seen = ListedProducts::read(session, call).await?;
    let at = seen.find_index(call, &which)?;
    let mut products = seen.products.clone();
    products.remove(at);
    seen.replace_products(session, call, products, "deleted").await
}

/// Returns whether both texts have the same date. A time after the date is ignored.
fn is_same_day(one: &str, other: &str) -> bool {
    let day = |text: &str| text.split('T').next().unwrap_or_default().to_owned();
    day(one) == day(other)
}
