"""Hires a worker, sets up the worker's pay, adds a check and reads all objects back. Uses only a client that
was generated from the OpenAPI description. Prints the values that the client has read, for compare.py.

journey.py BASE CLIENT_ID CLIENT_SECRET
"""

import json
import os
import subprocess
import sys

import payroll_client as api

OPEN, PROCESSED = "851000000002008", "851000000002005"


class Journey:
    def __init__(self, client):
        self.companies, self.payroll = api.CompanyApi(client), api.PayrollApi(client)
        self.workers = api.WorkerApi(client)
        # The responses by the names of their steps in compare.py.
        self.responses = {}

    def hire(self):
        """Reads the lists of a company, and hires a worker of this company."""
        responses = self.responses
        responses["companies"] = self.companies.list_companies(displayid="00010001")
        self.company = responses["companies"].content[0].company_id
        responses["components"] = self.payroll.list_pay_components(self.company)
        responses["jobs"] = self.companies.list_company_jobs(self.company)
        responses["locations"] = self.companies.list_locations(self.company)
        worker = api.WorkerInput(
            worker_correlation_id="python-1",
            worker_type="EMPLOYEE",
            employment_type="FULL_TIME",
            hire_date="2021-06-07",
            name=api.WorkerInputName(family_name="Sample", given_name="Ann"),
            legal_id=api.WorkerInputLegalId(legal_id_type="SSN", legal_id_value="900123456"),
            organization=api.WorkerInputOrganization(organization_id="851000000006003"),
            location_id=responses["locations"].content[0].location_id,
        )
        responses["hired"] = self.workers.add_workers(self.company, [worker])
        self.worker = responses["hired"].content[0].worker_id
        responses["worker"] = self.workers.get_worker(self.worker)
        responses["changed"] = self.workers.change_worker(self.worker, api.WorkerChange(clock_id="4117"))

    def set_up(self):
        """Adds the parts of the worker that are needed for pay."""
        responses, workers, worker = self.responses, self.workers, self.worker
        number = {"dial_area": "585", "dial_number": "5550100"}
        phone = api.CommunicationInput(type="PHONE", usage_type="BUSINESS", **number)
        responses["communication"] = workers.add_communication(worker, phone)
        rate = {"rate_number": "RATE_1", "rate_type": "HOURLY_RATE", "amount": "23.505"}
        responses["rate"] = workers.add_pay_rate(worker, api.PayRateInput(**rate, default=True, start_date="2021-06-07"))
        federal = {"filing_status": "MARRIED_FILING_JOINTLY", "multiple_jobs": "true", "dependents_amount": "500.00"}
        responses["federal"] = workers.set_federal_tax(worker, api.FederalTaxInput(**federal))
        change = api.FederalTaxChange(filing_status="HEAD_OF_HOUSEHOLD", extra_withholding_amount="10.50")
        responses["federalChanged"] = workers.change_federal_tax(worker, change)
        state = {"countrySubdivisionCode": "OH", "taxStatusType": "WITHHOLD", "isResidentState": True}
        patch = [
            api.StateTaxPatchInner(op="add", path="/workerTaxes/new", value=state),
            api.StateTaxPatchInner(op="add", path="/workerTaxes/new/additionalAmount", value="5.25"),
        ]
        responses["states"] = workers.change_state_taxes(worker, patch)
        account = {"routing_number": "122100024", "account_number": "5550001234", "account_type": "SAVINGS"}
        deposit = api.DirectDepositInput(**account, payment_type="PERCENTAGE", value="10")
        responses["deposit"] = workers.add_direct_deposit(worker, deposit)
        recurring = {"component_id": "851000000001016", "calculation_type": "FLAT_DOLLAR_AMOUNT", "value": "25.00"}
        responses["recurring"] = workers.add_recurring_component(worker, api.RecurringComponentInput(**recurring))

    def pay(self):
        """Adds a check and a line of this check. Returns the error code of an invalid request."""
        check = api.CheckInput(
            worker_id=self.worker,
            pay_period_id=OPEN,
            check_correlation_id="python-1",
            earnings=[api.CheckLineInput(component_id="851000000001001", pay_hours="7.25")],
        )
        bonus = api.CheckLineInput(component_id="851000000001004", pay_amount="75.25")
        added = self.responses["added"] = self.payroll.add_checks(self.company, [check])
        self.responses["line"] = self.payroll.add_check_line(added.content[0].paycheck_id, bonus)
        try:
            self.payroll.add_checks(self.company, [check.model_copy(update={"worker_id": "nobody"})])
        except api.exceptions.BadRequestException as rejection:
            return rejection.data.errors[0].code

    def read_back(self):
        """Changes the status of the worker, and reads all objects back."""
        responses, workers, payroll, worker = self.responses, self.workers, self.payroll, self.worker
        status = api.WorkerChangeCurrentStatus(status_type="INACTIVE", status_reason="DISABILITY")
        responses["statusChanged"] = workers.change_worker(worker, api.WorkerChange(current_status=status))
        responses["statuses"] = workers.list_statuses(worker)
        responses["communications"] = workers.list_communications_of_worker(worker)
        responses["rates"] = workers.list_pay_rates(worker)
        responses["federalTax"] = workers.get_federal_tax(worker)
        responses["stateTaxes"] = workers.list_state_taxes(worker)
        responses["deposits"] = workers.list_direct_deposits(worker)
        responses["recurringComponents"] = workers.list_recurring_components(worker)
        responses["ownChecks"] = payroll.list_checks_of_worker(worker, payperiodid=OPEN)
        responses["open"] = payroll.list_checks(self.company, payperiodid=OPEN)
        responses["processed"] = payroll.list_checks(self.company, payperiodid=PROCESSED)

    def typed(self):
        """Returns the values of some accessors."""
        first = {name: answer.content[0] for name, answer in self.responses.items()}
        hours, bonus = first["line"].earnings
        done = first["processed"]
        return {
            "familyName": first["hired"].name.family_name,
            "clockId": first["changed"].clock_id,
            "rate": first["rates"].amount,
            "default": first["rates"].default,
            "filingStatus": first["federalTax"].filing_status,
            "multipleJobs": first["federalTax"].multiple_jobs,
            "resident": first["stateTaxes"].is_resident_state,
            "depositStatus": first["deposits"].status,
            "account": first["deposits"].account_number,
            "recurring": first["recurringComponents"].value,
            "status": first["statuses"].status_type,
            "order": first["statuses"].order,
            "openHours": hours.pay_hours,
            "openRate": hours.pay_rate,
            "openAmount": bonus.pay_amount,
            "netPay": done.net_pay,
            "grossEarnings": done.gross_earnings,
            "tax": done.taxes[0].amount,
            "hours": done.earnings[0].hours,
            "amount": done.earnings[0].amount,
        }


def main(base: str, client_id: str, client_secret: str) -> None:
    configuration = api.Configuration(host=base)
    with api.ApiClient(configuration) as client:
        token = api.AuthenticationApi(client).create_token(
            grant_type="client_credentials", client_id=client_id, client_secret=client_secret
        )
        configuration.access_token = token.access_token
        journey = Journey(client)
        journey.hire()
        journey.set_up()
        rejected = journey.pay()
        subprocess.run(["python3", os.environ["ACTIVATE"], journey.worker], check=True)
        journey.read_back()
    responses = {name: json.loads(answer.to_json()) for name, answer in journey.responses.items()}
    print(json.dumps({**responses, "typed": journey.typed(), "rejected": rejected}))


if __name__ == "__main__":
    main(*sys.argv[1:])
