// Runs the steps of ../journey.py with a generated Go client.
package main

import (
	"context"
	"encoding/json"
	"os"

	"golang.org/x/oauth2"

	api "payroll"
)

const opened, processed = "851000000002008", "851000000002005"

func must[T any](value T, _ any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Args[1]}}
	client, ctx := api.NewAPIClient(configuration), context.Background()
	token := must(client.AuthenticationAPI.CreateToken(ctx).GrantType("client_credentials").
		ClientId(os.Args[2]).ClientSecret(os.Args[3]).Execute())
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token.GetAccessToken()})
	ctx = context.WithValue(ctx, api.ContextOAuth2, source)
	company := must(client.CompanyAPI.ListCompanies(ctx).Displayid("00010001").Execute()).Content[0].CompanyId
	worker := must(client.WorkerAPI.ListWorkers(ctx, company).Execute()).Content[0].WorkerId

	hours, amount := api.NewCheckLineInput("851000000001001"), api.NewCheckLineInput("851000000001004")
	hours.SetPayHours("7.25")
	amount.SetPayAmount("75.25")
	check := api.NewCheckInput("go-1", opened, worker)
	check.SetEarnings([]api.CheckLineInput{*hours, *amount})
	added := must(client.PayrollAPI.AddChecks(ctx, company).CheckInput([]api.CheckInput{*check}).Execute())
	open := must(client.PayrollAPI.ListChecks(ctx, company).Payperiodid(opened).Execute())
	done := must(client.PayrollAPI.ListChecks(ctx, company).Payperiodid(processed).Execute())

	check.SetWorkerId("nobody")
	_, _, refusal := client.PayrollAPI.AddChecks(ctx, company).CheckInput([]api.CheckInput{*check}).Execute()
	errors := refusal.(*api.GenericOpenAPIError).Model().(api.Errors)
	last, first := open.Content[len(open.Content)-1], done.Content[0]
	must(0, nil, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"added": added, "open": open, "processed": done, "refused": errors.Errors[0].Code,
		"typed": map[string]string{
			"openHours":  last.Earnings[0].GetPayHours(),
			"openRate":   last.Earnings[0].GetPayRate(),
			"openAmount": last.Earnings[1].GetPayAmount(),
			"netPay":     first.GetNetPay(), "grossEarnings": first.GetGrossEarnings(),
			"tax":   first.Taxes[0].GetAmount(),
			"hours": first.Earnings[0].GetHours(), "amount": first.Earnings[0].GetAmount(),
		},
	}))
}
