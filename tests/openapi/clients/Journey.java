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
import org.openapitools.client.model.*;

public class Journey {
    private static final String OPEN = "851000000002008";
    private static final String PROCESSED = "851000000002005";

    private final ApiClient client;
    private final CompanyApi companies;
    private final PayrollApi payroll;
    private final WorkerApi workers;
    // The responses by the names of their steps in ../compare.py, and the values of some accessors.
    private final Map<String, Object> responses = new LinkedHashMap<>();
    private final Map<String, Object> typed = new LinkedHashMap<>();
    private String company;
    private String worker;

    private Journey(ApiClient client) {
        this.client = client;
        companies = new CompanyApi(client);
        payroll = new PayrollApi(client);
        workers = new WorkerApi(client);
    }

    /** Stores a response. */
    private <T> T keep(String name, T response) {
        responses.put(name, response);
        return response;
    }

    /** Reads the lists of a company, and hires a worker of this company. */
    private void hire() throws ApiException {
        var list = keep("companies", companies.listCompanies("00010001", null, null, null, null, null));
        company = list.getContent().get(0).getCompanyId();
        keep("components", payroll.listPayComponents(company, null, null, null, null, null, null, null, null, null));
        keep("jobs", companies.listCompanyJobs(company, null, null, null, null, null, null));
        var locations = keep("locations", companies.listLocations(company, null, null, null, null, null, null));
        var input = new WorkerInput().workerCorrelationId("java-1").workerType(WorkerInput.WorkerTypeEnum.EMPLOYEE)
            .employmentType(WorkerInput.EmploymentTypeEnum.FULL_TIME).hireDate("2021-06-07")
            .name(new WorkerInputName().familyName("Sample").givenName("Ann"))
            .legalId(new WorkerInputLegalId()
                .legalIdType(WorkerInputLegalId.LegalIdTypeEnum.SSN).legalIdValue("900123456"))
            .organization(new WorkerInputOrganization().organizationId("851000000006003"))
            .locationId(locations.getContent().get(0).getLocationId());
        var hired = keep("hired", workers.addWorkers(company, List.of(input), null, null, null, null));
        worker = hired.getContent().get(0).getWorkerId();
        keep("worker", workers.getWorker(worker, null, null, null));
        var changed = keep("changed",
            workers.changeWorker(worker, new WorkerChange().clockId("4117"), null, null, null, null));
        typed.put("familyName", hired.getContent().get(0).getName().getFamilyName());
        typed.put("clockId", changed.getContent().get(0).getClockId());
    }

    /** Adds the parts of the worker that are needed for pay. */
    private void setUp() throws ApiException {
        var phone = new CommunicationInput().type(CommunicationInput.TypeEnum.PHONE)
            .usageType(CommunicationInput.UsageTypeEnum.BUSINESS).dialArea("585").dialNumber("5550100");
        keep("communication", workers.addCommunication(worker, phone, null, null, null, null));
        var rate = new PayRateInput().rateNumber(PayRateInput.RateNumberEnum.RATE_1)
            .rateType(PayRateInput.RateTypeEnum.HOURLY_RATE).amount("23.505")._default(true).startDate("2021-06-07");
        keep("rate", workers.addPayRate(worker, rate, null, null, null, null));
        var federal = new FederalTaxInput().filingStatus(FederalTaxInput.FilingStatusEnum.MARRIED_FILING_JOINTLY)
            .multipleJobs(FederalTaxInput.MultipleJobsEnum.TRUE).dependentsAmount("500.00");
        keep("federal", workers.setFederalTax(worker, federal, null, null, null, null, null));
        var change = new FederalTaxChange().filingStatus(FederalTaxChange.FilingStatusEnum.HEAD_OF_HOUSEHOLD)
            .extraWithholdingAmount("10.50");
        keep("federalChanged", workers.changeFederalTax(worker, change, null, null, null, null));
        var state = Map.of("countrySubdivisionCode", "OH", "taxStatusType", "WITHHOLD", "isResidentState", true);
        var add = StateTaxPatchInner.OpEnum.ADD;
        var patch = List.of(
            new StateTaxPatchInner().op(add).path("/workerTaxes/new").value(state),
            new StateTaxPatchInner().op(add).path("/workerTaxes/new/additionalAmount").value("5.25"));
        keep("states", workers.changeStateTaxes(worker, patch, null, null, null, null));
        var deposit = new DirectDepositInput().paymentType(DirectDepositInput.PaymentTypeEnum.PERCENTAGE)
            .accountType(DirectDepositInput.AccountTypeEnum.SAVINGS).value("10")
            .routingNumber("122100024").accountNumber("5550001234");
        keep("deposit", workers.addDirectDeposit(worker, deposit, null, null, null, null));
        var recurring = new RecurringComponentInput().componentId("851000000001016")
            .calculationType(RecurringComponentInput.CalculationTypeEnum.FLAT_DOLLAR_AMOUNT).value("25.00");
        keep("recurring", workers.addRecurringComponent(worker, recurring, null, null, null, null));
    }

