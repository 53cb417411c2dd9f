"""Creates all data up to a completed pay period. Uses only a client that was generated from the OpenAPI
description of the operator API.

operator_journey.py BASE OPERATOR_KEY
"""

import sys

import operator_client as api


def main(base: str, key: str) -> None:
    configuration = api.Configuration(host=base, access_token=key)
    with api.ApiClient(configuration) as client:
        companies, workers = api.CompaniesApi(client), api.WorkersApi(client)
        pay_runs, access, history = api.PayRunsApi(client), api.AccessApi(client), api.HistoryApi(client)

        new = api.CompanyInput(display_id="00098001", legal_name="Example Orchard LLC")
        company = companies.create_company(new).content[0].company_id
        name = api.WorkerInputName(given_name="Ada", family_name="Example")
        hired = api.WorkerInput(name=name, worker_type="EMPLOYEE", hire_date="2026-01-05")
        worker = workers.create_worker(company, hired).content[0].worker_id

        # A change requires the current version.
        read = workers.get_worker_with_http_info(company, worker)
        patch = api.WorkerPatch(employee_id="1001")
        tag = {name.lower(): value for name, value in read.headers.items()}["etag"]
        changed = workers.change_worker(company, worker, patch, if_match=tag)
        assert changed.content[0].employee_id == "1001", changed

        days = {"start_date": "2027-01-04", "end_date": "2027-01-10", "check_date": "2027-01-15"}
        period = api.PayPeriodInput(interval_code="WEEKLY", status="INITIAL", **days)
        period = pay_runs.create_pay_period(company, period).content[0].pay_period_id
        pay_runs.process_pay_period(company, period)
        preview = pay_runs.complete_pay_period(company, period, dryrun=True).content[0]
        assert [it.warning for it in preview.warnings] == ["NO_CHECKS"], preview

        # The period has no checks, so its completion is rejected with a code.
        try:
            pay_runs.complete_pay_period(company, period)
        except api.exceptions.ConflictException as refusal:
            assert refusal.data.errors[0].code == "API-409", refusal
        else:
            raise AssertionError("an empty pay period was completed")
        completed = pay_runs.complete_pay_period(company, period, completion=api.Completion(allow_empty=True))
        assert completed.content[0].status == "COMPLETED", completed
        assert completed.content[0].totals.net_pay == "0.00", completed

        application = access.create_application(api.ApplicationInput(name="Example time clock")).content[0]
        scopes = api.GrantInput(scopes=["read:companies"])
        access.put_grant(application.application_id, company, scopes)
        kinds = [row.resource.kind for row in history.list_audit(companyid=company).content]
        assert {"company", "worker", "payPeriod", "grant"} <= set(kinds), kinds
    print("the operator's client completed a pay period")


if __name__ == "__main__":
    main(*sys.argv[1:])
