// Runs the steps of ../journey.py with a generated Go client.
package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"

	"golang.org/x/oauth2"

	api "payroll"
)

const opened, processed = "851000000002008", "851000000002005"

func must[T any](value T, _ any, err error) T {
	if err != nil {
		if response, is := err.(*api.GenericOpenAPIError); is {
			os.Stderr.Write(response.Body())
		}
		panic(err)
	}
	return value
}

// The responses by the names of their steps in ../compare.py.
type printed map[string]any

// Reads the lists of a company, and hires a worker of this company.
func (responses printed) hire(ctx context.Context, client *api.APIClient) (company, worker string, typed printed) {
	companies := must(client.CompanyAPI.ListCompanies(ctx).Displayid("00010001").Execute())
	company = companies.Content[0].CompanyId
	responses["companies"] = companies
	responses["components"] = must(client.PayrollAPI.ListPayComponents(ctx, company).Execute())
	responses["jobs"] = must(client.CompanyAPI.ListCompanyJobs(ctx, company).Execute())
	locations := must(client.CompanyAPI.ListLocations(ctx, company).Execute())
	responses["locations"] = locations

	input := api.NewWorkerInput(*api.NewWorkerInputName("Sample", "Ann"), "EMPLOYEE")
	input.SetWorkerCorrelationId("go-1")
	input.SetEmploymentType("FULL_TIME")
	input.SetHireDate("2021-06-07")
	input.SetLegalId(*api.NewWorkerInputLegalId("SSN", "900123456"))
	input.SetOrganization(*api.NewWorkerInputOrganization("851000000006003"))
	input.SetLocationId(locations.Content[0].LocationId)
	hired := must(client.WorkerAPI.AddWorkers(ctx, company).WorkerInput([]api.WorkerInput{*input}).Execute())
	worker = hired.Content[0].GetWorkerId()
	responses["hired"] = hired
	responses["worker"] = must(client.WorkerAPI.GetWorker(ctx, worker).Execute())
	change := api.NewWorkerChange()
	change.SetClockId("4117")
	changed := must(client.WorkerAPI.ChangeWorker(ctx, worker).WorkerChange(*change).Execute())
	responses["changed"] = changed
	return company, worker, printed{
		"familyName": hired.Content[0].Name.FamilyName, "clockId": changed.Content[0].GetClockId(),
	}
}

// Adds the parts of the worker that are needed for pay.
func (responses printed) setUp(ctx context.Context, workers *api.WorkerAPIService, worker string) {
	phone := api.NewCommunicationInput("PHONE", "BUSINESS")
	phone.SetDialArea("585")
	phone.SetDialNumber("5550100")
	responses["communication"] = must(workers.AddCommunication(ctx, worker).CommunicationInput(*phone).Execute())
	rate := api.NewPayRateInput("23.505", "RATE_1", "HOURLY_RATE")
	rate.SetDefault(true)
	rate.SetStartDate("2021-06-07")
	responses["rate"] = must(workers.AddPayRate(ctx, worker).PayRateInput(*rate).Execute())

	federal := api.NewFederalTaxInput()
	federal.SetFilingStatus("MARRIED_FILING_JOINTLY")
	federal.SetMultipleJobs("true")
	federal.SetDependentsAmount("500.00")
	responses["federal"] = must(workers.SetFederalTax(ctx, worker).FederalTaxInput(*federal).Execute())
	change := api.NewFederalTaxChange()
	change.SetFilingStatus("HEAD_OF_HOUSEHOLD")
	change.SetExtraWithholdingAmount("10.50")
	responses["federalChanged"] = must(workers.ChangeFederalTax(ctx, worker).FederalTaxChange(*change).Execute())
	state := map[string]any{"countrySubdivisionCode": "OH", "taxStatusType": "WITHHOLD", "isResidentState": true}
	patch := []api.StateTaxPatchInner{
		*api.NewStateTaxPatchInner("add", "/workerTaxes/new", state),
		*api.NewStateTaxPatchInner("add", "/workerTaxes/new/additionalAmount", "5.25"),
	}
	responses["states"] = must(workers.ChangeStateTaxes(ctx, worker).StateTaxPatchInner(patch).Execute())

	deposit := api.NewDirectDepositInput("5550001234", "SAVINGS", "PERCENTAGE", "122100024")
	deposit.SetValue("10")
	responses["deposit"] = must(workers.AddDirectDeposit(ctx, worker).DirectDepositInput(*deposit).Execute())
	recurring := api.NewRecurringComponentInput("FLAT_DOLLAR_AMOUNT", "851000000001016", "25.00")
	responses["recurring"] = must(workers.AddRecurringComponent(ctx, worker).RecurringComponentInput(*recurring).Execute())
}