    /** Adds a check and a line of this check, and sends an invalid request. */
    private void pay() throws Exception {
        var check = new CheckInput().workerId(worker).payPeriodId(OPEN).checkCorrelationId("java-1")
            .earnings(List.of(new CheckLineInput().componentId("851000000001001").payHours("7.25")));
        var added = keep("added", payroll.addChecks(company, List.of(check), null, null, null, null));
        var bonus = new CheckLineInput().componentId("851000000001004").payAmount("75.25");
        String id = added.getContent().get(0).getPaycheckId();
        var line = keep("line", payroll.addCheckLine(id, bonus, null, null, null, null));
        try {
            payroll.addChecks(company, List.of(check.workerId("nobody")), null, null, null, null);
        } catch (ApiException rejection) {
            Errors errors = client.getObjectMapper().readValue(rejection.getResponseBody(), Errors.class);
            responses.put("rejected", errors.getErrors().get(0).getCode());
        }
        var lines = line.getContent().get(0).getEarnings();
        typed.put("openHours", lines.get(0).getPayHours());
        typed.put("openRate", lines.get(0).getPayRate());
        typed.put("openAmount", lines.get(1).getPayAmount());
    }

    /** Changes the status of the worker, and reads all objects back. */
    private void readBack() throws ApiException {
        var status = new WorkerChangeCurrentStatus().statusReason("DISABILITY")
            .statusType(WorkerChangeCurrentStatus.StatusTypeEnum.INACTIVE);
        keep("statusChanged",
            workers.changeWorker(worker, new WorkerChange().currentStatus(status), null, null, null, null));
        var statuses = keep("statuses", workers.listStatuses(worker, null, null, null, null, null));
        keep("communications", workers.listCommunicationsOfWorker(worker, null, null, null, null, null));
        var rates = keep("rates", workers.listPayRates(worker, null, null, null, null, null));
        var federal = keep("federalTax", workers.getFederalTax(worker, null, null, null)).getContent().get(0);
        var states = keep("stateTaxes", workers.listStateTaxes(worker, null, null, null));
        var deposits = keep("deposits",
            workers.listDirectDeposits(worker, null, null, null, null, null, null, null));
        var recurring = keep("recurringComponents",
            workers.listRecurringComponents(worker, null, null, null, null, null, null, null, null, null, null));
        keep("ownChecks", payroll.listChecksOfWorker(worker, OPEN, null, null, null, null, null, null));
        keep("open", payroll.listChecks(company, OPEN, null, null, null, null, null, null));
        var done = keep("processed", payroll.listChecks(company, PROCESSED, null, null, null, null, null, null));

        typed.put("rate", rates.getContent().get(0).getAmount());
        typed.put("default", rates.getContent().get(0).getDefault());
        typed.put("filingStatus", federal.getFilingStatus());
        typed.put("multipleJobs", federal.getMultipleJobs());
        typed.put("resident", states.getContent().get(0).getIsResidentState());
        typed.put("depositStatus", deposits.getContent().get(0).getStatus());
        typed.put("account", deposits.getContent().get(0).getAccountNumber());
        typed.put("recurring", recurring.getContent().get(0).getValue());
        typed.put("status", statuses.getContent().get(0).getStatusType());
        typed.put("order", statuses.getContent().get(0).getOrder());
        Check check = done.getContent().get(0);
        typed.put("netPay", check.getNetPay());
        typed.put("grossEarnings", check.getGrossEarnings());
        typed.put("tax", check.getTaxes().get(0).getAmount());
        typed.put("hours", check.getEarnings().get(0).getHours());
        typed.put("amount", check.getEarnings().get(0).getAmount());
    }

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        String token = new AuthenticationApi(client)
            .createToken(arguments[1], arguments[2], "client_credentials", null, null).getAccessToken();
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
        Journey journey = new Journey(client);
        journey.hire();
        journey.setUp();
        journey.pay();
        var operator = new ProcessBuilder("python3", System.getenv("ACTIVATE"), journey.worker).inheritIO().start();
        if (operator.waitFor() != 0) {
            throw new IllegalStateException("the worker is not active");
        }
        journey.readBack();
        journey.responses.put("typed", journey.typed);
        System.out.println(client.getObjectMapper().writeValueAsString(journey.responses));
    }
}
