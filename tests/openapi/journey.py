"""Gets a token and adds checks, with only a client that was generated from the description.
Prints the values that it has read, for compare.py.

journey.py BASE CLIENT_ID CLIENT_SECRET
"""

import json
import sys

import payroll_client as api

OPEN, PROCESSED = "851000000002008", "851000000002005"


def said(answer) -> dict:
    return json.loads(answer.to_json())


def main(base: str, client_id: str, client_secret: str) -> None:
    configuration = api.Configuration(host=base)
    with api.ApiClient(configuration) as client:
        token = api.AuthenticationApi(client).create_token(
            grant_type="client_credentials", client_id=client_id, client_secret=client_secret
        )
        configuration.access_token = token.access_token
        companies, payroll = api.CompanyApi(client), api.PayrollApi(client)

        company = companies.list_companies(displayid="00010001").content[0]
        components = payroll.list_pay_components(company.company_id).content
        hourly = next(it for it in components if it.name == "Hourly")
        bonus = next(it for it in components if it.component_id == "851000000001004")
        workers = api.WorkerApi(client).list_workers(company.company_id).content
        worker = next(it for it in workers if it.worker_type == "EMPLOYEE")

        new = api.CheckInput(
            worker_id=worker.worker_id,
            pay_period_id=OPEN,
            check_correlation_id="python-1",
            earnings=[
                api.CheckLineInput(component_id=hourly.component_id, pay_hours="7.25"),
                api.CheckLineInput(component_id=bonus.component_id, pay_amount="75.25"),
            ],
        )
        added = payroll.add_checks(company.company_id, [new])
        opened = payroll.list_checks(company.company_id, payperiodid=OPEN)
        processed = payroll.list_checks(company.company_id, payperiodid=PROCESSED)

        # A rejection contains every fault with its code and pointer.
        try:
            payroll.add_checks(company.company_id, [new.model_copy(update={"worker_id": "nobody"})])
            refused = None
        except api.exceptions.BadRequestException as refusal:
            refused = refusal.data.errors[0].code

    check, done = opened.content[-1], processed.content[0]
    typed = {
        "openHours": check.earnings[0].pay_hours,
        "openRate": check.earnings[0].pay_rate,
        "openAmount": check.earnings[1].pay_amount,
        "netPay": done.net_pay,
        "grossEarnings": done.gross_earnings,
        "tax": done.taxes[0].amount,
        "hours": done.earnings[0].hours,
        "amount": done.earnings[0].amount,
    }
    answers = {"added": said(added), "open": said(opened), "processed": said(processed)}
    print(json.dumps({**answers, "typed": typed, "refused": refused}))


if __name__ == "__main__":
    main(*sys.argv[1:])
