// Runs the steps of ../journey.py with a generated Java client.

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.api.CompanyApi;
import org.openapitools.client.api.PayrollApi;
import org.openapitools.client.api.WorkerApi;
import org.openapitools.client.model.Check;
import org.openapitools.client.model.CheckInput;
import org.openapitools.client.model.CheckLineInput;
import org.openapitools.client.model.Errors;

public class Journey {
    private static final String OPEN = "851000000002008";
    private static final String PROCESSED = "851000000002005";

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        String token = new AuthenticationApi(client)
            .createToken(arguments[1], arguments[2], "client_credentials", null, null).getAccessToken();
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
        PayrollApi payroll = new PayrollApi(client);
        String company = new CompanyApi(client)
            .listCompanies("00010001", null, null, null, null, null).getContent().get(0).getCompanyId();
        String worker = new WorkerApi(client)
            .listWorkers(company, null, null, null, null, null, null, null, null, null, null, null, null, null)
            .getContent().get(0).getWorkerId();

        CheckInput check = new CheckInput().workerId(worker).payPeriodId(OPEN).checkCorrelationId("java-1")
            .earnings(List.of(
                new CheckLineInput().componentId("851000000001001").payHours("7.25"),
                new CheckLineInput().componentId("851000000001004").payAmount("75.25")));
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("added", payroll.addChecks(company, List.of(check), null, null, null, null));
        var open = payroll.listChecks(company, OPEN, null, null, null, null, null, null);
        var done = payroll.listChecks(company, PROCESSED, null, null, null, null, null, null);
        said.put("open", open);
        said.put("processed", done);
        try {
            payroll.addChecks(company, List.of(check.workerId("nobody")), null, null, null, null);
        } catch (ApiException refusal) {
            Errors errors = client.getObjectMapper().readValue(refusal.getResponseBody(), Errors.class);
            said.put("refused", errors.getErrors().get(0).getCode());
        }
        Check last = open.getContent().get(open.getContent().size() - 1);
        Check first = done.getContent().get(0);
        said.put("typed", Map.of(
            "openHours", last.getEarnings().get(0).getPayHours(),
            "openRate", last.getEarnings().get(0).getPayRate(),
            "openAmount", last.getEarnings().get(1).getPayAmount(),
            "netPay", first.getNetPay(), "grossEarnings", first.getGrossEarnings(),
            "tax", first.getTaxes().get(0).getAmount(),
            "hours", first.getEarnings().get(0).getHours(),
            "amount", first.getEarnings().get(0).getAmount()));
        System.out.println(client.getObjectMapper().writeValueAsString(said));
    }
}