// Adds a check and a line of this check, and sends an invalid request.
func (responses printed) pay(
	ctx context.Context, payroll *api.PayrollAPIService, company, worker string,
) []api.UnprocessedCheckLine {
	hours, amount := api.NewCheckLineInput("851000000001001"), api.NewCheckLineInput("851000000001004")
	hours.SetPayHours("7.25")
	amount.SetPayAmount("75.25")
	check := api.NewCheckInput("go-1", opened, worker)
	check.SetEarnings([]api.CheckLineInput{*hours})
	added := must(payroll.AddChecks(ctx, company).CheckInput([]api.CheckInput{*check}).Execute())
	responses["added"] = added
	line := must(payroll.AddCheckLine(ctx, added.Content[0].GetPaycheckId()).CheckLineInput(*amount).Execute())
	responses["line"] = line
	check.SetWorkerId("nobody")
	_, _, rejection := payroll.AddChecks(ctx, company).CheckInput([]api.CheckInput{*check}).Execute()
	errors := rejection.(*api.GenericOpenAPIError).Model().(api.Errors)
	responses["rejected"] = errors.Errors[0].Code
	return line.Content[0].Earnings
}

// Changes the status of the worker, and reads all objects back.
func (responses printed) read(ctx context.Context, client *api.APIClient, company, worker string, typed printed) {
	workers, payroll := client.WorkerAPI, client.PayrollAPI
	change, status := api.NewWorkerChange(), api.NewWorkerChangeCurrentStatus()
	status.SetStatusType("INACTIVE")
	status.SetStatusReason("DISABILITY")
	change.SetCurrentStatus(*status)
	responses["statusChanged"] = must(workers.ChangeWorker(ctx, worker).WorkerChange(*change).Execute())
	statuses := must(workers.ListStatuses(ctx, worker).Execute())
	responses["communications"] = must(workers.ListCommunicationsOfWorker(ctx, worker).Execute())
	rates := must(workers.ListPayRates(ctx, worker).Execute())
	federal := must(workers.GetFederalTax(ctx, worker).Execute())
	states := must(workers.ListStateTaxes(ctx, worker).Execute())
	deposits := must(workers.ListDirectDeposits(ctx, worker).Execute())
	recurring := must(workers.ListRecurringComponents(ctx, worker).Execute())
	responses["ownChecks"] = must(payroll.ListChecksOfWorker(ctx, worker).Payperiodid(opened).Execute())
	responses["open"] = must(payroll.ListChecks(ctx, company).Payperiodid(opened).Execute())
	done := must(payroll.ListChecks(ctx, company).Payperiodid(processed).Execute())
	responses["statuses"], responses["rates"] = statuses, rates
	responses["federalTax"], responses["stateTaxes"] = federal, states
	responses["deposits"], responses["recurringComponents"], responses["processed"] = deposits, recurring, done

	typed["rate"], typed["default"] = rates.Content[0].Amount, rates.Content[0].GetDefault()
	typed["filingStatus"] = federal.Content[0].GetFilingStatus()
	typed["multipleJobs"] = federal.Content[0].GetMultipleJobs()
	typed["resident"] = states.Content[0].GetIsResidentState()
	typed["depositStatus"] = deposits.Content[0].Status
	typed["account"] = deposits.Content[0].AccountNumber
	typed["recurring"] = recurring.Content[0].Value
	typed["status"], typed["order"] = statuses.Content[0].StatusType, statuses.Content[0].GetOrder()
	check := done.Content[0]
	typed["netPay"], typed["grossEarnings"] = check.GetNetPay(), check.GetGrossEarnings()
	typed["tax"] = check.Taxes[0].GetAmount()
	typed["hours"], typed["amount"] = check.Earnings[0].GetHours(), check.Earnings[0].GetAmount()
}

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Args[1]}}
	client, ctx := api.NewAPIClient(configuration), context.Background()
	token := must(client.AuthenticationAPI.CreateToken(ctx).GrantType("client_credentials").
		ClientId(os.Args[2]).ClientSecret(os.Args[3]).Execute())
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token.GetAccessToken()})
	ctx = context.WithValue(ctx, api.ContextOAuth2, source)

	responses := printed{}
	company, worker, typed := responses.hire(ctx, client)
	responses.setUp(ctx, client.WorkerAPI, worker)
	lines := responses.pay(ctx, client.PayrollAPI, company, worker)
	typed["openHours"], typed["openRate"] = lines[0].GetPayHours(), lines[0].GetPayRate()
	typed["openAmount"] = lines[1].GetPayAmount()
	must(0, nil, exec.Command("python3", os.Getenv("ACTIVATE"), worker).Run())
	responses.read(ctx, client, company, worker, typed)
	responses["typed"] = typed
	must(0, nil, json.NewEncoder(os.Stdout).Encode(responses))
}
