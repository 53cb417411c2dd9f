"""From a token to checks with a client that was generated from the description, and nothing else.

journey.py BASE CLIENT_ID CLIENT_SECRET
"""

import sys

import payroll_client as api


def main(base: str, client_id: str, client_secret: str) -> None:
    configuration = api.Configuration(host=base)
    with api.ApiClient(configuration) as client:
        token = api.AuthenticationApi(client).create_token(
            grant_type="client_credentials", client_id=client_id, client_secret=client_secret
        )
        configuration.access_token = token.access_token
        companies, payroll = api.CompanyApi(client), api.PayrollApi(client)

        company = companies.list_companies(displayid="00010001").content[0]
        period = next(it for it in payroll.list_pay_periods(company.company_id).content if it.status == "INITIAL")
        components = payroll.list_pay_components(company.company_id).content
        hourly = next(it for it in components if it.name == "Hourly")
        workers = api.WorkerApi(client).list_workers(company.company_id).content
        worker = next(it for it in workers if it.worker_type == "EMPLOYEE")
        print(f"{company.legal_name}: {worker.name.given_name} {worker.name.family_name}, {hourly.name}")

        line = api.NewCheckLine(component_id=hourly.component_id, pay_hours=api.NewCheckLinePayHours("8"))
        new = api.NewCheck(
            worker_id=worker.worker_id,
            pay_period_id=period.pay_period_id,
            check_correlation_id="journey-1",
            earnings=[line],
        )
        added = payroll.add_checks(company.company_id, api.NewChecks([new])).content
        assert [check.check_correlation_id for check in added] == ["journey-1"], added

        # Two collections are possible here, so the generated class wraps the one that it is.
        read = payroll.list_checks(company.company_id, payperiodid=period.pay_period_id).actual_instance
        assert added[0].paycheck_id in [check.paycheck_id for check in read.content], read
        print(f"added and read {added[0].paycheck_id}: {added[0].earnings[0].pay_rate} an hour")

        # A refusal says every fault with its code and place.
        try:
            payroll.add_checks(company.company_id, api.NewChecks([new.model_copy(update={"worker_id": "nobody"})]))
        except api.exceptions.BadRequestException as refused:
            assert [fault.code for fault in refused.data.errors] == ["API-55"], refused
        else:
            raise AssertionError("a worker who does not exist was paid")


if __name__ == "__main__":
    main(*sys.argv[1:])
